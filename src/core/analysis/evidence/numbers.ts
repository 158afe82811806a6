import { figure, readableType } from './evidence-text.ts';
import { defineKind } from './kind.ts';

/** What one number of a machine did while a service suffered. */
export interface NumberChange {
  readonly metric: string;
  readonly unit: string;
  /** The entity that the number is of. */
  readonly on: string;
  readonly before: number;
  readonly after: number;
  readonly isChanged: boolean;
  /** Of a change: its peers did not; otherwise: they moved, and it with them. */
  readonly isComparedWithPeers: boolean;
}

function changeText({ metric, unit, on, before, after, isChanged, isComparedWithPeers }: NumberChange): string {
  const of = unit === '' || unit === '1' ? '' : ` ${unit}`;
  if (!isChanged)
    return `${metric} of ${on} stayed at ${figure(after)}${of} meanwhile${isComparedWithPeers ? ', with its peers' : ''}`;
  const went = after > before ? 'rose' : 'fell';
  return `${metric} of ${on} ${went} from ${figure(before)} to ${figure(after)}${of} meanwhile${isComparedWithPeers ? ', unlike its peers' : ''}`;
}

interface Changes {
  readonly changes: readonly NumberChange[];
}

const changesText = ({ changes }: Changes): string => changes.map(changeText).join('; ');

export const moved = defineKind<Changes>({ id: 'moved', sign: 1, judgement: 1, text: changesText });

export const elsewhereMoved = defineKind<Changes>({
  id: 'elsewhere_moved',
  sign: -1,
  judgement: -1,
  text: (changes) => `not on what moved: ${changesText(changes)}`,
});

export const unmoved = defineKind<{ readonly still: number; readonly of: number }>({
  id: 'unmoved',
  sign: -1,
  judgement: -0.3,
  text: ({ still, of }) => `${still} of ${of} machines measured behind it did nothing of their own`,
});

export const limited = defineKind<Changes & { readonly type: string }>({
  id: 'held',
  sign: 1,
  judgement: 0.5,
  most: 1.5,
  text: ({ type, ...changes }) => `${readableType(type)} holds a machine down, and ${changesText(changes)}`,
});

export const notLimited = defineKind<Changes & { readonly type: string }>({
  id: 'not_held',
  sign: -1,
  judgement: -1,
  text: ({ type, ...changes }) => `${readableType(type)} holds a machine down, but ${changesText(changes)}`,
});

/** Of "no physical cause": what chance does to few measurements. */
export const brief = defineKind<{ readonly service: string; readonly measurements: number; readonly times: number }>({
  id: 'brief',
  sign: 1,
  judgement: 0.5,
  most: 4,
  text: ({ service, measurements, times }) =>
    `${service} did worse in ${measurements} measurement${measurements === 1 ? '' : 's'}, ${times.toFixed(1)} times at most`,
});

export const machinesBusier = defineKind<Changes>({
  id: 'machines_busier',
  sign: 1,
  judgement: 0.5,
  most: 1.5,
  text: changesText,
});

export const machinesMoved = defineKind<Changes>({
  id: 'machines_moved',
  sign: -1,
  judgement: -0.5,
  most: 1.5,
  text: changesText,
});

export const machinesStill = defineKind<{ readonly service: string }>({
  id: 'machines_still',
  sign: 1,
  judgement: 0.5,
  text: ({ service }) => `no machine of ${service} did anything that its peers did not`,
});

export const movedUnexplained = defineKind<Changes>({
  id: 'moved_unexplained',
  sign: 1,
  judgement: 0.5,
  text: (changes) => `${changesText(changes)}, and no recorded event tells why`,
});

export const movedCompany = defineKind<{ readonly others: number; readonly service: string }>({
  id: 'moved_company',
  sign: -1,
  judgement: -0.5,
  text: ({ others, service }) => `so did those of ${others} more machines of ${service}`,
});
