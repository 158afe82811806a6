import { fail } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type ColumnMapping, type SourceInput, type TableColumns } from '../../../model/storage/source.ts';
import type { Json } from '../bytes/json-access.ts';
import { readLines } from '../bytes/lines.ts';
import { parseObject } from '../log-lines/envelope.ts';
import { joined } from '../log-lines/joined.ts';
import { liftFields } from '../log-record/lift.ts';
import { logColumns, type MappedLog, mappedLog } from '../log-record/mapping.ts';
import { countOf } from '../log-record/moment.ts';
import { WallClocks } from '../log-record/wall-clocks.ts';
import { LogRecordWriter } from '../log-record/writer.ts';

/** Lines whose fields are offered. */
const LOOKED_AT = 200;

/** Fields of the first JSON lines, for a mapping. @throws ProblemError csv.mapping where the log is no JSON */
export async function jsonColumns({ chunks, name: file }: SourceInput): Promise<TableColumns> {
  const names = new Set<string>();
  let count = 0;
  for await (const { text } of readLines(chunks)) {
    for (const name of Object.keys(flat(parseObject(text) ?? {}))) names.add(name);
    if (++count >= LOOKED_AT) break;
  }
  if (names.size === 0)
    fail('csv.mapping', `${file} is text: only the fields of JSON lines can be named`, { place: file });
  return logColumns([...names]);
}

/** Fields of objects inside the record under `outer.inner`. */
function flat(fields: Json): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject) members[name] = value;
    else for (const [inner, one] of Object.entries(value)) members[`${name}.${inner}`] = one;
  }
  return members;
}

/** Rows of JSON lines whose fields the investigator has named. */
export async function* readMapped(input: SourceInput, mapping: ColumnMapping, format: string): AsyncIterable<RowBatch> {
  const builder = new BatchBuilder();
  const clocks = new WallClocks(input);
  const writer = new LogRecordWriter(builder, { format, device: input.assume.device ?? '', fileName: input.name });
  const wanted = new Set(Object.values(mapping.columns).map(({ column }) => column));
  const mapped = mappedLog(mapping, wanted, input.name);
  const seen = new Set<string>();
  let done = 0;
  for await (const { text, at } of readLines(input.chunks)) {
    done = at;
    const fields = parseObject(text);
    if (text.trim() === '') continue;
    if (!fields) builder.reject(input.name, at, 'a line that is no JSON object', text);
    else {
      const members = flat(fields);
      for (const column of wanted) if (Object.hasOwn(members, column)) seen.add(column);
      append(members, text, at);
    }
    if (builder.rowCount < BATCH_ROWS) continue;
    writer.nextBatch();
    yield builder.finish(done);
  }
  // A piece of a file may lack a field that others have.
  for (const column of input.piece ? [] : wanted)
    if (!seen.has(column))
      fail('csv.mapping', `no line of ${input.name} has a field "${column}"`, { place: input.name });
  yield builder.finish(done);

  function append(members: Json, text: string, at: number): void {
    const named = renamed(members, mapped);
    const counted = mapped.unit === undefined ? undefined : countOf(named.time, mapped.unit);
    const lifted = liftFields(named);
    const time_ns = counted ?? (lifted.moment === undefined ? undefined : clocks.instantOf(lifted.moment, builder));
    if (time_ns === undefined) builder.reject(input.name, at, 'a JSON record without a time', text);
    else writer.append({ ...joined(lifted), time_ns, raw: text });
  }
}

/** Other fields keep their names behind `field.`, so that none is taken for what another one was given as. */
const renamed = (members: Json, { names }: MappedLog): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [names.get(name) ?? `field.${name}`, value]));
