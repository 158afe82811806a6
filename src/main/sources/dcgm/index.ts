import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type Source, type SourceInput } from '../../../model/storage/source.ts';
import { readLines } from '../bytes/lines.ts';
import { DMON_HEADER, diagnosticOf, healthOf } from './format.ts';
import { OutputReader } from './output-reader.ts';

/** https://docs.nvidia.com/datacenter/dcgm/: what the command line of DCGM prints. */
export const dcgm: Source = {
  id: 'dcgm',
  title: 'DCGM (dcgmi dmon, diag -j, health -j)',
  looks_for: 'a "#Entity" header of dcgmi dmon, or the JSON of dcgmi diag -j or health -c -j',
  detect: (head) => isTable(head.text) || isDocument(head.json) || isDocumentBehindText(head.text),
  read,
};

const isTable = (text: string): boolean =>
  text.split('\n', 40).some((line) => line.length < 10_000 && DMON_HEADER.test(line));

const isDocument = (json: unknown): boolean => (diagnosticOf(json) ?? healthOf(json)) !== undefined;

/** "Successfully ran diagnostic for group." and similar lines come before. */
const isDocumentBehindText = (text: string): boolean =>
  /^\s*"DCGM (GPU )?Diagnostic"\s*:\s*\{/m.test(text.slice(0, 4096)) ||
  (/^\s*"Overall Health"\s*:/m.test(text.slice(0, 4096)) && /^\{/m.test(text.slice(0, 4096)));

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const builder = new BatchBuilder();
  const reader = new OutputReader(builder, input);
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of input.chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  for await (const line of readLines(counted())) {
    reader.line(line);
    if (builder.rowCount >= BATCH_ROWS) yield builder.finish(bytes);
  }
  reader.end();
  yield builder.finish(bytes);
}
