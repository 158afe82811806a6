import { nanoseconds } from '../../../model/time.ts';
import type { ClockFact, EventFact } from '../../store/facts/reader.ts';
import type { Mechanisms } from '../causality/mechanisms.ts';
import { SIGMAS_95 } from '../statistics.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';
import type { ClockEstimate, ClockPair } from './clock-estimate.ts';
import { type ClockGroup, groupClocks } from './clock-groups.ts';
import { agreeText, clockShiftText, doubtText, perhapsZoneText, zoneOf, zoneText } from './clock-text.ts';
import { driftOf } from './drift.ts';
import { type GroupedEvents, groupEvents } from './event-groups.ts';
import { clocks } from './parameters.ts';
import { settleOffsets } from './settle-offsets.ts';
import { type LinkVerdict, ownDelays, type Shift, testLink } from './shift-test.ts';
import { QUARTER_S, type Vote } from './shift-votes.ts';
import { type Correction, type Priors, solveOffsets } from './solve-offsets.ts';
import { linkSources } from './source-links.ts';
import { sourcesApart, zoneHint } from './zone-hint.ts';

export interface ClockOptions {
  readonly sources: readonly ClockFact[];
  /** Reference for the data sources linked with it. */
  readonly reference?: number;
  /** Seconds between samples, by `event_id`, for events that samples show. */
  readonly floors?: ReadonlyMap<number, number>;
}

const PINNED_S = 1e-6;
const LISTED = 20;
/**
 * Estimates each data source's clock from pairs of events that are linked by a mechanism, or that two data sources recorded
 * of the same event (DESIGN section 4). Deterministic, and independent of the order of the events.
 *
 * A pair across two data sources states that the difference of their clocks lies in an interval. A difference that many
 * independent pairs share, beyond chance ({@link testLink}), is accepted, and all sources are solved together
 * ({@link solveOffsets}). Otherwise times stay unchanged and the uncertainty is widened.
 *
 * @param events of all sources, wrong zones included: up to 14 h around the window
 */
export function estimateClocks(
  events: readonly EventFact[],
  graph: Pick<EntityGraph, 'below'>,
  mechanisms: Pick<Mechanisms, 'about'>,
  { sources, reference, floors = new Map() }: ClockOptions,
): ClockEstimate[] {
  const byId = new Map(sources.map((source) => [source.source_id, source]));
  const grouped = groupEvents(events, byId, floors);
  const links = linkSources(grouped.groups, graph, mechanisms);
  const verdicts = links
    .filter(({ first, second }) => first !== second)
    .map((link) => testLink(link, grouped.recorders));
  const own = links
    .filter(({ first, second }) => first === second)
    .flatMap((link) => ownDelays(link, grouped.recorders) ?? []);
  const shifts = verdicts.flatMap(({ found }) => found ?? []);
  const context = { sources: byId, grouped, verdicts, own, apart: sourcesApart(sources) };
  return groupClocks(byId, shifts, reference)
    .flatMap((group) => estimateGroup(limited(group), context))
    .sort((a, b) => a.source_id - b.source_id);
}

interface EstimationContext {
  readonly sources: ReadonlyMap<number, ClockFact>;
  readonly grouped: GroupedEvents;
  readonly verdicts: readonly LinkVerdict[];
  readonly own: readonly Shift[];
  /** Sources that have no time in common with any other. */
  readonly apart: ReadonlySet<number>;
}

/** If there are very many data sources, those with most pairs are solved; the others are reported as unknown. */
function limited(group: ClockGroup): ClockGroup {
  if (group.sources.length <= clocks.mostSources) return group;
  const pairs = new Map<number, number>();
  for (const { first, second, pairs: list } of group.shifts)
    for (const id of [first, second]) pairs.set(id, (pairs.get(id) ?? 0) + list.length);
  const fixedSources = new Set(
    [...pairs]
      .sort(([a, x], [b, y]) => y - x || a - b)
      .slice(0, clocks.mostSources)
      .map(([id]) => id),
  );
  fixedSources.add(group.reference);
  return {
    ...group,
    shifts: group.shifts.filter(({ first, second }) => fixedSources.has(first) && fixedSources.has(second)),
  };
}

function estimateGroup(group: ClockGroup, context: EstimationContext): ClockEstimate[] {
  const solved = group.shifts.length === 0 ? new Map<number, Correction>() : offsetsOf(group, context);
  return group.sources.map((id) => estimateClock(id, { group, solved, ...context }));
}

