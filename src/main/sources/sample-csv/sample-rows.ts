import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { SourceInput } from '../../../model/storage/source.ts';
import { countOf } from '../log-record/moment.ts';
import { WallClocks } from '../log-record/wall-clocks.ts';
import { seriesOf as influxSeries } from '../series-meaning/influx-series.ts';
import { parseValue } from '../series-meaning/parse-value.ts';
import type { ScrapedSeries } from '../series-meaning/scraped.ts';
import { described, LONGEST_NAMES, SeriesRows } from '../series-meaning/series-rows.ts';
import { surroundingsOf } from '../series-meaning/target-labels.ts';
import { type Layout, layoutOf, timeIn, type ValueColumn } from './layout.ts';
import { mappedLayout } from './mapping.ts';
import { readLabels } from './selector.ts';

/** Rows of tables of samples. */
export class SampleRows {
  private readonly builder: BatchBuilder;
  private readonly input: SourceInput;
  private readonly clocks: WallClocks;
  private readonly rows: SeriesRows;
  private header: readonly string[] | undefined;
  private layout: Layout | undefined;
  /** Of tables in the file: the same columns may be other series in the next one. */
  private table = 0;

  constructor(builder: BatchBuilder, input: SourceInput) {
    this.builder = builder;
    this.input = input;
    this.clocks = new WallClocks(input);
    this.rows = new SeriesRows(
      builder,
      surroundingsOf(input, undefined, (text) => builder.remark(text)),
    );
  }

  nextBatch(): void {
    this.rows.nextBatch();
  }

  /** Whether {@link begin} was called for this header. */
  isReady(header: readonly string[]): boolean {
    return this.header === header;
  }

  /** @returns whether these are columns of samples; where they are not, each row is a reject */
  begin(header: readonly string[], rows: readonly (readonly string[])[]): boolean {
    this.header = header;
    this.table++;
    const { mapping } = this.input.assume;
    this.layout = mapping ? mappedLayout(mapping, header, this.input.name) : layoutOf(header, rows);
    return this.layout !== undefined;
  }

  push(cells: readonly string[], text: string, at: number): void {
    const { layout } = this;
    const refuse = (reason: string): void => this.builder.reject(this.input.name, at, reason, text);
    if (!layout) return refuse('a row under a header without times or numbers');
    const cell = cells[layout.time]!;
    const moment = layout.timeUnit === undefined ? timeIn(cell) : countOf(cell, layout.timeUnit);
    const time_ns = moment === undefined ? undefined : this.clocks.instantOf(moment, this.builder);
    if (time_ns === undefined) return refuse('a row without a time');
    const inside = layout.selector < 0 ? undefined : readLabels(cells[layout.selector]!);
    if (layout.selector >= 0 && !inside) return refuse('labels that are neither JSON nor {name="value"}');
    const labels = layout.labels.map(({ at: column }) => cells[column]!);
    const names = [layout.metric, layout.measurement, layout.field, layout.unit, layout.selector];
    const place = JSON.stringify([this.table, labels, names.map((column) => cells[column] ?? '')]);
    if (place.length > LONGEST_NAMES) return refuse('labels of more than 16 KiB');
    for (const column of layout.values) {
      const written = cells[column.at]!;
      if (written === '') continue;
      const value = parseValue(written);
      if (value === undefined) refuse('a cell that is no number in a column of numbers');
      else
        this.rows.sample(`${column.at} ${place}`, () => this.seriesOf(layout, column, cells, inside), time_ns, value);
    }
  }

  end(): Generator<void> {
    return this.rows.end();
  }

  private seriesOf(
    layout: Layout,
    column: ValueColumn,
    cells: readonly string[],
    inside: ReadonlyMap<string, string> | undefined,
  ): ScrapedSeries {
    const labels = new Map([...column.labels, ...(inside ?? [])]);
    for (const { at, name } of layout.labels) if (cells[at] !== '') labels.set(name, cells[at]!);
    const measurement = cells[layout.measurement] ?? '';
    const field = cells[layout.field] ?? '';
    if (measurement !== '' && field !== '') return influxSeries({ measurement, tags: labels }, field, undefined);
    const name = column.name || (cells[layout.metric] ?? '') || measurement || field || this.fileName();
    return { ...described(name, labels), unit: cells[layout.unit] || column.unit };
  }

  private fileName(): string {
    const name = (this.input.name.split('/').at(-1) ?? '').replace(/\.csv(?:\..+)?$/i, '');
    this.builder.remark(`samples without a metric name are called "${name}" (the file's name)`);
    return name;
  }
}
