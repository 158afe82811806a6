import type { RowBatch } from '../../../model/rows/rows.ts';
import type { Output } from '../otlp/output.ts';
import {
  type Assembled,
  DistributionAssembler,
  type LabelledSeries,
  mayBePart,
  type Values,
} from '../series-meaning/distribution-assembler.ts';
import { meaningOf } from '../series-meaning/meaning.ts';
import { isServing } from '../series-meaning/serving.ts';
import { originOf } from './origin.ts';
import { seriesOf } from './table-rows.ts';
import { type MappedRow, objectOf, textOf, timeOf } from './values.ts';

/** Samples that wait for the rest of their histogram. */
const MOST_SAMPLES = 4_000_000;

interface RowSeries extends LabelledSeries {
  /** The first row of the series. */
  readonly row: MappedRow;
}
interface Waiting {
  readonly series: RowSeries;
  readonly time_ns: bigint[];
  readonly value: number[];
}

/**
 * Histograms and summaries of Prometheus in a table of samples: a row for each `_bucket`, `_sum`, `_count` or quantile and instant,
 * with its labels as attributes. They are held until the end of the table.
 */
export class SeriesParts {
  private readonly waiting = new Map<string, Waiting>();
  private samples = 0;

  /** Whether the row waits; false: it is written like any other. */
  take(row: MappedRow): boolean {
    const name = textOf(row.metric);
    const time = timeOf(row.time);
    // Prometheus has no start times: a row with one is a sum of its own.
    if (row.value === null || row.value === undefined || time === undefined || timeOf(row.start)) return false;
    if (!/^(gauge|sum|counter)?$/i.test(textOf(row.kind)) || this.samples >= MOST_SAMPLES) return false;
    const attributes = objectOf(row.attributes);
    if (!mayBePart(name, (label) => typeof attributes[label] === 'string')) return false;
    const scope = [row.service, row.resource_attributes, row.scope, row.entity_kind, row.entity, row.unit].map(textOf);
    const labels = new Map(Object.entries(attributes).map(([key, value]) => [key, String(value)]));
    const key = JSON.stringify([name, ...scope, ...[...labels].sort(([a], [b]) => (a < b ? -1 : 1))]);
    let own = this.waiting.get(key);
    if (!own) {
      own = { series: { name, labels, scope: scope.join('\n'), row }, time_ns: [], value: [] };
      this.waiting.set(key, own);
    }
    own.time_ns.push(time);
    own.value.push(Number(row.value));
    this.samples++;
    return true;
  }

  /** Writes what waits. */
  *end(out: Output): Generator<RowBatch> {
    const assembler = new DistributionAssembler<RowSeries>({
      plain: (series, values) => plain(out, series, values),
      distribution: (series, rows) => distributions(out, series, rows),
      remark: (text) => out.batch.remark(text),
    });
    function* written(work: Generator<void>): Generator<RowBatch> {
      for (const _ of work) {
        out.recordDone(0);
        yield* out.take(0);
      }
    }
    for (const { series, time_ns, value } of this.waiting.values())
      yield* written(assembler.add(series, { time_ns: BigInt64Array.from(time_ns), value }));
    yield* written(assembler.end());
    this.waiting.clear();
  }
}

/** The numbers of series are valid within one batch: each row asks for its own. */
function enter(out: Output, { row, name, labels }: RowSeries, more: MappedRow): number {
  originOf(out, row);
  return seriesOf(out, { ...row, metric: name, attributes: JSON.stringify(Object.fromEntries(labels)), ...more });
}

/** Labels name the service where no column does, as they do by Prometheus. */
function meaningIn({ row, name, labels }: RowSeries): MappedRow {
  const isPlaced = [row.service, row.resource_attributes, row.entity].some((value) => textOf(value) !== '');
  if (isPlaced && !isServing(name)) return {};
  const series = { name, labels, type: 'histogram', unit: '', help: textOf(row.description) } as const;
  const meaning = meaningOf(series, { host: undefined, fallback: () => ({ kind: 'device', id: '' }) });
  const { subject, metric, recordedUnit, attributes } = meaning;
  const named = isPlaced || subject.id === '' ? {} : { entity_kind: subject.kind, entity: subject.id };
  return { metric, unit: textOf(row.unit) || recordedUnit, attributes: JSON.stringify(attributes), ...named };
}

function* plain(out: Output, series: RowSeries, { time_ns, value }: Values): Generator<void> {
  for (const [i, one] of value.entries()) {
    out.batch.table('point').push({ series: enter(out, series, {}), start_ns: 0n, time_ns: time_ns[i]!, value: one });
    yield;
  }
}

function* distributions(out: Output, series: RowSeries, rows: Iterable<Assembled>): Generator<void> {
  const meant = meaningIn(series);
  for (const { kind, ...row } of rows) {
    const temporality = kind === 'histogram' ? '2' : '0';
    const number = enter(out, series, { ...meant, kind, temporality, monotonic: '' });
    out.batch.table('distribution').push({ series: number, ...row, min: Number.NaN, max: Number.NaN });
    yield;
  }
}
