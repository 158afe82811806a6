import { jsonMembers } from '../../../base/json-members.ts';
import type { DerivedEvent } from '../../../model/telemetry/derived-event.ts';
import { NO_DETAILS } from '../../../model/telemetry/event-details.ts';
import { isMetricName, type MetricName } from '../../../model/telemetry/metric.ts';
import type { ChangeFact, LevelFact, Reader, WatchedSeries } from '../../store/facts/reader.ts';
import { derive } from './parameters.ts';
import {
  componentErrors,
  type EpisodeRule,
  type EventWording,
  episodeRules,
  type GrowthRule,
  growthRules,
  limitRules,
} from './rules.ts';

const episodeMetrics = new Set<string>(episodeRules.map(({ metric }) => metric));
/** Metrics with rules on every change. */
export const changeMetrics: readonly string[] = [
  ...episodeMetrics,
  ...Object.keys(growthRules),
  'hw.errors',
  'hw.gpu.xid',
  'hw.power.limit',
  'hw.pcie.link.width',
];
const levelMetrics = Object.keys(limitRules);

/** All metrics from which events are derived. */
export const eventMetrics: readonly string[] = [...changeMetrics, ...levelMetrics];

/** All events derived from metric samples. Reads only samples with a change. */
export async function deriveEvents(reader: Reader): Promise<DerivedEvent[]> {
  const watched = await reader.watchedSeries(eventMetrics);
  if (watched.length === 0) return [];
  const changes = Map.groupBy(await reader.watchedChanges(changeMetrics), ({ series_id }) => series_id);
  const lines = watched.flatMap((series) => limitLine(series) ?? []);
  const levels = Map.groupBy(await reader.watchedLevels(lines), ({ series_id }) => series_id);
  return inOrderOfTime(
    watched.map((series) =>
      eventsOfSeries(series, {
        changes: changes.get(series.series_id) ?? [],
        levels: levels.get(series.series_id) ?? [],
      }),
    ),
  );
}

/** Events with equal times are in series order. */
export const inOrderOfTime = (events: readonly (readonly DerivedEvent[])[]): DerivedEvent[] =>
  events.flat().sort((a, b) => (a.time_ns < b.time_ns ? -1 : a.time_ns > b.time_ns ? 1 : 0));

/** Events of one series, from its changes and, if it has limits ({@link limitLine}), its excursions. */
export const eventsOfSeries = (
  series: WatchedSeries,
  { changes, levels }: { readonly changes: readonly ChangeFact[]; readonly levels: readonly LevelFact[] },
): DerivedEvent[] => [...fromChanges(series, changes), ...fromLevels(series, levels)];

function fromChanges(series: WatchedSeries, changes: readonly ChangeFact[]): DerivedEvent[] {
  const metric = series.metric as MetricName;
  const growth = metric === 'hw.errors' ? errorsOf(series) : growthRules[metric];
  if (growth) return growths(series, changes, growth);
  if (metric === 'hw.gpu.xid') return xids(series, changes);
  if (metric === 'hw.power.limit') return caps(series, changes);
  if (metric === 'hw.pcie.link.width') return narrowings(series, changes);
  return episodeRules.filter((rule) => rule.metric === metric).flatMap((rule) => episodes(series, changes, rule));
}

function errorsOf({ attributes }: WatchedSeries): EventWording | undefined {
  const stated = jsonMembers(attributes);
  const of = (name: string) => stated[name] ?? stated[name.replace('.', '_')];
  return componentErrors(of('hw.type'), of('error.type'));
}

interface Where {
  readonly series: WatchedSeries;
  readonly at: ChangeFact;
  readonly name: string;
}

function event(
  { series, at, name }: Where,
  wording: EventWording,
  more: Readonly<Record<string, unknown>> = {},
): DerivedEvent {
  const stated = jsonMembers(series.attributes);
  return {
    id: `derived:${series.series_id}:${name}:${at.time_ns}`,
    source_id: at.source_id,
    time_ns: at.time_ns,
    entity: series.entity,
    type: wording.type,
    severity: wording.severity,
    message: `${labelOf(stated)}${wording.message}`,
    details: wording.details ?? NO_DETAILS,
    attributes: {
      ...more,
      derived_from: {
        metric: series.metric,
        unit: series.unit,
        ...(Object.keys(stated).length > 0 ? { series: stated } : {}),
        samples: [
          ...(at.before_ns === null ? [] : [{ time_ns: String(at.before_ns), value: at.before_value }]),
          { time_ns: String(at.time_ns), value: at.value },
        ],
        // The true time lies between two samples; shorter bursts are invisible.
        sampling_floor_s: floorOf(at),
      },
    },
  };
}

