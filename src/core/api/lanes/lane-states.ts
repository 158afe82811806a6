import type { Parsed } from '../../../model/contract/index.ts';
import { type EntityKind, severities } from '../../../model/entity.ts';
import { type BandTone, bandTones } from '../../../model/lane-kind.ts';
import { clocksEventReasons, isMetricName, metrics, unnamedReasons } from '../../../model/telemetry/metric.ts';
import { episodeRules } from '../../analysis/derive/rules.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { listText } from '../../store/list-text.ts';
import { queries } from '../../store/queries/index.ts';
import { type Episodes, readEpisodes } from './episodes.ts';
import { type Band, MOST_BANDS, toBands } from './lane-bands.ts';
import type { Reading, Wanted } from './lane-target.ts';

type Window = Parsed<'timeline.data'>;

const REASONS = 'hw.gpu.clocks_event_reasons';

/** Whether the samples of a metric are state codes. */
export const isStateMetric = (metric: string): boolean =>
  metric === REASONS || (isMetricName(metric) && metrics[metric].kind === 'state');

/** State name of a sample; an unknown code stays a number. */
export function stateName(metric: string, value: number): string {
  if (metric === REASONS) return reasonNames(value);
  const known = isMetricName(metric) ? metrics[metric] : undefined;
  const names: Readonly<Record<number, string>> = known && 'states' in known ? known.states : {};
  return names[value] ?? String(value);
}

function reasonNames(mask: number): string {
  if (mask === 0) return 'none';
  const named = clocksEventReasons.filter(([bit]) => (mask & bit) !== 0);
  const rest = unnamedReasons(mask);
  const names = named.map(([, name]) => name.replaceAll('_', ' '));
  return [...names, ...(rest === 0 ? [] : [`0x${rest.toString(16)}`])].join(' + ') || String(mask);
}

/** Tone from the worst event that would be derived from the samples. */
function toneOf(metric: string, value: number, kind: EntityKind): BandTone {
  const label = episodeRules
    .filter((rule) => rule.metric === metric && rule.holds(value))
    .flatMap((rule) => rule.begins(value, kind) ?? []);
  return severities.find((severity) => label.some((one) => one.severity === severity)) ?? 'calm';
}

interface RunRow {
  readonly series: number;
  readonly value: number;
  readonly first_s: number;
  readonly last_s: number;
  readonly is_after_gap: boolean;
  readonly usual_s: number;
}

/** States from samples. */
export async function readStates(
  wanted: readonly Wanted<'state'>[],
  { session, input, answer, signal }: Reading,
): Promise<void> {
  const list = listText(wanted.flatMap(({ target }) => target.series));
  const found = await session.query(queries.laneStates, [input.start_ns, input.end_ns, list], signal);
  const runs = Map.groupBy(rowsOf<RunRow>(found), ({ series }) => series);
  for (const { lane, target } of wanted) {
    const { metric, entityKind } = target;
    const stateLabel = (value: number): StateLabel => ({
      name: stateName(metric, value),
      tone: toneOf(metric, value, entityKind),
    });
    const steps = target.series.flatMap((series) => stepsOf(runs.get(series) ?? [], stateLabel));
    answer(lane, toBands(lane, clip(combine(steps, target.series.length), input)));
  }
}

/** States from events. */
export async function readEpisodeLanes(
  wanted: readonly Wanted<'episodes'>[],
  { session, input, answer, signal }: Reading,
): Promise<void> {
  const targets = wanted.map(({ target }) => target);
  const episodesOf = await readEpisodes(session, targets, signal);
  const seconds = (time_ns: bigint): number => Number(time_ns - input.start_ns) / 1e9;
  for (const { lane, target } of wanted) {
    const episodes = episodesOf(target);
    const bands = inWindow(episodes, input).map(({ from_ns, until_ns, isOpen, tone, name, ref }) => {
      return { start_s: seconds(from_ns), end_s: seconds(until_ns), isOpen, tone, name, ref };
    });
    const [first, last] = [episodes[0], episodes.at(-1)];
    const before = first ? [unknown(Number.NEGATIVE_INFINITY, seconds(first.from_ns))] : [];
    const after = last ? [unknown(seconds(last.until_ns), Number.POSITIVE_INFINITY)] : [];
    answer(lane, toBands(lane, clip([...before, ...bands, ...after], input)));
  }
}

/** One ends where the next begins: a window holds a run of them. */
function inWindow(episodes: Episodes, { start_ns, end_ns }: Window): Episodes {
  let first = 0;
  let end = episodes.length;
  while (first < end) {
    const middle = (first + end) >> 1;
    if (episodes[middle]!.until_ns <= start_ns) first = middle + 1;
    else end = middle;
  }
  for (end = first; end < episodes.length && episodes[end]!.from_ns < end_ns; ) end++;
  return episodes.slice(first, end);
}

