import { csvFields } from '../../../base/csv-reader.ts';
import { fail } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import {
  BATCH_ROWS,
  type FileHead,
  type Source,
  type SourceInput,
  type TableColumns,
} from '../../../model/storage/source.ts';
import { csvLines } from '../bytes/csv-lines.ts';
import { layoutOf } from './layout.ts';
import { sampleColumns } from './mapping.ts';
import { SampleRows } from './sample-rows.ts';

/** Rows whose cells decide what the columns are. */
const LOOKED_AT = 50;

/** Samples as CSV: a metric's name and value in each row, or a column for each series. */
export const sampleCsv: Source = {
  id: 'sample-csv',
  title: 'Samples as CSV (Grafana, InfluxDB, a column of times and columns of numbers)',
  looks_for: 'a CSV header with a time, and columns of numbers under it',
  leaves_open: ['zone', 'device'],
  detect,
  columns,
  read,
};

function detect({ text }: FileHead): boolean {
  // The last line may be cut.
  const lines = text.split(/\r?\n/, LOOKED_AT).slice(0, text.includes('\n') ? -1 : 1);
  const start = lines.findIndex((line) => !isAside(line));
  const end = lines.findIndex((line, at) => at > start && isAside(line));
  const [header = '', ...rest] = start < 0 ? [] : lines.slice(start, end < 0 ? undefined : end);
  if (/^[{[<]/.test(header)) return false;
  const names = csvFields(header);
  const rows = rest.map((line) => csvFields(line)).filter(({ length }) => length === names.length);
  return rows.length * 2 > rest.length && layoutOf(names, rows) !== undefined;
}

/** Annotations, and what separates the tables of an annotated CSV. */
const isAside = (line: string): boolean => line.startsWith('#') || line.trim() === '';

async function columns({ chunks }: SourceInput): Promise<TableColumns> {
  for await (const { text } of csvLines(chunks)) if (!isAside(text)) return sampleColumns(csvFields(text));
  return sampleColumns([]);
}

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const builder = new BatchBuilder();
  const samples = new SampleRows(builder, input);
  let header: readonly string[] | undefined;
  let isReading = false;
  let first: { readonly text: string; readonly at: number; readonly cells: readonly string[] }[] = [];
  let done = 0;
  const finish = (): RowBatch => {
    samples.nextBatch();
    return builder.finish(done);
  };
  const begin = (): void => {
    if (header && first.length > 0)
      isReading =
        samples.begin(
          header,
          first.map(({ cells }) => cells),
        ) || isReading;
    for (const row of first) samples.push(row.cells, row.text, row.at);
    first = [];
  };
  for await (const { text, at } of csvLines(input.chunks)) {
    done = at;
    if (isAside(text)) {
      // An annotated CSV has several tables, each under a header of its own.
      begin();
      header = undefined;
      continue;
    }
    const cells = csvFields(text);
    if (!header) header = cells;
    else if (cells.length !== header.length)
      builder.reject(input.name, at, `a row of ${cells.length} cells under ${header.length} columns`, text);
    else if (samples.isReady(header)) samples.push(cells, text, at);
    else if (first.push({ text, at, cells }) >= LOOKED_AT) begin();
    if (builder.rowCount >= BATCH_ROWS) yield finish();
  }
  begin();
  if (!isReading)
    fail('csv.wrong_shape', `${input.name} has no column of times, or none of numbers`, {
      hint: 'state the columns: --map metric,time=COLUMN,value=COLUMN,metric=COLUMN',
      place: input.name,
    });
  for (const _ of samples.end()) if (builder.rowCount >= BATCH_ROWS) yield finish();
  yield finish();
}
