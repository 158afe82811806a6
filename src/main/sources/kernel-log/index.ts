import { assignedName } from '../../../model/incident/assigned-name.ts';
import { ProblemError } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type FileHead, type Source, type SourceInput } from '../../../model/storage/source.ts';
import { readLines } from '../bytes/lines.ts';
import { bootTime, LineClock } from './clock.ts';
import { journalLine } from './journal.ts';
import { DMESG, parseLine } from './line.ts';
import { LineWriter } from './writer.ts';

/** Lines of a head that may decide; and how many of them must look like a log. */
const DECIDING_LINES = 40;
const SHARE = 0.6;
/** A path without its folders and extension: the last resort for a log that never names its machine. */
const baseName = (name: string): string =>
  name
    .split('/')
    .at(-1)!
    .replace(/\.[^.]*$/, '') || name;

/** Kernel ring buffers and system logs: dmesg in all its time formats, /dev/kmsg, syslog, journald as JSON. */
export const kernelLog: Source = {
  id: 'kernel-log',
  title: 'Linux kernel log or syslog (dmesg, /dev/kmsg, journalctl -o json)',
  looks_for: 'lines of dmesg, /dev/kmsg, syslog or journald JSON',
  leaves_open: ['zone', 'time', 'device'],
  detect,
  read,
};

function detect(head: FileHead): boolean {
  if ('__REALTIME_TIMESTAMP' in head.object && 'MESSAGE' in head.object) return true;
  if (head.json !== undefined && !head.text.startsWith('[')) return false;
  const lines = head.text.split('\n').filter((line) => line.trim() !== '');
  // The last line of a head is cut, unless it is the only one.
  const whole = lines.length > 1 ? lines.slice(0, Math.min(DECIDING_LINES, lines.length - 1)) : lines;
  const likely = whole.filter((line) => {
    const { stamp, host, level, program } = parseLine(line);
    // A log of SNMP traps is read as such; between other lines they are lines like any other.
    if (program === 'snmptrapd') return false;
    if (stamp.kind === 'uptime') return true;
    // The trap daemon writes into the same syslog, and what it writes is a format of its own.
    if (program === 'snmptrapd') return false;
    // A bare time starts lines of many kinds: a level, a sender or the driver's own mark must be there too.
    if (stamp.kind === 'none') return /^(?:kernel: )?NVRM: Xid \(/.test(line);
    return level >= 0 || (host !== '' && program !== '') || DMESG.test(line);
  });
  return (
    whole.length > 0 && likely.length >= SHARE * whole.filter((line) => !/^\s/.test(line)).length && likely.length > 0
  );
}

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const builder = new BatchBuilder();
  const writer = new LineWriter(builder);
  const clock = new LineClock(input, await bootTime(input));
  let before: bigint | undefined;
  const offset = input.piece?.offset ?? 0;
  let done = 0;
  for await (const { text, at: from } of readLines(input.chunks)) {
    const at = offset + from;
    done = at;
    if (text.trim() === '') continue;
    // Continuation of a /dev/kmsg record, such as ` SUBSYSTEM=pci`: its record stands already.
    if (/^ [A-Z_]+=/.test(text)) continue;
    try {
      const line = text.startsWith('{') ? journalLine(text) : parseLine(text);
      const time = 'time_ns' in line ? line.time_ns : (clock.instant(line.stamp, builder) ?? before);
      if (time === undefined) builder.reject(input.name, at, 'a line without a time', text);
      else {
        before = time;
        const host = assignedName(line.host) || hostOf(input, builder);
        const attributes = 'attributes' in line ? line.attributes : {};
        writer.append({
          time_ns: time,
          host,
          program: line.program,
          level: line.level,
          message: line.message,
          raw: text,
          attributes,
        });
      }
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      builder.reject(input.name, at, error.problem.message, text);
    }
    if (builder.rowCount >= BATCH_ROWS) yield builder.finish(at);
  }
  yield builder.finish(done);
}

function hostOf(input: SourceInput, builder: BatchBuilder): string {
  if (input.assume.device) return input.assume.device;
  const name = baseName(input.name);
  builder.remark(`the log does not name its machine: called ${name} after the file`);
  return name;
}
