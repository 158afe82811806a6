import { severityOfWord } from '../../log-record/level.ts';
import { type Moment, readIsoTime } from '../../log-record/moment.ts';
import type { Grammar } from '../grammar.ts';

/**
 * NCCL_DEBUG and RCCL: host, process, thread, device number of CUDA, level. `node-3:1234:1299 [5] NCCL WARN text`. NCCL_DEBUG_TIMESTAMP_FORMAT
 * puts a time in front: `[2026-05-01 14:04:20] node-3:...`.
 */
const HEADER =
  /^(?:\[(?<time>\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d{1,9})?)\] )?(?<host>[\w.-]{1,253}):(?<pid>\d{1,10}):(?<tid>\d{1,10}) \[(?<gpu>\d{1,3})\] (?:(?<file>[\w./]{1,200}:\d{1,7}) )?(?<library>NCCL|RCCL) (?<level>[A-Z]{4,7}) ?/;
const RANK = /\brank (\d{1,6}) n[rR]anks/;
/** Counts on the machine; the number of CUDA counts what the process may see, so that it names no GPU of a machine. */
const NVML_INDEX = /\bnvmlDev (\d{1,3})\b/;

export const nccl: Grammar = {
  id: 'nccl',
  read(line) {
    if (!line.includes('CCL ')) return undefined;
    const match = HEADER.exec(line);
    if (!match) return undefined;
    const { time, host = '', pid, tid, gpu, library = '', level = '' } = match.groups ?? {};
    const body = line.slice(match[0].length);
    const rank = RANK.exec(body)?.[1];
    const index = NVML_INDEX.exec(body)?.[1];
    const moment: Moment | undefined = time === undefined ? undefined : readIsoTime(time);
    return {
      moment,
      severity: level === 'ABORT' ? 21 : level === 'VERSION' ? 9 : severityOfWord(level),
      severity_text: level,
      body: `${library} ${level} ${body}`,
      scope: library,
      resource: { 'host.name': host },
      attributes: {
        'process.pid': Number(pid),
        'thread.id': Number(tid),
        'cuda.device.ordinal': Number(gpu),
        'gpu.index': index === undefined ? undefined : Number(index),
        rank: rank === undefined ? undefined : Number(rank),
      },
      // Within the communicator, which may be a part of the job: it names no process of the job.
      rank: undefined,
    };
  },
};
