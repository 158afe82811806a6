import { fail, ProblemError } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type Source, type SourceFile, type SourceInput } from '../../../model/storage/source.ts';
import { formatUtc } from '../../../model/time.ts';
import { BROKEN_STREAM } from '../bytes/decompress.ts';
import { readLines } from '../bytes/lines.ts';
import { readDevice } from '../snmp/read-device.ts';
import type { SnmpValue } from '../snmp/snmp-value.ts';
import { SnmpWalk } from '../snmp/walk.ts';
import { readSnmprec, readWalkText, walkTextOf } from './walk-entries.ts';

/** Limit for relevant objects; a whole agent has many more (routes, ports, processes). */
const INTERESTING =
  /^(1\.3\.6\.1\.(4\.1|2\.1\.(1|33|99|105)|2\.1\.4\.20\.1\.[123]|2\.1\.47\.1\.1\.1\.1\.(2|4|5|6|7|11|13))|1\.0\.8802\.1\.1\.2\.1\.(3\.7|4\.[12]))\./;
/** More than any device answers in tables of these kinds. */
const MAX_OBJECTS = 2_000_000;
/** The start of a text, which decides its format. */
const HEAD = 16_384;

export const snmpWalk: Source = {
  id: 'snmp-walk',
  title: 'SNMP recordings (snmprec, output of snmpwalk)',
  looks_for: 'lines OID|tag|value, or OID = TYPE: value',
  leaves_open: ['time', 'device'],
  detect: (head) => walkTextOf(head.text) !== undefined,
  read,
};

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const [file] = input.files;
  if (!file) return fail('file.empty', `${input.name} contains no file`);
  const builder = new BatchBuilder();
  const values = await collect(builder, input, file);
  const otherwise = input.assume.device ?? nameOf(input.name);
  const bytes = file.bytes;
  const reading = readDevice(builder, new SnmpWalk(values), otherwise, () => file.captured_ns);
  let step = reading.next();
  while (!step.done) {
    if (builder.rowCount >= BATCH_ROWS) yield builder.finish(bytes);
    step = reading.next();
  }
  const device = step.value;
  if (!device.named && input.assume.device === null)
    builder.remark(`the device does not report its name: named ${device.id} after the file`);
  builder.remark(`no times in the file: taken as recorded at ${formatUtc(file.captured_ns)} (${file.captured_from})`);
  yield builder.finish(bytes);
}

const nameOf = (file: string): string => {
  const base = file.slice(file.lastIndexOf('/') + 1);
  return base.replace(/(\.(snmprec|snmpwalk|walk|txt|log|out|gz|zst|bz2|xz))+$/i, '') || base;
};

async function collect(
  builder: BatchBuilder,
  input: SourceInput,
  file: SourceFile,
): Promise<ReadonlyMap<string, SnmpValue>> {
  const head = await headOf(file);
  const kind = walkTextOf(head) ?? (/^\.?[\d.]+\|/m.test(head) ? 'snmprec' : 'walk');
  const lines = readLines(file.open());
  const values = new Map<string, SnmpValue>();
  let passed = 0;
  let unknown = 0;
  const entries = kind === 'snmprec' ? readSnmprec(lines) : readWalkText(lines);
  for await (const entry of untilBroken(entries, (reason) => builder.reject(input.name, file.bytes, reason))) {
    if ('reason' in entry) builder.reject(input.name, entry.at, entry.reason, entry.excerpt);
    else if ('unknown' in entry) unknown++;
    else if (INTERESTING.test(`${entry.oid}.`)) values.set(entry.oid, entry.value);
    else passed++;
    if (values.size > MAX_OBJECTS)
      fail('snmp.too_large', `${input.name} contains more objects than one device can answer`, { place: input.name });
  }
  if (values.size + passed + unknown === 0)
    fail('snmp.no_values', `${input.name} contains no SNMP values`, {
      place: input.name,
      hint: 'expected lines OID|tag|value, or OID = TYPE: value',
    });
  if (unknown > 0)
    builder.remark(
      `${unknown} objects have names of MIBs that are not known and were left out: record with -On to include them`,
    );
  return values;
}

/** A truncated compressed file keeps the entries before the end. */
async function* untilBroken<T>(entries: AsyncIterable<T>, broken: (reason: string) => void): AsyncGenerator<T> {
  try {
    yield* entries;
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== BROKEN_STREAM) throw error;
    broken(error.problem.message);
  }
}

async function headOf(file: SourceFile): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of untilBroken(file.open(), () => {})) {
    parts.push(Uint8Array.from(chunk));
    length += chunk.length;
    if (length >= HEAD) break;
  }
  return new TextDecoder().decode(Buffer.concat(parts).subarray(0, HEAD)).replace(/^\uFEFF/, '');
}
