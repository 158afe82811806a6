import type { LabelledSeries, Values } from '../series-meaning/distribution-assembler.ts';
import { mayBePart } from '../series-meaning/distribution-assembler.ts';
import { described, type SeriesRows } from '../series-meaning/series-rows.ts';
import type { WrittenSeries } from './format.ts';

/** What was kept of a request. */
export interface WrittenCounts {
  samples: number;
  histograms: number;
  exemplars: number;
}

/** Takes a series that may be part of a classic histogram or summary: the other parts come with other series. */
export type TakeParts = (series: LabelledSeries, values: Values) => Iterable<void>;

/** Rows of one series of a request. Yields after every row, so that a batch may end there. */
export function* writeSeries(
  rows: SeriesRows,
  written: WrittenSeries,
  takeParts: TakeParts,
  counts: WrittenCounts,
): Generator<void> {
  const { name, labels, type, unit, help, samples, histograms, exemplars } = written;
  const key = JSON.stringify([name, type, unit, ...labels]);
  const series = { name, labels, type, unit, help };
  counts.samples += samples.length;
  counts.histograms += histograms.length;
  counts.exemplars += exemplars.length;
  if (samples.length > 0 && mayBePart(name, (label) => labels.has(label))) {
    const time_ns = BigInt64Array.from(samples, (sample) => sample.time_ns);
    yield* takeParts({ name, labels, scope: '' }, { time_ns, value: samples.map(({ value }) => value) });
  } else
    for (const { time_ns, value, start_ns } of samples) {
      rows.writer.point(key, () => series, time_ns, value, start_ns);
      yield;
    }
  for (const histogram of histograms) {
    const kind = histogram.isGauge ? 'gaugehistogram' : 'histogram';
    rows.writer.distribution(`${kind} ${key}`, () => ({ ...series, type: kind }), histogram.kind, histogram);
    yield;
  }
  for (const exemplar of exemplars) {
    rows.exemplar(key, described(name, labels, type), exemplar);
    yield;
  }
}
