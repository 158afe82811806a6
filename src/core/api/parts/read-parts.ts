import { jsonMembers } from '../../../base/json-members.ts';
import type { PartMoment, PartView } from '../../../model/contract/index.ts';
import { assignedName } from '../../../model/incident/assigned-name.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { parseDetails } from '../../../model/telemetry/event-details.ts';
import { errorCounters, isPartFault, partKinds, partSigns, partWorks } from '../../../model/telemetry/part-faults.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { listText } from '../../store/list-text.ts';
import { queries } from '../../store/queries/index.ts';

const MOST_EVENTS = 200_000;
const MOST_MOMENTS = 100;
/** Bars of a small chart. */
const COURSE = 16;
/** Failures so close together are one, reported by several. */
const ONE_FAULT_NS = 600_000_000_000n;

/** Attributes under the names that sources use. */
const stated = {
  serial: ['serial', 'serial_number', 'hw.serial_number', 'SerialNumber'],
  model: ['model', 'hw.model', 'gpu.model', 'modelName', 'gpu_model', 'part_number'],
  firmware: ['vbios_version', 'hw.firmware_version', 'firmware_version', 'driver_version', 'hw.driver_version'],
} as const;

interface PartRow {
  readonly entity: number;
  readonly kind: string;
  readonly id: string;
  readonly attributes: string | null;
  readonly place: string | null;
}
interface TimesRow {
  readonly entity: number;
  readonly first_ns: bigint;
  readonly last_ns: bigint;
  readonly hours: number;
}
interface EventRow {
  readonly ref: string;
  readonly entity: number;
  readonly type: string;
  readonly time_ns: bigint;
  readonly message: string;
  readonly details: string;
}
interface CounterRow {
  readonly entity: number;
  readonly metric: string;
  readonly grown: number;
  readonly value: number;
  readonly ref: string;
  readonly part: number;
  readonly part_grown: number;
}

/** All hardware of a case with its history. @param window in which the course of counters is drawn */
export async function readParts(
  session: Session,
  { start_ns, end_ns }: { readonly start_ns: bigint; readonly end_ns: bigint },
): Promise<PartView[]> {
  const kinds = listText(partKinds);
  const rows = async <T>(sql: string, bound: Parameters<Session['query']>[1]): Promise<T[]> =>
    rowsOf<T>(await session.query(sql, bound));
  const parts = Map.groupBy(await rows<PartRow>(queries.parts, [kinds]), ({ entity }) => entity);
  const aliases = Map.groupBy(
    await rows<{ canonical_id: number; kind: string; name: string }>(queries.aliases, []),
    ({ canonical_id }) => canonical_id,
  );
  const times = new Map((await rows<TimesRow>(queries.partTimes, [kinds])).map((one) => [one.entity, one]));
  const types = listText([...partSigns, ...partWorks]);
  const events = Map.groupBy(
    await rows<EventRow>(queries.partEvents, [types, BigInt(MOST_EVENTS)]),
    ({ entity }) => entity,
  );
  const counters = Map.groupBy(
    await rows<CounterRow>(queries.partCounters, [start_ns, end_ns, COURSE, listText(errorCounters)]),
    ({ entity }) => entity,
  );
  const found = [...parts].map(([entity, own]) =>
    partOf(own, {
      names: (aliases.get(entity) ?? []).map(({ kind, name }) => ({ kind, name })),
      times: times.get(entity),
      events: events.get(entity) ?? [],
      counters: counters.get(entity) ?? [],
    }),
  );
  return withReplacements(found);
}

interface Known {
  readonly names: PartView['names'];
  readonly times: TimesRow | undefined;
  readonly events: readonly EventRow[];
  readonly counters: readonly CounterRow[];
}