function offsetsOf(
  { reference, shifts }: ClockGroup,
  { sources, own }: EstimationContext,
): ReadonlyMap<number, Correction> {
  const priors: Priors = {
    of: (id) => {
      const source = sources.get(id)!;
      const stated = Number(source.clock_uncertainty_ns) / 1e9 / SIGMAS_95;
      if (id === reference) return PINNED_S;
      if (source.fixed) return Math.max(stated, PINNED_S);
      return stated > 0 ? stated : undefined;
    },
  };
  return settleOffsets(solveOffsets(shifts, own, priors), shifts, own, priors);
}

interface Facts extends EstimationContext {
  readonly group: ClockGroup;
  readonly solved: ReadonlyMap<number, Correction>;
}

function estimateClock(id: number, facts: Facts): ClockEstimate {
  const { group, solved } = facts;
  const source = facts.sources.get(id)!;
  const shifts = group.shifts.filter(({ first, second }) => first === id || second === id);
  const pairs = shifts.flatMap((shift) => shift.pairs);
  const base = {
    source_id: id,
    name: source.name,
    offset_ns: source.clock_offset_ns,
    correction_ns: 0n,
    resolution_ns: nanoseconds(facts.grouped.recorders.get(id)?.resolution_s ?? 0),
    drift_ppm: null,
    perhaps: null,
    pairs: pairs.length,
    refs: pairs.slice(0, LISTED).map(toPair),
  };
  const correction = solved.get(id);
  if (source.fixed) return { ...base, ...manualEstimate(source, facts) };
  if (!correction) return { ...base, ...unknown(source, facts) };
  if (id === group.reference)
    return {
      ...base,
      method: 'reference',
      error: 'none',
      reference: null,
      uncertainty_ns: source.clock_uncertainty_ns,
      remark: `reference for the other clocks (${pairs.length} linked pairs)`,
    };
  return { ...base, ...estimated(source, correction, { shifts, facts, pairs: pairs.length }) };
}

type EstimateFields = Pick<ClockEstimate, 'method' | 'error' | 'reference' | 'uncertainty_ns' | 'remark'> &
  Partial<ClockEstimate>;

/** The manual offset is used; a contradiction by the pairs is only reported. */
function manualEstimate(source: ClockFact, facts: Facts): EstimateFields {
  const estimate: EstimateFields = {
    method: 'given',
    error: 'none',
    reference: null,
    uncertainty_ns: source.clock_uncertainty_ns,
    remark: 'set by the investigator',
  };
  const off = alone(source.source_id, facts);
  if (!off || Math.abs(off.value) <= SIGMAS_95 * off.deviation + Number(source.clock_uncertainty_ns) / 1e9)
    return estimate;
  const ahead = off.value < 0 ? 'ahead' : 'behind';
  return {
    ...estimate,
    remark: `set by the investigator; its linked pairs suggest ${Math.abs(off.value).toFixed(2)} s ${ahead}`,
  };
}

/** Estimate of a manual clock from pairs with other known clocks. */
function alone(id: number, { group, own, sources }: Facts): Correction | undefined {
  const isConfirmedBy = (other: number): boolean =>
    other !== id && (other === group.reference || sources.get(other)?.fixed === true);
  const shifts = group.shifts.filter(
    ({ first, second }) => (first === id && isConfirmedBy(second)) || (second === id && isConfirmedBy(first)),
  );
  if (shifts.length === 0) return undefined;
  return solveOffsets(shifts, own, { of: (other) => (other === id ? undefined : PINNED_S) }).get(id);
}

