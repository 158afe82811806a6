import { ProblemError } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, DETECT_BYTES, FileHead, type SourceInput } from '../../../model/storage/source.ts';
import { readLineBytes } from '../bytes/lines.ts';
import { WallClocks } from '../log-record/wall-clocks.ts';
import { LogRecordWriter } from '../log-record/writer.ts';
import { isJsonLines } from './borders.ts';
import { timedLines } from './detect.ts';
import { FastLines } from './fast/fast-lines.ts';
import { Lines } from './lines.ts';
import { Records } from './records.ts';

/** Text that a batch may hold before it ends: lines may be a megabyte each. */
const BATCH_BYTES = 16 * 1024 * 1024;
/** Lines after which rows are counted again. */
const COUNTED_EACH = 32;

/** Rows of a log. `usesFast`: whether the lines that the fast reader understands are read by it; the rows are the same. */
export async function* readLog(input: SourceInput, format: string, usesFast = true): AsyncIterable<RowBatch> {
  const builder = new BatchBuilder();
  const clocks = new WallClocks(input);
  const writer = new LogRecordWriter(builder, {
    format,
    device: input.assume.device ?? '',
    fileName: input.name,
  });
  const head = await headOf(input);
  const isJson = isJsonLines(head);
  const moments = timedLines(new FileHead(head).text).map(({ moment }) => moment);
  clocks.begin(moments);
  const read_ns = input.piece?.read_ns;
  const first = read_ns ?? (moments[0] && clocks.instantOf(moments[0], new BatchBuilder()));
  const records = new Records(
    input.name,
    { builder, writer, clocks },
    {
      first,
      isJson,
      isFollowed: read_ns !== undefined,
    },
  );
  const lines = new Lines(
    records,
    isJson && usesFast ? new FastLines(builder, writer, clocks) : undefined,
    input.piece?.offset ?? 0,
  );
  const finish = (at: number): RowBatch => {
    writer.nextBatch();
    return builder.finish(at);
  };
  let done = 0;
  let sent = 0;
  let count = 0;
  for await (const { bytes, at } of readLineBytes(input.chunks)) {
    for (let from = 0; from < bytes.length; ) {
      done = at + from;
      from = lines.push(bytes, from, at);
      if (++count % COUNTED_EACH !== 0 && done - sent < BATCH_BYTES) continue;
      if (builder.rowCount < BATCH_ROWS && done - sent < BATCH_BYTES) continue;
      sent = done;
      lines.beforeBatch();
      yield finish(done);
    }
    lines.beforeBytes();
  }
  records.endFile((input.piece?.offset ?? 0) + done);
  yield finish(done);
}

async function headOf({ piece, files: [file] }: SourceInput): Promise<Uint8Array> {
  if (piece) return piece.head;
  if (!file) return new Uint8Array(0);
  const seen: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of file.open()) {
      seen.push(chunk.slice());
      length += chunk.length;
      if (length >= DETECT_BYTES) break;
    }
  } catch (error) {
    // A stream that breaks is reported when it is read for its rows.
    if (!(error instanceof ProblemError)) throw error;
  }
  return Buffer.concat(seen).subarray(0, DETECT_BYTES);
}
