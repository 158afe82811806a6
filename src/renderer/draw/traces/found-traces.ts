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

/** The y position of a duration, the other way round. */
export function heightAt({ least_ms, most_ms }: Scatter, ms: number, height: number): number {
  const range = Math.log10(most_ms / Math.max(least_ms, 1e-3));
  return height - PAD - (Math.log10(ms / Math.max(least_ms, 1e-3)) / range) * (height - 2 * PAD);
}

/** Powers of ten between the shortest and the longest duration, in milliseconds. */
export function decadesOf({ least_ms, most_ms }: Scatter): number[] {
  const [first, last] = [least_ms, most_ms].map((ms) => Math.log10(Math.max(ms, 1e-3))) as [number, number];
  return Array.from(
    { length: Math.max(0, Math.floor(last) - Math.ceil(first) + 1) },
    (_, i) => 10 ** (Math.ceil(first) + i),
  );
}

/**
 * Duration over start time, in the time that was searched: another search of the same time has the same axis. The duration axis is logarithmic, because durations span many orders of magnitude.
 */
export function layoutScatter(
  traces: readonly FoundTrace[],
  { start_ns: startNs, end_ns: endNs }: { readonly start_ns: bigint; readonly end_ns: bigint },
  { width, height }: { readonly width: number; readonly height: number },
): Scatter | null {
  const [first] = traces;
  if (!first || width < 4 * PAD) return null;
  let [least_ms, most_ms] = [first.duration_ms, first.duration_ms];
  for (const { duration_ms } of traces) {
    least_ms = Math.min(least_ms, duration_ms);
    most_ms = Math.max(most_ms, duration_ms);
  }
  const log = (ms: number): number => Math.log10(Math.max(ms, 1e-3));
  const range = log(most_ms) - log(least_ms);
  const nsPerPixel = Math.max(Number(endNs - startNs), 1) / (width - 2 * PAD);
  // Equal durations go to the middle, not to an end of a scale without a range.
  const middleY = range === 0 ? height / 2 : null;
  const points = traces.map((trace) => ({
    trace,
    x: Math.min(width - 2, Math.max(2, PAD + Number(trace.start_ns - startNs) / nsPerPixel)),
    y: middleY ?? height - PAD - ((log(trace.duration_ms) - log(least_ms)) / range) * (height - 2 * PAD),
  }));
  return { points, startNs: startNs - BigInt(Math.round(PAD * nsPerPixel)), nsPerPixel, least_ms, most_ms };
}
