import type { Output, PartGroup, PartView } from '../../../model/contract/index.ts';
import type { Workspace } from '../workspace.ts';
import { failureRate } from './failure-rate.ts';
import { readParts } from './read-parts.ts';

const MOST_PARTS = 2000;

/** Hardware with its history. */
export function partsHandlers(workspace: Workspace) {
  return {
    'parts.list': async (): Promise<Output<'parts.list'>> => {
      const opened = workspace.required();
      const { first_ns, last_ns } = await opened.info();
      const window = { start_ns: first_ns ?? 0n, end_ns: last_ns ?? 0n };
      const parts = await opened.withSession((session) => readParts(session, window));
      const known = parts.filter((one) => isKnown(one)).toSorted(byHistory);
      return { parts: known.slice(0, MOST_PARTS), groups: groupsOf(known), total: known.length, ...window };
    },
  };
}

/** A name in the topology alone has no history. */
const isKnown = ({ serial, model, firmware, first_ns, moments, counters }: PartView): boolean =>
  serial !== '' || model !== '' || firmware !== '' || first_ns !== null || moments.length > 0 || counters.length > 0;

const grownOf = ({ counters }: PartView): number => counters.reduce((sum, { grown }) => sum + grown, 0);

const byHistory = (a: PartView, b: PartView): number =>
  b.faults - a.faults ||
  b.moments.length - a.moments.length ||
  grownOf(b) - grownOf(a) ||
  placeOf(a).localeCompare(placeOf(b), 'en', { numeric: true });

/** `n1/gpu5` of a card whose id is a UUID: parts without a history are listed as they are built in. */
const placeOf = ({ entity, names, place }: PartView): string =>
  names.find(({ kind }) => kind === 'gpu_index')?.name ?? `${place ?? ''}/${entity}`;

/** Kinds and models whose failures can be counted: those that were recorded for some time. */
function groupsOf(parts: readonly PartView[]): PartGroup[] {
  const recorded = parts.filter(({ hours }) => hours > 0);
  const groups = Map.groupBy(recorded, ({ entity, model }) => `${entity.slice(0, entity.indexOf(':'))}\n${model}`);
  return [...groups]
    .map(([key, own]): PartGroup => {
      const [kind = '', model = ''] = key.split('\n');
      const sum = (of: (part: PartView) => number): number => own.reduce((all, one) => all + of(one), 0);
      const [hours, faults] = [sum((one) => one.hours), sum((one) => one.faults)];
      return { kind, model, parts: own.length, hours, faults, ...failureRate(faults, hours) };
    })
    .toSorted((a, b) => b.faults - a.faults || b.hours - a.hours);
}
