import { listed, type Names } from './evidence-text.ts';
import type { EvidenceKind } from './kind.ts';

/** Of hypotheses that were made one: they weigh nothing, as each of them had its own evidence. */

const defineKind = <P extends object>(kind: EvidenceKind<P>): EvidenceKind<P> => kind;

export const sameOnParts = defineKind<{ readonly device: string; readonly parts: Names }>({
  id: 'same_on_parts',
  text: ({ device, parts }) => `the probability of ${device} as a whole: its parts show the same: ${listed(parts)}`,
});

export const sameOnTwins = defineKind<{ readonly devices: Names; readonly isSilent: boolean }>({
  id: 'same_on_twins',
  text: ({ devices, isSilent }) =>
    `the probability of ${listed(devices)} together: ${isSilent ? 'what is behind each of them fails' : 'they report the same'} at the same time, so look at what feeds all of them, for example the mains`,
});

export const sameOnRanks = defineKind<{ readonly ranks: Names }>({
  id: 'same_on_ranks',
  text: ({ ranks }) =>
    `the probability of ${listed(ranks)} together: others wait for each of them, and none of them waits for another, so inspect all of them`,
});
