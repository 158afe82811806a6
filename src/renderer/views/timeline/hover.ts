import type { IncidentView } from '../../../model/contract/index.ts';
import { severities } from '../../../model/entity.ts';
import { bandTones } from '../../../model/lane-kind.ts';
import { nanos } from '../../../model/time.ts';
import { timeAt, xOf } from '../../draw/canvas/time-scale.ts';
import { clockText } from '../../draw/text/format-clock.ts';
import { datedWithin, formatDuration, formatOffset, formatTime, type TimeFormat } from '../../draw/text/format-time.ts';
import { formatProbability, formatValue, likelihood, readableType } from '../../draw/text/format-value.ts';
import { hitBand, isUnknown } from '../../draw/timeline/bands.ts';
import { hitMark } from '../../draw/timeline/chain-arrows.ts';
import { hitEvent } from '../../draw/timeline/hit.ts';
import { laneWhat, logsText } from '../../draw/timeline/lane-text.ts';
import { valueText } from '../../draw/timeline/paint-values.ts';
import { eventLine, type LaneRow, rowAt } from '../../draw/timeline/row-layout.ts';
import { bandRect, eventRect, type LaneEntry, type Scene, STILL, silenceAt } from '../../draw/timeline/scene.ts';
import { laneClock } from './lane-clocks.ts';

/** What lies under the mouse: what it is, in lines of text, and what a click would select. */
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

/** A mark that stands on a corrected clock also tells when it was recorded. */
export function findHover(scene: Scene, hoverInput: HoverInput): Hover | null {
  const { scale } = scene;
  const input = { ...hoverInput, format: datedWithin(scale.width * scale.nsPerPixel, hoverInput.format) };
  const row = rowAt(scene.layout, input.y + scene.scrollTop);
  const hover = withOutage(findMark(scene, input), row, scene, input);
  const clock = row?.kind === 'lane' ? laneClock(row) : null;
  // A step of the chain stands where it was concluded to be, whatever is being set.
  const isStep = clock?.how === 'being set' && hitMark(scene.marks, input.x, input.y) !== undefined;
  if (!hover || !clock || isStep || hover.timeNs === null) return hover;
  const raw = nanos(hover.timeNs - clock.offsetNs);
  const correction = clockText({ clock_offset_ns: clock.offsetNs, clock_uncertainty_ns: clock.uncertaintyNs });
  const words = `recorded at ${formatTime(raw, input.format)}; clock of ${clock.name} ${correction}, ${clock.how}`;
  return { ...hover, ghostX: xOf(scene.scale, raw), lines: [...hover.lines, words] };
}

/** Where the feed of a lane was down, that is told with whatever else is there; the feed says why, or its silence only that. */
function withOutage(hover: Hover | null, row: ReturnType<typeof rowAt>, scene: Scene, input: HoverInput): Hover | null {
  if (row?.kind !== 'lane' || hover?.ref) return hover;
  const silence = silenceAt(scene.silences(row), timeAt(scene.scale, input.x));
  if (!silence) return hover;
  const { format } = input;
  const from = `from ${formatTime(nanos(silence.startNs), format)}`;
  const isOver = silence.endNs < STILL;
  const lasted = isOver ? ` for ${formatDuration(Number(silence.endNs - silence.startNs))}` : ', still';
  const why = silence.reason ?? 'nothing of that source was recorded';
  const words = [`its feed was down ${from}${lasted}`, why];
  const what = `${laneWhat(row.lane)} of ${row.lane.entity_id}`;
  return hover ? { ...hover, lines: [...hover.lines, ...words] } : note(input, [what, ...words]);
}