/** Seconds in which it happened: usually those between two samples, and more where samples were missing before. null: unknown. */
function floorOf({ floor_s, time_ns, before_ns }: ChangeFact): number | null {
  if (before_ns === null) return floor_s;
  const since_s = Number(time_ns - before_ns) / 1e9;
  return since_s > derive.pauseSamples * (floor_s ?? 0) ? since_s : floor_s;
}

/** Label of a series of one metric on one device: `inlet temperature: `. */
function labelOf(stated: Readonly<Record<string, unknown>>): string {
  const named = ['name', 'sensor', 'phase', 'line', 'bank', 'link'].find(
    (key) => typeof stated[key] === 'string' && stated[key] !== '',
  );
  return named === undefined ? '' : `${stated[named]}: `;
}

/** Time ranges in which the rule applies; a gap shorter than the hold time does not end one. */
function episodes(series: WatchedSeries, changes: readonly ChangeFact[], rule: EpisodeRule): DerivedEvent[] {
  const derived: DerivedEvent[] = [];
  let since: ChangeFact | undefined;
  let until: ChangeFact | undefined;
  const close = () => {
    const wording = since && until ? rule.ends?.(series.entity_kind) : undefined;
    if (until && wording) derived.push(event({ series, at: until, name: `${rule.name} end` }, wording));
    since = undefined;
    until = undefined;
  };
  for (const at of changes) {
    const holds = rule.holds(at.value);
    if (holds && since && until && !resumed(until, at)) close();
    if (holds && since) until = undefined;
    else if (holds) {
      since = at;
      const begun = beginning(series, at, rule);
      if (begun) derived.push(begun);
    } else if (since && !until) until = at;
  }
  close();
  return derived;
}

function resumed(until: ChangeFact, at: ChangeFact): boolean {
  const gap = Number(at.clock_ns - until.clock_ns) / 1e9;
  return gap <= Math.max(derive.pauseSeconds, derive.pauseSamples * (at.floor_s ?? 0));
}

/** An empty slot, an unused outlet or port, a spare unit: what is so from the first sample is no event. */
const mayBeMeant: ReadonlySet<MetricName> = new Set([
  'hw.present',
  'hw.outlet.state',
  'hw.link.state',
  'hw.cooling.state',
]);

function beginning(series: WatchedSeries, at: ChangeFact, rule: EpisodeRule): DerivedEvent | undefined {
  const begun = rule.begins(at.value, series.entity_kind);
  if (!begun) return undefined;
  const reasons = rule.metric === 'hw.gpu.clocks_event_reasons' ? { clocks_event_reasons: at.value } : {};
  const wording = { ...begun, details: { ...begun.details, ...reasons } };
  if (at.before_value !== null) return event({ series, at, name: rule.name }, wording);
  // A state in the first sample began before it: reported as such, not as a start.
  if (mayBeMeant.has(rule.metric)) return undefined;
  const before = {
    ...wording,
    severity: 'low' as const,
    message: `${wording.message} (already present at the start of the recording)`,
  };
  return event({ series, at, name: rule.name }, before, { began_before_recording: true });
}

function growths(series: WatchedSeries, changes: readonly ChangeFact[], rule: GrowthRule): DerivedEvent[] {
  const derived: DerivedEvent[] = [];
  const { leastPerSecond, ends, ...wording } = rule;
  const least = leastPerSecond?.() ?? 0;
  let last: ChangeFact | undefined;
  const close = () => {
    if (last && ends) derived.push(event({ series, at: last, name: 'growth end' }, ends));
  };
  for (const at of changes) {
    if (at.before_value === null || at.before_ns === null || at.value <= at.before_value) continue;
    const grown = at.value - at.before_value;
    if (grown < (least * Number(at.time_ns - at.before_ns)) / 1e9) continue;
    // One burst is one event: its first growth.
    if (!last || !resumed(last, at)) {
      close();
      derived.push(
        event({ series, at, name: 'growth' }, { ...wording, message: `${wording.message}: +${grown}` }, { grown }),
      );
    }
    last = at;
  }
  close();
  return derived;
}

/** The gauge keeps the last Xid; the first sample may show an old Xid and is no event. */
function xids(series: WatchedSeries, changes: readonly ChangeFact[]): DerivedEvent[] {
  return changes
    .filter((at) => at.before_value !== null && at.value > 0 && Number.isSafeInteger(at.value))
    .map((at) =>
      event(
        { series, at, name: 'xid' },
        { type: 'xid_error', severity: 'high', message: `Xid ${at.value}`, details: { xid: at.value } },
        { xid: at.value },
      ),
    );
}