function partOf(rows: readonly PartRow[], { names, times, events, counters }: Known): PartView {
  const { kind, id, place } = rows[0]!;
  const attributes = rows.map((one) => jsonMembers(one.attributes ?? ''));
  const of = (keys: readonly string[]): string => {
    const values = keys.flatMap((key) => attributes.flatMap((one) => one[key] ?? []));
    return assignedName(String(values[0] ?? ''));
  };
  const moments = events.map(momentOf);
  return {
    entity: `${kind}:${id}`,
    place,
    serial: of(stated.serial) || (names.find((one) => one.kind === 'asset_tag')?.name ?? ''),
    model: of(stated.model),
    firmware: of(stated.firmware),
    names,
    first_ns: times?.first_ns ?? null,
    last_ns: times?.last_ns ?? null,
    hours: times?.hours ?? 0,
    faults: countFaults(moments),
    moments: moments.slice(0, MOST_MOMENTS),
    counters: countersOf(counters),
    replaced_by: null,
  };
}

const momentOf = ({ ref, type, time_ns, message, details }: EventRow): PartMoment => ({
  time_ns,
  type,
  text: message,
  ref,
  role: partWorks.includes(type) ? 'work' : isPartFault(type, parseDetails(details)) ? 'fault' : 'sign',
});

/** One failure is often reported many times, by several sources. */
function countFaults(moments: readonly PartMoment[]): number {
  const times = moments.flatMap(({ role, time_ns }) => (role === 'fault' ? [time_ns] : []));
  return times.filter((time, at) => at === 0 || time - times[at - 1]! > ONE_FAULT_NS).length;
}

const countersOf = (rows: readonly CounterRow[]): PartView['counters'] =>
  errorCounters.flatMap((metric) => {
    const own = rows.filter((one) => one.metric === metric);
    const [first] = own;
    if (!first || (first.value === 0 && first.grown === 0)) return [];
    const course = new Array<number>(COURSE).fill(0);
    for (const { part, part_grown } of own) if (part >= 0 && part < COURSE) course[part] = part_grown;
    return [{ metric, value: first.value, grown: first.grown, course, ref: first.ref }];
  });

/** A place in a machine: two parts that had it one after the other are a replacement. */
const places: ReadonlySet<string> = new Set(['gpu_index', 'pci_address', 'slot']);

function withReplacements(parts: readonly PartView[]): PartView[] {
  const byPlace = new Map<string, PartView[]>();
  for (const part of parts)
    for (const { kind, name } of part.names)
      if (places.has(kind) && part.first_ns !== null) byPlace.set(name, [...(byPlace.get(name) ?? []), part]);
  const next = new Map<PartView, PartView>();
  for (const own of byPlace.values()) {
    const inOrder = own.toSorted((a, b) => ((a.first_ns ?? 0n) < (b.first_ns ?? 0n) ? -1 : 1));
    inOrder.forEach((part, at) => {
      const after = inOrder[at + 1];
      if (after && (part.last_ns ?? 0n) < (after.first_ns ?? 0n)) next.set(part, after);
    });
  }
  const previous = new Map([...next].map(([part, after]) => [after, part]));
  return parts.map((part) => {
    const [after, before] = [next.get(part), previous.get(part)];
    const moments = [
      ...part.moments,
      ...(after ? [replacement(after, `replaced by ${nameText(after)}`)] : []),
      ...(before ? [replacement(part, `took the place of ${nameText(before)}`)] : []),
    ];
    return {
      ...part,
      replaced_by: after?.entity ?? null,
      moments: moments.toSorted((a, b) => (a.time_ns < b.time_ns ? -1 : a.time_ns > b.time_ns ? 1 : 0)),
    };
  });
}

/** At the first sample of the later part: the change itself was not recorded. */
const replacement = (after: PartView, text: string): PartMoment => ({
  time_ns: after.first_ns ?? 0n,
  type: 'replaced',
  text,
  ref: `entity:${after.entity}`,
  role: 'work',
});

const nameText = ({ serial, entity }: PartView): string =>
  serial === '' ? entity.slice(entity.indexOf(':') + 1) : `serial ${serial}`;