function findMark(scene: Scene, question: HoverInput): Hover | null {
  const mark = hitMark(scene.marks, question.x, question.y);
  if (mark && question.incident) return hoverStep(question.incident, mark.order - 1, mark, question.format);
  const row = rowAt(scene.layout, question.y + scene.scrollTop);
  if (row?.kind === 'layer')
    return row.missing ? note(question, [`${row.layer} was not recorded: nothing is known about it`]) : null;
  if (row?.kind !== 'lane') return null;
  const entry = scene.entry(row.lane.id);
  if (!entry) return null;
  switch (entry.data.kind) {
    case 'events':
      return hoverEvent(scene, row, entry, question);
    case 'metric':
      return hoverMetric(scene, row, entry, question);
    case 'bands':
      return hoverBand(scene, row, entry, question);
    case 'logs':
      return hoverLogs(scene, row, entry, question);
    case 'broken':
      return note(question, ['This lane is not drawn', entry.data.message]);
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
    `${index + 1}  ${readableType(step.type)} on ${step.device}`,
    step.summary,
    formatTime(nanos(step.time_ns), format),
  ];
  const cause = step.cause === null ? undefined : view.steps[step.cause];
  if (cause) {
    const lag = formatOffset(Number(step.time_ns - cause.time_ns), 2);
    const sure =
      step.edge_probability === null
        ? 'by no known mechanism'
        : `${formatProbability(step.edge_probability)} ${likelihood(step.edge_probability)}`;
    lines.push(
      `${lag} after its cause, step ${(step.cause ?? 0) + 1}; link ${sure}${step.undecided ? '; order undecided because of clocks' : ''}`,
    );
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
  const type = data.types[data.type[hit.index]!] ?? 'event';
  const severity = severities[data.severity[hit.index]!] ?? 'low';
  const lines = [`${readableType(type)} on ${row.lane.entity_id}`, `${severity}, ${formatTime(timeNs, format)}`];
  if (hit.together > 1) lines.push(`worst of ${hit.together} in this place; zoom in to tell them apart`);
  if (data.truncated) lines.push('milder ones are counted only, as columns');
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

function hoverBand(scene: Scene, row: LaneRow, entry: LaneEntry, question: HoverInput): Hover | null {
  const { data } = entry;
  if (data.kind !== 'bands') return null;
  const { lane } = row;
  const what = `${laneWhat(lane)} of ${lane.entity_id}`;
  const at = timeAt(scene.scale, question.x);
  if (data.truncated) {
    const rate = valueText(row, entry, at);
    return note(question, [
      what,
      `${rate} at ${formatTime(at, question.format)}`,
      'zoom in to tell them apart; click for rows',
    ]);
  }
  const box = bandRect(scene, row, entry);
  const hit = hitBand(data, box, question.x, question.y);
  if (hit < 0) return note(question, [what, `none at ${formatTime(at, question.format)}`]);
  const name = data.names[data.name[hit]!] ?? '';
  if (isUnknown(data, hit)) return note(question, [what, name]);
  const [from, until] = [data.start_s[hit]!, data.end_s[hit]!];
  const timeNs = nanos(entry.startNs + BigInt(Math.round(from * 1e9)));
  const tone = bandTones[data.tone[hit]!] ?? 'unknown';
  const lasted = formatDuration((until - from) * 1e9);
  const lines = [
    name === '' ? what : `${name}, ${what}`,
    data.is_open[hit] === 1
      ? `from ${formatTime(timeNs, question.format)}; its end was not recorded`
      : `from ${formatTime(timeNs, question.format)} for ${lasted}`,
  ];
  if (tone !== 'calm') lines.push(lane.kind === 'spans' ? 'failed' : tone);
  const ref = data.refs[hit] || null;
  return { x: question.x, y: question.y, ring: false, ghostX: null, ref, timeNs, lines };
}

/** Records are a pixel wide: those within reach are told together. */
const REACH_PX = 4;

function hoverLogs(scene: Scene, row: LaneRow, entry: LaneEntry, question: HoverInput): Hover | null {
  const { data } = entry;
  if (data.kind !== 'logs') return null;
  const bucketAt = (x: number): number => Math.floor(Number(timeAt(scene.scale, x) - entry.startNs) / entry.bucketNs);
  const counts = logsText(data, bucketAt(question.x - REACH_PX), bucketAt(question.x + REACH_PX));
  const at = formatTime(timeAt(scene.scale, question.x), question.format);
  return note(question, [`logs of ${row.lane.entity_id}`, `${counts || 'no records'} about ${at}`, 'click for rows']);
}

function hoverMetric(scene: Scene, row: LaneRow, entry: LaneEntry, question: HoverInput): Hover | null {
  const { data } = entry;
  if (data.kind !== 'metric') return null;
  const at = timeAt(scene.scale, question.x);
  const bucket = Math.floor(Number(at - entry.startNs) / entry.bucketNs);
  const low = data.min[bucket] ?? Number.NaN;
  const high = data.max[bucket] ?? Number.NaN;
  const lines = [
    `${row.lane.metric} of ${row.lane.entity_id}`,
    `${valueText(row, entry, at) || 'no data'} at ${formatTime(at, question.format)}`,
  ];
  if (high > low)
    lines.push(`${formatValue(low, row.lane.unit)} to ${formatValue(high, row.lane.unit)} within this pixel`);
  return note(question, lines);
}
