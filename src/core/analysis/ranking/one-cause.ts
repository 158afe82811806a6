import type { EntityKind } from '../../../model/entity.ts';
import type { TypedEvidence, TypedHypothesis } from '../../../model/incident/incident.ts';
import { causality } from '../causality/parameters.ts';
import { explains, leaves } from '../evidence/effects.ts';
import { namesOf } from '../evidence/evidence-text.ts';
import { eventRef, weighedLine } from '../evidence/kind.ts';
import { sameOnParts, sameOnRanks, sameOnTwins } from '../evidence/one-cause.ts';
import { otherSupplies } from '../topology/other-supplies.ts';
import type { Suspect } from './hypothesis-line.ts';
import type { IncidentContext } from './incident-context.ts';
import { ranking } from './parameters.ts';
import { waitingJob } from './waiting-job.ts';

/** A suspect with its probability, 0 to 1, as it will be listed. */
export interface Ranked {
  readonly suspect: Suspect;
  readonly probability: number;
  readonly subject: TypedHypothesis['subject'];
  /** What shows the same at the same time, beside the subject. */
  readonly also: readonly NonNullable<TypedHypothesis['subject']>[];
  /** Evidence that weighs nothing, after that of the suspect. */
  readonly remarks: readonly TypedEvidence[];
}

/** Kinds of parts of a device, each an entity of its own, and the kind of the device. */
const wholes: Partial<Record<EntityKind, EntityKind>> = { port: 'switch', outlet: 'pdu', breaker: 'pdu' };
const wholeKinds: ReadonlySet<EntityKind> = new Set(Object.values(wholes));
const supplyKinds: ReadonlySet<string> = new Set(['ups', 'pdu'] satisfies EntityKind[]);

/**
 * Hypotheses exclude each other, but one cause may show at several places: at the ports of a switch that is congested, at two UPSs whose
 * mains failed, at the ranks that a job waits for. Such hypotheses become one, as probable as they are together, with the evidence of the most probable one.
 * @param ranked the most probable first
 */
export function asOneCause(ranked: readonly Ranked[], context: IncidentContext): Ranked[] {
  const devices = merged(ranked, wholesOf(ranked, context), (group, device) => ofDevice(group, device, context));
  const supplies = merged(devices, twinsOf(devices, context), ofTwins);
  return merged(supplies, waitedFor(supplies, context), ofRanks);
}

/** Replaces those with the same key by what `merge` makes of them; the most probable first. */
function merged<K>(
  ranked: readonly Ranked[],
  keys: ReadonlyMap<Ranked, K>,
  merge: (group: readonly Ranked[], key: K) => readonly Ranked[],
): Ranked[] {
  const groups = Map.groupBy(
    ranked.filter((one) => keys.has(one)),
    (one) => keys.get(one)!,
  );
  const alone = ranked.filter((one) => !keys.has(one));
  const whole = [...groups].flatMap(([key, group]) => (group.length > 1 ? merge(group, key) : group));
  return [...alone, ...whole].sort((a, b) => b.probability - a.probability);
}

const together = (group: readonly Ranked[]): number => group.reduce((sum, { probability }) => sum + probability, 0);

/** By the device that a part belongs to, or that it is, and by the type of its event. */
function wholesOf(ranked: readonly Ranked[], context: IncidentContext): ReadonlyMap<Ranked, string> {
  const found = new Map<Ranked, string>();
  for (const one of ranked) {
    const device = one.suspect.event ? wholeOf(one.suspect.event.entity, context) : undefined;
    if (device !== undefined) found.set(one, `${device} ${one.suspect.type}`);
  }
  return found;
}

function wholeOf(entity: number, { input: { graph } }: IncidentContext): number | undefined {
  const own = graph.node(entity);
  const kind = own && wholes[own.kind];
  if (!kind) return own && wholeKinds.has(own.kind) ? entity : undefined;
  return [...graph.above(entity)].find((key) => {
    const node = graph.node(key);
    return node?.kind === kind && own.id.startsWith(`${node.id}/`);
  });
}

/** One part that stands out is named itself. */
function ofDevice(group: readonly Ranked[], key: string, { input: { graph } }: IncidentContext): readonly Ranked[] {
  const [first, ...others] = group as [Ranked, ...Ranked[]];
  const probability = together(group);
  if (first.probability > ranking.partAlone * probability) return group;
  const { kind, id } = graph.node(Number.parseInt(key, 10))!;
  const parts = group.flatMap(({ subject }) => (subject && subject.kind !== kind ? subject.id : []));
  const remark = weighedLine(sameOnParts, 0, { device: id, parts: namesOf(parts) }, refsOf(others));
  return [{ ...first, probability, subject: { kind, id }, remarks: [...first.remarks, remark] }];
}

const refsOf = (group: readonly Ranked[]): string[] =>
  group.flatMap(({ suspect: { event } }) => (event ? eventRef(event) : []));

