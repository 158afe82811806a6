import type { IncidentView } from '../../../model/contract/index.ts';
import { severities } from '../../../model/entity.ts';
import { deviceName } from '../../../model/incident/chain-folds.ts';
import { bandTones } from '../../../model/lane-kind.ts';
import { nanos } from '../../../model/time.ts';
import { timeAt, xOf } from '../../draw/canvas/time-scale.ts';
import { laneEntity } from '../../draw/tables/row-tree.ts';
import { clockText } from '../../draw/text/format-clock.ts';
import { datedWithin, formatDuration, formatOffset, formatTime, type TimeFormat } from '../../draw/text/format-time.ts';
import { formatProbability, formatValue, likelihood, readableType } from '../../draw/text/format-value.ts';
import { hitBand, isUnknown } from '../../draw/timeline/bands.ts';
import { hitMark } from '../../draw/timeline/chain-arrows.ts';
import { hitEvent } from '../../draw/timeline/hit.ts';
import { laneWhat, logsText } from '../../draw/timeline/lane-text.ts';
import { sampleAt } from '../../draw/timeline/metric-line.ts';
import { valueText } from '../../draw/timeline/paint-values.ts';
import { eventLine, type LaneRow, rowAt } from '../../draw/timeline/row-layout.ts';
import { bandRect, eventRect, type LaneEntry, type Scene, STILL, silenceAt } from '../../draw/timeline/scene.ts';
import { laneClock } from './lane-clocks.ts';
import { messages } from './messages.ts';

/** What is under the mouse: its text, and the record that a click selects. */
export interface Hover {
  readonly x: number;
  readonly y: number;
  readonly ring: boolean;
  readonly ghostX: number | null;
  readonly ref: string | null;
  readonly timeNs: bigint | null;
  readonly lines: readonly string[];
}

export interface HoverInput {
  readonly x: number;
  readonly y: number;
  readonly format: TimeFormat;
  readonly incident: IncidentView | null;
}

/** The hover of a position; on a corrected clock, it also shows the recorded time. */
export function findHover(scene: Scene, hoverInput: HoverInput): Hover | null {
  const { scale } = scene;
  const input = { ...hoverInput, format: datedWithin(scale.width * scale.nsPerPixel, hoverInput.format) };
  const row = rowAt(scene.layout, input.y + scene.scrollTop);
  const hover = withOutage(findMark(scene, input), row, scene, input);
  const clock = row?.kind === 'lane' ? laneClock(row) : null;
  // A chain step stays at its concluded time while a clock is edited.
  const isStep = clock?.how === 'being set' && hitMark(scene.marks, input.x, input.y) !== undefined;
  if (!hover || !clock || isStep || hover.timeNs === null) return hover;
  const raw = nanos(hover.timeNs - clock.offsetNs);
  const correction = clockText({ clock_offset_ns: clock.offsetNs, clock_uncertainty_ns: clock.uncertaintyNs });
  const words = messages.hover.recorded(formatTime(raw, input.format), clock.name, correction, clock.how);
  return { ...hover, ghostX: xOf(scene.scale, raw), lines: [...hover.lines, words] };
}

/** Adds an outage of the lane's feed to the hover, with the reason that the feed reported, if any. */
function withOutage(hover: Hover | null, row: ReturnType<typeof rowAt>, scene: Scene, input: HoverInput): Hover | null {
  if (row?.kind !== 'lane' || hover?.ref) return hover;
  const silence = silenceAt(scene.silences(row), timeAt(scene.scale, input.x));
  if (!silence) return hover;
  const { format } = input;
  const from = messages.hover.from(formatTime(nanos(silence.startNs), format));
  const isOver = silence.endNs < STILL;
  const lasted = isOver
    ? messages.hover.lasted(formatDuration(Number(silence.endNs - silence.startNs)))
    : messages.hover.ongoing;
  const why = silence.reason ?? messages.hover.nothingRecorded;
  const words = [messages.hover.feedDown(`${from}${lasted}`), why];
  const what = messages.hover.of(laneWhat(row.lane), laneEntity(row.lane));
  return hover ? { ...hover, lines: [...hover.lines, ...words] } : note(input, [what, ...words]);
}

function findMark(scene: Scene, input: HoverInput): Hover | null {
  const mark = hitMark(scene.marks, input.x, input.y);
  if (mark && input.incident) return hoverStep(input.incident, mark.order - 1, mark, input.format);
  const row = rowAt(scene.layout, input.y + scene.scrollTop);
  if (row?.kind === 'layer') return row.missing ? note(input, [messages.hover.layerMissing(row.layer)]) : null;
  if (row?.kind !== 'lane') return null;
  const entry = scene.entry(row.lane.id);
  if (!entry) return null;
  switch (entry.data.kind) {
    case 'events':
      return hoverEvent(scene, row, entry, input);
    case 'metric':
      return hoverMetric(scene, row, entry, input);
    case 'bands':
      return hoverBand(scene, row, entry, input);
    case 'logs':
      return hoverLogs(scene, row, entry, input);
    case 'broken':
      return note(input, [messages.hover.laneFailed, entry.data.message]);
  }
}

const note = ({ x, y }: HoverInput, lines: readonly string[]): Hover => ({
  x,
  y,
  ring: false,
  ghostX: null,
  ref: null,
  timeNs: null,
  lines,
});