function estimated(
  source: ClockFact,
  { value, deviation }: Correction,
  { shifts, facts, pairs }: { readonly shifts: readonly Shift[]; readonly facts: Facts; readonly pairs: number },
): EstimateFields {
  const reference = facts.group.reference;
  const name = facts.sources.get(reference)?.name ?? '?';
  const interval = SIGMAS_95 * deviation;
  const zone = zoneOf(value);
  const rest = zone ? zone.residual_s : value;
  // An insignificant error is not corrected; the uncertainty covers it.
  const isRight = Math.abs(rest) <= interval;
  const applied = isRight ? value - rest : value;
  const drift = zone ? null : driftFrom(source.source_id, shifts, reference);
  // One offset is used for a drifting clock: at both ends of the pairs the error is the drift.
  const uncertainty_s = (isRight ? Math.abs(rest) + interval : interval) + (drift?.drifted_s ?? 0);
  const shared = { method: 'linked_pairs', reference, uncertainty_ns: nanoseconds(uncertainty_s) } as const;
  if (zone)
    return {
      ...shared,
      error: 'zone',
      ...correctedBy(source, zone.quarters * QUARTER_S + (isRight ? 0 : rest)),
      remark: zoneText(applied, name),
    };
  const drifting = drift ? { drift_ppm: drift.ppm } : {};
  const also = drift
    ? `; runs ${drift.ppm > 0 ? 'fast' : 'slow'} by ${Math.abs(drift.ppm).toFixed(0)} ppm, the offset is that of the middle of the pairs`
    : '';
  if (isRight) return { ...shared, ...drifting, error: 'none', remark: agreeText(uncertainty_s, name, pairs) + also };
  const offsetText = clockShiftText(value, uncertainty_s, { reference: name, pairs });
  return { ...shared, ...drifting, error: 'shift', ...correctedBy(source, value), remark: offsetText + also };
}

function correctedBy({ clock_offset_ns }: ClockFact, seconds: number) {
  const correction_ns = nanoseconds(seconds);
  return { correction_ns, offset_ns: clock_offset_ns + correction_ns };
}

interface Drifting {
  readonly ppm: number;
  /** From the middle of the pairs to their end. */
  readonly drifted_s: number;
}

/** Drift is reported only relative to the reference itself; a fast clock needs decreasing correction. */
function driftFrom(id: number, shifts: readonly Shift[], reference: number): Drifting | null {
  const direct = shifts.find(({ first, second }) => first === reference || second === reference);
  const drift = direct && driftOf(direct.pairs, direct.first === id ? 1 : -1);
  return drift ? { ppm: -drift.slope * 1e6, drifted_s: Math.abs(drift.slope) * drift.half_span_s } : null;
}

function unknown(source: ClockFact, { verdicts, group, sources, apart }: Facts): EstimateFields {
  const id = source.source_id;
  const own = verdicts.filter(({ first, second }) => first === id || second === id);
  const stated = Number(source.clock_uncertainty_ns) / 1e9;
  const hints = own.flatMap(({ hint }) => {
    if (!hint || Math.abs(hint.shift) > clocks.mostHintedSeconds) return [];
    if (source.isReporter && hint.pairs.length < clocks.reporterPairs) return [];
    // Pairs that fit as they were recorded suggest no error.
    const isAsRecorded = hint.pairs.every(({ low, high }) => low <= 0 && high >= 0);
    return [isAsRecorded ? 0 : Math.abs(hint.shift) + halfWidth(hint.pairs)];
  });
  const uncertainty_s =
    stated > 0 ? stated : Math.max(clocks.unstatedSeconds, Math.min(clocks.mostHintedSeconds, ...leastOf(hints)));
  const estimate = {
    method: 'unknown',
    error: 'unknown',
    reference: null,
    uncertainty_ns: nanoseconds(uncertainty_s),
  } as const;
  const zone = apart.has(id) ? zoneHint(id, own) : null;
  if (zone) {
    const other = sources.get(zone.otherSource)?.name ?? '?';
    const perhaps = {
      correction_ns: nanoseconds(zone.quarters * QUARTER_S),
      otherSource: other,
      refs: refsOf(zone.pairs),
    };
    return { ...estimate, perhaps, remark: perhapsZoneText(perhaps) };
  }
  return {
    ...estimate,
    remark: group.sources.length > clocks.mostSources ? 'not estimated: too many sources' : doubtText(own),
  };
}

/** The smallest of several possible shifts, because any may be chance. */
const leastOf = (hints: readonly number[]): number[] =>
  hints.length === 0 ? [clocks.unstatedSeconds] : [Math.min(...hints)];

const halfWidth = (pairs: readonly Vote[]): number => Math.min(...pairs.map(({ low, high }) => (high - low) / 2));

const refsOf = (pairs: readonly Vote[]): string[] => [
  ...new Set(pairs.map(toPair).flatMap(({ cause_ref, effect_ref }) => [cause_ref, effect_ref])),
];

const toPair = ({ kind, cause_id, effect_id }: Vote): ClockPair => ({
  cause_ref: `event:${cause_id}`,
  effect_ref: `event:${effect_id}`,
  mechanism: kind.name,
});
