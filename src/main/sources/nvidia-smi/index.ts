import { fail } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type Source, type SourceInput } from '../../../model/storage/source.ts';
import { readLines } from '../bytes/lines.ts';
import { headerOf, looksHeadless } from './csv-table.ts';
import { LogReader } from './log-reader.ts';

/** https://docs.nvidia.com/deploy/nvidia-smi/: `-q -x`, `--query-gpu … --format=csv`, and captures that quote them. */
export const nvidiaSmi: Source = {
  id: 'nvidia-smi',
  title: 'nvidia-smi (XML of -q -x, CSV of --query-gpu)',
  looks_for: 'an <nvidia_smi_log>, or a CSV header such as "timestamp, uuid, power.draw [W]"',
  leaves_open: ['zone', 'time', 'device'],
  detect: ({ text }) => isXml(text) || isCsv(text) || /^# \$ nvidia-smi /m.test(text),
  read,
};

const isXml = (text: string): boolean =>
  /^\s*<(\?xml|!DOCTYPE|nvidia_smi_log)/.test(text) &&
  /<!DOCTYPE nvidia_smi_log|<nvidia_smi_log>/.test(text.slice(0, 4096));

function isCsv(text: string): boolean {
  const first = text.trimStart().split(/\r?\n/, 1)[0] ?? '';
  return headerOf(first) !== undefined || looksHeadless(first);
}

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const builder = new BatchBuilder();
  const reader = new LogReader(builder, input);
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of input.chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  let isFirst = true;
  for await (const line of readLines(counted())) {
    if (isFirst && looksHeadless(line.text)) refuseHeadless(input.name);
    if (line.text.trim() !== '') isFirst = false;
    reader.line(line);
    if (builder.rowCount >= BATCH_ROWS) yield builder.finish(bytes);
  }
  reader.end();
  yield builder.finish(bytes);
}

const refuseHeadless = (name: string): never =>
  fail('nvidia_smi.no_header', `${name} has rows of nvidia-smi without a header: the columns are unknown`, {
    place: name,
    hint: 'query again without "noheader", or put the header line before the rows',
  });
