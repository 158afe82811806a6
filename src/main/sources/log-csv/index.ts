import { csvFields } from '../../../base/csv-reader.ts';
import { fail } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import {
  BATCH_ROWS,
  type ColumnMapping,
  type FileHead,
  type Source,
  type SourceInput,
  type TableColumns,
} from '../../../model/storage/source.ts';
import { csvLines } from '../bytes/csv-lines.ts';
import { readLines } from '../bytes/lines.ts';
import { joined } from '../log-lines/joined.ts';
import { knownName, sortFields } from '../log-record/fields.ts';
import { liftFields } from '../log-record/lift.ts';
import { logColumns, mappedLog } from '../log-record/mapping.ts';
import { countOf } from '../log-record/moment.ts';
import { WallClocks } from '../log-record/wall-clocks.ts';
import { LogRecordWriter } from '../log-record/writer.ts';

/** Log records as CSV, one per row, with a header line. */
export const logCsv: Source = {
  id: 'log-csv',
  title: 'Log records as CSV (columns such as time, level, msg)',
  looks_for: 'a CSV header with a time, a message, and a level or a trace id',
  leaves_open: ['zone', 'device'],
  detect,
  columns,
  read,
};

function detect({ text }: FileHead): boolean {
  const [header = '', first] = text.split(/\r?\n/, 2);
  if (first === undefined || /^[{[<]/.test(header)) return false;
  const roles = rolesOf(csvFields(header));
  return roles.has('time') && roles.has('body') && (roles.has('level') || roles.has('trace'));
}

const rolesOf = (header: readonly string[]) =>
  sortFields(Object.fromEntries(header.map((name) => [knownName(name), name]))).roles;

async function columns({ chunks }: SourceInput): Promise<TableColumns> {
  let header: readonly string[] = [];
  for await (const { text } of readLines(chunks)) {
    header = csvFields(text);
    break;
  }
  return logColumns(header);
}

/** The name by which each column is read. @throws ProblemError csv.mapping */
function namesOf(header: readonly string[], mapping: ColumnMapping | null, file: string): readonly string[] {
  if (!mapping) {
    if (!rolesOf(header).has('time') || !rolesOf(header).has('body'))
      fail('csv.wrong_shape', `${file} has no column of times or none of messages`, {
        hint: 'state the columns: --map log,time=COLUMN,body=COLUMN',
        place: file,
      });
    return header.map(knownName);
  }
  const { names } = mappedLog(mapping, new Set(header), file);
  return header.map((name) => names.get(name) ?? `column.${name}`);
}

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const builder = new BatchBuilder();
  const clocks = new WallClocks(input);
  const where = { format: logCsv.id, device: input.assume.device ?? '', fileName: input.name };
  const writer = new LogRecordWriter(builder, where);
  const unit = input.assume.mapping?.columns.time?.unit;
  let names: readonly string[] | undefined;
  let done = 0;
  for await (const { text, at } of csvLines(input.chunks)) {
    done = at;
    if (!names) names = namesOf(csvFields(text), input.assume.mapping, input.name);
    else if (text.trim() !== '') appendRow(text, at, names);
    if (builder.rowCount < BATCH_ROWS) continue;
    writer.nextBatch();
    yield builder.finish(done);
  }
  if (!names) fail('csv.wrong_shape', `${input.name} has no header line`, { place: input.name });
  yield builder.finish(done);

  function appendRow(text: string, at: number, header: readonly string[]): void {
    const cells = csvFields(text);
    if (cells.length !== header.length)
      return builder.reject(input.name, at, `a row of ${cells.length} cells under ${header.length} columns`, text);
    const lifted = liftFields(Object.fromEntries(header.map((name, i) => [name, cells[i]!])));
    const counted = unit === undefined ? undefined : countOf(cells[header.indexOf('time')] ?? '', unit);
    const time_ns = counted ?? (lifted.moment === undefined ? undefined : clocks.instantOf(lifted.moment, builder));
    if (time_ns === undefined) builder.reject(input.name, at, 'a row without a time', text);
    else writer.append({ ...joined(lifted), time_ns, raw: text });
  }
}