interface StateLabel {
  readonly name: string;
  readonly tone: BandTone;
}
/** State of a series from here on; undefined: unknown. */
interface Step {
  readonly at_s: number;
  readonly before: StateLabel | undefined;
  readonly after: StateLabel | undefined;
}

/** Length of a state with a single sample, for drawing. */
const LEAST_S = 0.001;

/** A state lasts until a sample shows another, and beyond the last sample before a silence for one sample's distance. */
function stepsOf(runs: readonly RunRow[], stateLabel: (value: number) => StateLabel): Step[] {
  const steps: Step[] = [];
  let current: StateLabel | undefined;
  const step = (at_s: number, after: StateLabel | undefined): void => {
    steps.push({ at_s, before: current, after });
    current = after;
  };
  runs.forEach(({ value, first_s, last_s, usual_s }, at) => {
    step(first_s, stateLabel(value));
    const next = runs[at + 1];
    if (next && !next.is_after_gap) return;
    step(Math.min(last_s + Math.max(usual_s, LEAST_S), next?.first_s ?? Number.POSITIVE_INFINITY), undefined);
  });
  return steps;
}

/** Combined state of several series of an entity: the worst, and how many have it. */
function combine(steps: readonly Step[], series: number): Band[] {
  const sorted = steps.toSorted((a, b) => a.at_s - b.at_s);
  const counts = new Map<string, { readonly label: StateLabel; count: number }>();
  const bands: Band[] = [];
  let from = Number.NEGATIVE_INFINITY;
  let current = unknown(from, from);
  sorted.forEach(({ at_s, before, after }, at) => {
    const left = before && counts.get(before.name);
    if (left) left.count--;
    if (after) {
      const entered = counts.get(after.name) ?? { label: after, count: 0 };
      entered.count++;
      counts.set(after.name, entered);
    }
    if (sorted[at + 1]?.at_s === at_s) return;
    const next = combinedLabel([...counts.values()], series);
    if (next.name === current.name && next.tone === current.tone) return;
    if (at_s > from) bands.push({ ...current, start_s: from, end_s: at_s });
    from = at_s;
    current = { ...unknown(0, 0), ...next };
  });
  bands.push({ ...current, start_s: from, end_s: Number.POSITIVE_INFINITY });
  return bands;
}

function combinedLabel(
  counts: readonly { readonly label: StateLabel; readonly count: number }[],
  series: number,
): StateLabel {
  const known = counts.filter(({ count }) => count > 0);
  known.sort((a, b) => bandTones.indexOf(a.label.tone) - bandTones.indexOf(b.label.tone) || b.count - a.count);
  const [worst] = known;
  if (!worst) return { name: NOT_RECORDED, tone: 'unknown' };
  const { name, tone } = worst.label;
  return { name: worst.count < series ? `${name} (${worst.count} of ${series})` : name, tone };
}

const NOT_RECORDED = 'not recorded';
const unknown = (start_s: number, end_s: number): Band => ({
  start_s,
  end_s,
  isOpen: false,
  tone: 'unknown',
  name: NOT_RECORDED,
  ref: '',
});

/** Those that lie in the window; if too many, those shorter than a bucket are counted. */
function clip(bands: readonly Band[], { start_ns, end_ns, buckets }: Window): readonly Band[] {
  const length_s = Number(end_ns - start_ns) / 1e9;
  const inside = bands
    .filter(({ start_s, end_s }) => end_s > 0 && start_s < length_s)
    // Nothing crosses the wire that is no number.
    .map((band) => ({
      ...band,
      start_s: Math.max(band.start_s, -length_s),
      end_s: Math.min(band.end_s, 2 * length_s),
    }));
  return inside.length > MOST_BANDS ? gather(inside, length_s / buckets) : inside;
}

function gather(bands: readonly Band[], shortest_s: number): Band[] {
  const gathered: Band[] = [];
  let many: Band[] = [];
  const flush = (): void => {
    const [first] = many;
    const last = many.at(-1);
    if (first && last && many.length > 1) {
      const worst = many.reduce((a, b) => (bandTones.indexOf(b.tone) < bandTones.indexOf(a.tone) ? b : a));
      gathered.push({ ...worst, start_s: first.start_s, end_s: last.end_s, name: `${many.length} changes`, ref: '' });
    } else if (first) gathered.push(first);
    many = [];
  };
  for (const band of bands) {
    const [first] = many;
    if (band.end_s - band.start_s >= shortest_s || (first && band.end_s - first.start_s >= shortest_s)) flush();
    if (band.end_s - band.start_s >= shortest_s) gathered.push(band);
    else many.push(band);
  }
  flush();
  return gathered;
}
