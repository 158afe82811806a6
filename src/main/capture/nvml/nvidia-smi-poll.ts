import { fail } from '../../../model/problem.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { gpusOf } from '../../sources/nvidia-smi/read-xml.ts';
import { RecordWriter } from '../../sources/nvidia-smi/record-writer.ts';
import { parseXml, XmlError } from '../../sources/nvidia-smi/xml.ts';
import { runNvidiaSmi } from '../nvidia-smi.ts';
import { waited } from '../steady-clock.ts';

/** Polls `nvidia-smi -q -x` and decodes its log. */
export class NvidiaSmi {
  private readonly program: string;
  private readonly host: string;
  private readonly builder: BatchBuilder;
  private writer: RecordWriter;

  constructor(program: string, host: string, builder: BatchBuilder) {
    this.program = program;
    this.host = host;
    this.builder = builder;
    this.writer = new RecordWriter(builder, host);
  }

  /** Call it if rows were not stored: they are emitted again. */
  forget(): void {
    this.writer = new RecordWriter(this.builder, this.host);
  }

  /**
   * Returns how many GPUs answered.
   *
   * @throws ProblemError feed.no_nvidia_smi if there is no such program, feed.nvidia_smi if it fails
   */
  async poll(signal: AbortSignal): Promise<number> {
    const answered = waited();
    const text = await runNvidiaSmi(this.program, ['-q', '-x'], signal);
    // The log's own time has whole seconds and no zone; the midpoint of the run is used instead.
    const { from_ms, to_ms } = answered();
    const time_ns = BigInt(Math.round((from_ms + to_ms) / 2)) * 1_000_000n;
    const gpus = gpusOf(rootOf(text), time_ns, this.host);
    for (const { record, slices, processes } of gpus) {
      const gpu = this.writer.gpu(record);
      if (!gpu) continue;
      this.writer.record(gpu, record, '');
      for (const slice of slices) this.writer.slice(gpu, slice, time_ns);
      for (const process of processes) this.writer.process(gpu, process, time_ns);
    }
    return gpus.length;
  }
}

function rootOf(text: string) {
  try {
    const log = parseXml(text);
    if (log.name === 'nvidia_smi_log') return log;
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
  }
  return fail('feed.nvidia_smi', 'nvidia-smi answered no XML log');
}
