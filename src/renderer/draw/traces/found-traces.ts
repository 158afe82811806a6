import type { FoundTrace } from '../../../model/contract/index.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { messages } from '../messages.ts';
import { cellMarkdown } from '../text/format-record.ts';
import { formatDuration, formatTime, type TimeFormat } from '../text/format-time.ts';
import { formatNumber } from '../text/format-value.ts';

/** `api: HTTP GET`; marks a trace without a recorded root. */
export function traceRootText({ root_service, root_name, root_recorded }: FoundTrace): string {
  const name = `${root_service ?? messages.unknownService}: ${root_name ?? messages.unnamed}`;
  return root_recorded ? name : messages.noRoot(name);
}

export const tracesJson = (query: string, traces: readonly FoundTrace[]): string =>
  JSON.stringify({ query, traces }, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value), 2);

export function tracesMarkdown(query: string, traces: readonly FoundTrace[], format: TimeFormat): string {
  const unit = format.mode === 'utc' ? messages.utc : format.mode === 'local' ? messages.local : messages.fromOnset;
  return [
    messages.tracesTitle(query.replaceAll('`', "'"), extentText(traces)),
    '',
    messages.tracesHead(unit),
    '| --- | --- | ---: | ---: | ---: | ---: | --- |',
    ...traces.map(
      (trace) =>
        `| ${cellMarkdown(traceRootText(trace))} | ${formatTime(nanos(trace.start_ns), format)} | ${formatDuration(trace.duration_ms * 1e6)} | ${formatNumber(trace.spans)} | ${formatNumber(trace.errors)} | ${formatNumber(trace.matched)} | \`${trace.ref}\` |`,
    ),
  ].join('\n');
}

/** A time of day is ambiguous in a document that is read on another day. */
function extentText(traces: readonly FoundTrace[]): string {
  const starts = traces.map(({ start_ns }) => start_ns).sort((a, b) => (a < b ? -1 : Number(a > b)));
  const [first, last] = [starts[0], starts.at(-1)];
  if (first === undefined || last === undefined) return '';
  return first === last
    ? messages.startedAt(formatUtc(nanos(first)))
    : messages.startedBetween(formatUtc(nanos(first)), formatUtc(nanos(last)));
}

export interface ScatterPoint {
  readonly trace: FoundTrace;
  readonly x: number;
  readonly y: number;
}

export interface Scatter {
  readonly points: readonly ScatterPoint[];
  readonly startNs: bigint;
  readonly nsPerPixel: number;
  readonly least_ms: number;
  readonly most_ms: number;
}

/** Milliseconds at a y position of the scatter plot. */
export function durationAt({ least_ms, most_ms }: Scatter, y: number, height: number): number {
  const part = Math.min(1, Math.max(0, (height - PAD - y) / (height - 2 * PAD)));
  return least_ms * (most_ms / Math.max(least_ms, 1e-3)) ** part;
}

const PAD = 8;

/** Duration over start time; the duration axis is logarithmic, because durations span many orders of magnitude. */
export function layoutScatter(traces: readonly FoundTrace[], width: number, height: number): Scatter | null {
  const [first] = traces;
  if (!first || width < 4 * PAD) return null;
  let [startNs, endNs, least_ms, most_ms] = [first.start_ns, first.start_ns, first.duration_ms, first.duration_ms];
  for (const { start_ns, duration_ms } of traces) {
    if (start_ns < startNs) startNs = start_ns;
    if (start_ns > endNs) endNs = start_ns;
    least_ms = Math.min(least_ms, duration_ms);
    most_ms = Math.max(most_ms, duration_ms);
  }
  const log = (ms: number): number => Math.log10(Math.max(ms, 1e-3));
  const range = log(most_ms) - log(least_ms);
  const nsPerPixel = Math.max(Number(endNs - startNs), 1) / (width - 2 * PAD);
  // Equal values go to the middle, not to an end of a scale without a range.
  const [middleX, middleY] = [endNs === startNs ? width / 2 : null, range === 0 ? height / 2 : null];
  const points = traces.map((trace) => ({
    trace,
    x: middleX ?? PAD + Number(trace.start_ns - startNs) / nsPerPixel,
    y: middleY ?? height - PAD - ((log(trace.duration_ms) - log(least_ms)) / range) * (height - 2 * PAD),
  }));
  return { points, startNs: startNs - BigInt(Math.round(PAD * nsPerPixel)), nsPerPixel, least_ms, most_ms };
}
