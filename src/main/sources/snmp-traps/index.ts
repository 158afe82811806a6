import { fail, ProblemError } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type Source, type SourceInput } from '../../../model/storage/source.ts';
import { readLines } from '../bytes/lines.ts';
import { appendTrap, type TrapMemory } from './append-trap.ts';
import { isTrapLog, readTraps } from './trap-records.ts';
import { timeOfTrap } from './trap-time.ts';

export const snmpTraps: Source = {
  id: 'snmp-traps',
  title: 'SNMP trap logs (snmptrapd, also by way of syslog)',
  looks_for: 'lines that snmptrapd writes: date, host [address]: and snmpTrapOID, or Trap (n) Uptime',
  leaves_open: ['zone'],
  detect: (head) => isTrapLog(head.text),
  read,
};

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const [file] = input.files;
  if (!file) return fail('file.empty', `${input.name} contains no file`);
  const builder = new BatchBuilder();
  const memory: TrapMemory = { kinds: new Map(), contained: new Set() };
  const basis = {
    zone: input.assume.zone,
    captured_ns: file.captured_ns,
    remark: (text: string) => builder.remark(text),
  };
  for await (const record of readTraps(readLines(file.open()))) {
    if ('text' in record) {
      if (record.chatter)
        builder.remark('lines that are no traps (of snmptrapd itself or of other programs) were left out');
      else builder.reject(input.name, record.at, 'no trap of snmptrapd', record.text);
    } else {
      try {
        const reason = appendTrap(builder, record, timeOfTrap(record.clock, basis), memory);
        if (reason !== undefined) builder.reject(input.name, record.at, reason, record.raw);
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        builder.reject(input.name, record.at, error.problem.message, record.raw);
      }
    }
    if (builder.rowCount >= BATCH_ROWS) yield builder.finish(record.at);
  }
  yield builder.finish(file.bytes);
}