/** Supplies of the same kind with the same fault at the same time, two feeds of one machine, though nothing in the topology feeds both. */
function twinsOf(ranked: readonly Ranked[], context: IncidentContext): ReadonlyMap<Ranked, Ranked> {
  const found = new Map<Ranked, Ranked>();
  const supplies = ranked.filter(({ subject }) => subject && supplyKinds.has(subject.kind));
  const alike = Map.groupBy(supplies, ({ suspect, subject }) => `${subject?.kind} ${suspect.type}`);
  for (const group of alike.values()) {
    // Of thousands each is compared with what feeds the same machines alone.
    const left = new Map(group.map((one) => [keyOf(one, context), one]));
    for (const [key, one] of left) {
      left.delete(key);
      if (key === undefined) continue;
      for (const [other, twin] of twinsAmong(left, { key, one }, context)) {
        found.set(one, one).set(twin, one);
        left.delete(other);
      }
    }
  }
  return found;
}

interface Keyed {
  readonly key: number;
  readonly one: Ranked;
}

function twinsAmong(
  others: ReadonlyMap<number | undefined, Ranked>,
  { key, one }: Keyed,
  context: IncidentContext,
): readonly (readonly [number, Ranked])[] {
  if (others.size === 0) return [];
  const { graph } = context.input;
  const upstream = graph.above(key);
  return otherSupplies(key, graph).flatMap((beside) => {
    const other = others.get(beside);
    if (!other || [...graph.above(beside)].some((source) => upstream.has(source))) return [];
    return showBoth(one.suspect, other.suspect, context) ? [[beside, other] as const] : [];
  });
}

function keyOf({ suspect: { event }, subject }: Ranked, context: IncidentContext): number | undefined {
  if (event) return event.entity;
  return subject ? context.once(keysByName).get(`${subject.kind} ${subject.id}`) : undefined;
}

const keysByName = ({ input: { graph } }: IncidentContext): ReadonlyMap<string, number> =>
  new Map([...graph.all()].map(({ key, kind, id }) => [`${kind} ${id}`, key]));

/** Each reported it itself at that time, or what shows it of the one does not show it of the other. */
function showBoth(a: Suspect, b: Suspect, { input: { doubts } }: IncidentContext): boolean {
  if (a.event && b.event) {
    const late_s = doubts.seenLate_s(a.event) + doubts.seenLate_s(b.event);
    return Math.abs(Number(a.event.time_ns - b.event.time_ns)) / 1e9 <= causality.togetherSeconds + late_s;
  }
  if (a.event || b.event) return false;
  const shown = new Set(eventsBehind(a));
  return !eventsBehind(b).some((ref) => shown.has(ref));
}

/** What a silent supply explains, without what it leaves open: refs of other lines are long, and found when they are read. */
const eventsBehind = ({ lines }: Suspect): string[] =>
  lines.filter(({ kind }) => kind === explains).flatMap(({ refs }) => refs.filter((ref) => ref.startsWith('event:')));

function ofTwins(group: readonly Ranked[], first: Ranked): readonly Ranked[] {
  const others = group.filter((one) => one !== first);
  const devices = namesOf(group.flatMap(({ subject }) => subject?.id ?? []));
  const isSilent = first.suspect.event === null;
  const remark = weighedLine(sameOnTwins, 0, { devices, isSilent }, refsOf(others));
  const also = others.flatMap(({ subject }) => subject ?? []);
  return [{ ...first, probability: together(group), also, remarks: [...first.remarks, remark] }];
}

/** By the job. */
function waitedFor(ranked: readonly Ranked[], { input: { graph } }: IncidentContext): ReadonlyMap<Ranked, string> {
  const found = new Map<Ranked, string>();
  for (const one of ranked) {
    const job = one.suspect.event ? waitingJob(one.suspect.event, graph) : undefined;
    if (job !== undefined) found.set(one, job);
  }
  return found;
}

/** What one of the ranks leaves open is what the others show, unless more is open. One that stands out is named itself. */
function ofRanks(group: readonly Ranked[]): readonly Ranked[] {
  const [first, ...others] = group as [Ranked, ...Ranked[]];
  const probability = together(group);
  if (first.probability > ranking.partAlone * probability) return group;
  const shown = new Set(refsOf(others));
  const lines = first.suspect.lines.filter(
    ({ kind, refs }) => kind.id !== leaves.id || refs.some((ref) => !shown.has(ref)),
  );
  const ranks = namesOf(group.flatMap(({ subject }) => subject?.id ?? []));
  const remark = weighedLine(sameOnRanks, 0, { ranks }, refsOf(others));
  const also = others.flatMap(({ subject }) => subject ?? []);
  return [{ ...first, suspect: { ...first.suspect, lines }, probability, also, remarks: [...first.remarks, remark] }];
}