function caps(series: WatchedSeries, changes: readonly ChangeFact[]): DerivedEvent[] {
  return changes.flatMap((at) => {
    const { value, before_value: before } = at;
    if (before === null || before <= 0 || Math.abs(value - before) < derive.capStepShare * before) return [];
    const message = `power limit ${round(before)} W -> ${round(value)} W`;
    const details = { limit: { from: round(before), to: round(value) } };
    const lowered = series.entity_kind === 'gpu' ? 'power_cap_applied' : 'cpu_power_cap';
    const wording: EventWording =
      value < before
        ? { type: lowered, severity: 'medium', message, details }
        : { type: 'power_cap_removed', severity: 'low', message, details };
    return [event({ series, at, name: 'cap' }, wording)];
  });
}

/**
 * Lost lanes relative to the maximum in the recording: links save power by speed, never by width. Zero lanes are no link, which
 * other rules report.
 */
function narrowings(series: WatchedSeries, changes: readonly ChangeFact[]): DerivedEvent[] {
  let most = 0;
  let last = 0;
  return changes.flatMap((at) => {
    const before = last;
    if (at.value <= 0) return [];
    last = at.value;
    most = Math.max(most, last);
    if (before === 0 || last === before) return [];
    if (last < before) {
      const message = `PCIe link x${before} -> x${last}, of x${most}`;
      return [event({ series, at, name: 'width' }, { type: 'pcie_link_degraded', severity: 'high', message })];
    }
    if (last < most) return [];
    const message = `PCIe link x${before} -> x${last}`;
    return [event({ series, at, name: 'width' }, { type: 'pcie_link_restored', severity: 'low', message })];
  });
}

const round = (value: number): number => Number(value.toPrecision(5));

/** Names of limits that importers put into the attributes of a series, the tightest first. */
const lowNames = ['lower_warning', 'lower_critical', 'lower_fatal'];
const highNames = ['upper_warning', 'upper_critical', 'upper_fatal'];
interface Limits {
  readonly low: number | undefined;
  readonly high: number | undefined;
}

/** `series,low,low_back,high,high_back` for a series that has limits. */
export function limitLine(series: WatchedSeries): string | undefined {
  const rule = isMetricName(series.metric) ? limitRules[series.metric] : undefined;
  if (!rule) return undefined;
  const { low, high } = limitsOf(series, rule.ofMedian);
  const used: Limits = { low: rule.below ? low : undefined, high: rule.above ? high : undefined };
  if (used.low === undefined && used.high === undefined) return undefined;
  const back = (limit: number | undefined, way: 1 | -1) =>
    limit === undefined ? '' : String(limit + way * derive.hysteresisShare * Math.abs(limit));
  return [series.series_id, used.low ?? '', back(used.low, 1), used.high ?? '', back(used.high, -1)].join();
}

function limitsOf({ attributes, samples, median }: WatchedSeries, ofMedian?: { low: number; high: number }): Limits {
  const stated = jsonMembers(attributes);
  const first = (names: readonly string[]) =>
    names
      .map((name) => stated[name])
      .find((value): value is number => typeof value === 'number' && Number.isFinite(value));
  const low = first(lowNames);
  const high = first(highNames);
  if (low !== undefined || high !== undefined || !ofMedian) return { low, high };
  // A supply that is usually off has no normal voltage.
  if (samples < derive.baselineSamples || median === null || !(median > derive.leastMedianVolts))
    return { low: undefined, high: undefined };
  return { low: ofMedian.low * median, high: ofMedian.high * median };
}

function fromLevels(series: WatchedSeries, levels: readonly LevelFact[]): DerivedEvent[] {
  const rule = limitRules[series.metric as MetricName];
  if (!rule) return [];
  const { low, high } = limitsOf(series, rule.ofMedian);
  return levels.flatMap((level) => {
    const { side, before_side: before, value } = level;
    const wording = side < 0 ? rule.below : side > 0 ? rule.above : before === null ? undefined : rule.back;
    if (!wording) return [];
    const limit = (side < 0 ? low : side > 0 ? high : undefined) ?? null;
    const eventFields = {
      ...wording,
      message: `${wording.message}: ${round(value)} ${series.unit}`,
      details: side === 0 ? NO_DETAILS : { passed: { value: round(value), limit, unit: series.unit } },
    };
    const at: ChangeFact = level;
    if (before !== null) return [event({ series, at, name: `side ${side}` }, eventFields)];
    const early = {
      ...eventFields,
      severity: 'low' as const,
      message: `${eventFields.message} (already present at the start of the recording)`,
    };
    return [event({ series, at, name: `side ${side}` }, early, { began_before_recording: true })];
  });
}
