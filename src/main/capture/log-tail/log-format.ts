import type { RowBatch } from '../../../model/rows/rows.ts';
import { FileHead, type Source } from '../../../model/storage/source.ts';
import { nanos } from '../../../model/time.ts';
import { isJsonLines } from '../../sources/application-log/borders.ts';
import { lastTimedStart } from '../../sources/application-log/detect.ts';
import { applicationLog } from '../../sources/application-log/index.ts';
import { isCompressed } from '../../sources/bytes/decompress.ts';
import { kernelLog } from '../../sources/kernel-log/index.ts';
import { asFiles } from '../plan/as-files.ts';
import type { LogTailPlan } from './plan.ts';

/** Whole records of a file, in its order. */
export interface LogPiece {
  readonly name: string;
  readonly bytes: Buffer;
  /** Where it lies in the file. */
  readonly offset: number;
  readonly head: Buffer;
}

interface LogFormat {
  readonly source: Source;
  /** Each line is a record. */
  readonly isByLine: boolean;
}

const known = new WeakMap<Uint8Array, LogFormat>();

/** How a log that begins so is read; one of no known form is read by its lines. */
function formatOf(head: Uint8Array): LogFormat {
  const found = known.get(head);
  if (found) return found;
  const source = kernelLog.detect(new FileHead(head)) ? kernelLog : applicationLog;
  const format = { source, isByLine: source === kernelLog || isJsonLines(head) };
  known.set(head, format);
  return format;
}

/** Text, not an archive or anything binary. */
export const isLog = (head: Uint8Array): boolean => !isCompressed(head) && !head.subarray(0, 4096).includes(0);

/** Where the last record begins in whole lines of a log, which may go on: what lies before is complete. */
export const recordsEnd = (lines: Uint8Array, head: Uint8Array): number =>
  formatOf(head).isByLine ? lines.length : lastTimedStart(lines);

/** Rows of a piece, by the importer of the log. */
export function rowsOfPiece(piece: LogPiece, { zone, host }: LogTailPlan): AsyncIterable<RowBatch> {
  const { name, bytes, offset, head } = piece;
  const read_ns = nanos(BigInt(Date.now()) * 1_000_000n);
  const input = asFiles({ name, bodies: [bytes], requestedAt: read_ns, device: host });
  const assume = { ...input.assume, zone };
  return formatOf(head).source.read({ ...input, assume, piece: { offset, head, read_ns } });
}