function hoverStep(
  view: IncidentView,
  index: number,
  at: { readonly x: number; readonly y: number },
  format: TimeFormat,
): Hover | null {
  const step = view.steps[index];
  if (!step) return null;
  const lines = [
    messages.hover.step(index + 1, readableType(step.type), deviceName(step)),
    step.summary,
    formatTime(nanos(step.time_ns), format),
  ];
  const cause = step.cause === null ? undefined : view.steps[step.cause];
  if (cause) {
    const lag = formatOffset(Number(step.time_ns - cause.time_ns), 2);
    const sure =
      step.edge_probability === null
        ? messages.hover.noMechanism
        : `${formatProbability(step.edge_probability)} ${likelihood(step.edge_probability)}`;
    lines.push(messages.hover.link(lag, (step.cause ?? 0) + 1, sure, step.undecided));
  }
  return { x: at.x, y: at.y, ring: false, ghostX: null, ref: step.ref, timeNs: step.time_ns, lines };
}

function hoverEvent(scene: Scene, row: LaneRow, entry: LaneEntry, { x, format }: HoverInput): Hover | null {
  const { data } = entry;
  if (data.kind !== 'events') return null;
  const rect = eventRect(scene, row, entry);
  const hit = hitEvent(data, rect, x);
  if (!hit) return null;
  const timeNs = nanos(entry.startNs + BigInt(Math.round(data.offset_s[hit.index]! * 1e9)));
  const type = data.types[data.type[hit.index]!] ?? messages.hover.event;
  const severity = severities[data.severity[hit.index]!] ?? 'low';
  const lines = [
    messages.hover.on(readableType(type), laneEntity(row.lane)),
    `${severity}, ${formatTime(timeNs, format)}`,
  ];
  if (hit.together > 1) lines.push(messages.hover.together(hit.together));
  if (data.truncated) lines.push(messages.hover.counted);
  return {
    x: hit.x,
    y: eventLine(rect.y, rect.height),
    ring: true,
    ghostX: null,
    ref: `event:${data.event_id[hit.index]}`,
    timeNs,
    lines,
  };
}

function hoverBand(scene: Scene, row: LaneRow, entry: LaneEntry, input: HoverInput): Hover | null {
  const { data } = entry;
  if (data.kind !== 'bands') return null;
  const { lane } = row;
  const what = messages.hover.of(laneWhat(lane), laneEntity(lane));
  const at = timeAt(scene.scale, input.x);
  if (data.truncated) {
    const rate = valueText(row, entry, at);
    return note(input, [what, messages.hover.at(rate, formatTime(at, input.format)), messages.hover.zoomOrClick]);
  }
  const box = bandRect(scene, row, entry);
  const hit = hitBand(data, box, input.x, input.y);
  if (hit < 0) return note(input, [what, messages.hover.at(messages.hover.none, formatTime(at, input.format))]);
  const name = data.names[data.name[hit]!] ?? '';
  if (isUnknown(data, hit)) return note(input, [what, name]);
  const [from, until] = [data.start_s[hit]!, data.end_s[hit]!];
  const timeNs = nanos(entry.startNs + BigInt(Math.round(from * 1e9)));
  const tone = bandTones[data.tone[hit]!] ?? 'unknown';
  const lasted = formatDuration((until - from) * 1e9);
  const lines = [
    name === '' ? what : `${name}, ${what}`,
    data.is_open[hit] === 1
      ? messages.hover.openEnd(formatTime(timeNs, input.format))
      : messages.hover.fromFor(formatTime(timeNs, input.format), lasted),
  ];
  if (tone !== 'calm') lines.push(lane.kind === 'spans' ? messages.hover.failed : tone);
  const ref = data.refs[hit] || null;
  return { x: input.x, y: input.y, ring: false, ghostX: null, ref, timeNs, lines };
}

/** Records are a pixel wide, so those within reach are counted together. */
const REACH_PX = 4;

function hoverLogs(scene: Scene, row: LaneRow, entry: LaneEntry, input: HoverInput): Hover | null {
  const { data } = entry;
  if (data.kind !== 'logs') return null;
  const bucketAt = (x: number): number => Math.floor(Number(timeAt(scene.scale, x) - entry.startNs) / entry.bucketNs);
  const counts = logsText(data, bucketAt(input.x - REACH_PX), bucketAt(input.x + REACH_PX));
  const at = formatTime(timeAt(scene.scale, input.x), input.format);
  return note(input, [
    messages.hover.of(messages.hover.logs, laneEntity(row.lane)),
    messages.hover.near(counts || messages.hover.noRecords, at),
    messages.hover.clickForRows,
  ]);
}

function hoverMetric(scene: Scene, row: LaneRow, entry: LaneEntry, input: HoverInput): Hover | null {
  const { data } = entry;
  if (data.kind !== 'metric') return null;
  const at = timeAt(scene.scale, input.x);
  const bucket = Math.floor(Number(at - entry.startNs) / entry.bucketNs);
  const low = data.min[bucket] ?? Number.NaN;
  const high = data.max[bucket] ?? Number.NaN;
  const lines = [
    messages.hover.of(row.lane.metric, laneEntity(row.lane)),
    messages.hover.at(valueText(row, entry, at) || messages.hover.noData, formatTime(at, input.format)),
  ];
  const sample = sampleAt(data, bucket, entry.shape?.gapBuckets ?? 1);
  if (sample >= 0 && sample < bucket) {
    const sampledNs = entry.startNs + BigInt(Math.round(sample * entry.bucketNs));
    lines.push(messages.hover.sampled(formatTime(nanos(sampledNs), input.format)));
  }
  if (high > low)
    lines.push(messages.hover.withinPixel(formatValue(low, row.lane.unit), formatValue(high, row.lane.unit)));
  return note(input, lines);
}
