import { ProblemError } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, DETECT_BYTES, FileHead, type Source, type SourceInput } from '../../../model/storage/source.ts';
import { readLines } from '../bytes/lines.ts';
import { WallClocks } from '../log-record/wall-clocks.ts';
import { LogRecordWriter } from '../log-record/writer.ts';
import { lineBorders } from './borders.ts';
import { detect, firstMoment } from './detect.ts';
import { Records } from './records.ts';

/** Text that a batch may hold before it ends: lines may be a megabyte each. */
const BATCH_BYTES = 16 * 1024 * 1024;

/** Logs of applications, line by line: JSON of any library, text with a time, inside envelopes of container runtimes. */
export const applicationLog: Source = {
  id: 'application-log',
  title: 'Application log (JSON lines, logfmt, CRI, docker, Python, glog, NCCL, vLLM, access logs)',
  looks_for: 'lines that begin with a time, or JSON lines with a time and a message',
  leaves_open: ['zone', 'time', 'device'],
  detect,
  borders: lineBorders,
  read,
};

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const builder = new BatchBuilder();
  const clocks = new WallClocks(input);
  const writer = new LogRecordWriter(builder, {
    format: applicationLog.id,
    device: input.assume.device ?? '',
    fileName: input.name,
  });
  const head = await headOf(input);
  const records = new Records(
    input.name,
    { builder, writer, clocks },
    { first: firstTime(head, clocks), isJson: lineBorders(head) !== undefined },
  );
  const offset = input.piece?.offset ?? 0;
  const finish = (at: number): RowBatch => {
    writer.nextBatch();
    return builder.finish(at);
  };
  let done = 0;
  let sent = 0;
  for await (const { text, at } of readLines(input.chunks)) {
    done = at;
    records.push(text, offset + at);
    if (builder.rowCount < BATCH_ROWS && at - sent < BATCH_BYTES) continue;
    sent = at;
    yield finish(at);
  }
  records.end();
  yield finish(done);
}

/** The first time in a file, ns: where lines before it are placed. undefined: none is seen. */
function firstTime(head: Uint8Array, clocks: WallClocks): bigint | undefined {
  const moment = firstMoment(new FileHead(head).text);
  return moment === undefined ? undefined : clocks.instantOf(moment, new BatchBuilder());
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
