import { fail } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import type { Source, SourceInput } from '../../../model/storage/source.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { wholeText } from '../bytes/whole-file.ts';
import { looksLikeTopology, withoutEscapes } from './format.ts';
import { Report } from './report.ts';

/** The largest machine fills some kilobytes. */
const MAX_BYTES = 8 * 1024 * 1024;

export const nvidiaTopology: Source = {
  id: 'nvidia-topology',
  title: 'nvidia-smi topo -m, nvlink --status and -L (text)',
  looks_for: 'a matrix headed "GPU0 … CPU Affinity", or lines such as "GPU 0: NVIDIA A100 (UUID: GPU-…)"',
  leaves_open: ['device', 'time'],
  detect: ({ text }) => looksLikeTopology(text),
  read,
};

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const [file] = input.files;
  if (!file) return;
  const text = withoutEscapes(await wholeText(input.chunks, input.name, MAX_BYTES));
  const builder = new BatchBuilder();
  const report = new Report();
  text.split(/\r?\n/).forEach((line, i) => {
    const problem = report.line(line);
    if (problem !== '') builder.reject(input.name, i + 1, `line ${i + 1}: ${problem}`, line);
  });
  if (report.isEmpty && builder.rowCount === 0)
    fail('nvidia_topology.nothing', `${input.name} holds no topology of nvidia-smi`, { place: input.name });
  if (report.hasStates)
    builder.remark(
      `no times in the file: taken as recorded at ${formatUtc(nanos(file.captured_ns))} (${file.captured_from})`,
    );
  report.append(builder, hostOf(input, report, builder), nanos(file.captured_ns));
  yield builder.finish(file.bytes);
}

/** Needed if devices are counted, not named: then the file's name is the machine. */
function hostOf(input: SourceInput, report: Report, builder: BatchBuilder): string | undefined {
  if (input.assume.device !== null) return input.assume.device;
  if (report.matrix.rows.length === 0) return undefined;
  const name = (input.name.split('/').at(-1) ?? input.name).replace(/(.)\.[^.]*$/, '$1');
  builder.remark(`the matrix does not name its machine: called "${name}" after the file`);
  return name;
}
