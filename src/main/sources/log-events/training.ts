import { type LogEvent, type Rule, sender } from './rule.ts';

const failed = (message: string, attributes: LogEvent['attributes']): LogEvent => ({
  type: 'job_failed',
  severity: 'high',
  subject: sender,
  message,
  attributes,
});

/**
 * Texts of PyTorch (torch.utils.data, ProcessGroupNCCL, torchrun: `multiprocessing/api.py`, `multiprocessing/errors/__init__.py`), of
 * CUDA and HIP allocators, and of Slurm's `srun` about its tasks.
 */
export const trainingRules: readonly Rule[] = [
  {
    needles: ['Watchdog caught collective operation timeout'],
    pattern: /.*Watchdog caught collective operation timeout.*/,
    read: ([text]) => {
      const rank = /\bRank (\d+)\]/.exec(text)?.[1];
      const operation = /\bOpType=(\w+)/.exec(text)?.[1];
      const waited_ms = /\bran for (\d{1,12}) milliseconds/.exec(text)?.[1];
      return {
        type: 'collective_timeout',
        severity: 'critical',
        subject: sender,
        message: text.trim(),
        attributes: rank === undefined ? {} : { rank: Number(rank) },
        details: {
          ...(operation === undefined ? {} : { operation }),
          ...(waited_ms === undefined ? {} : { waited_s: Number(waited_ms) / 1000 }),
        },
      };
    },
  },
  {
    needles: ['DataLoader worker (pid', 'DataLoader timed out after'],
    pattern: /.*DataLoader (?:worker \(pid|timed out after).*/,
    read: ([text]) => {
      const signal = /killed by signal: (\w+)/.exec(text)?.[1];
      return {
        type: 'data_loader_failed',
        severity: 'high',
        subject: sender,
        message: text.trim(),
        attributes: {},
        details: {
          ...(signal === undefined ? {} : { signal }),
          ...(/timed out/.test(text) ? { qualifiers: ['timed_out'] } : {}),
        },
      };
    },
  },
  {
    needles: ['CUDA out of memory', 'torch.OutOfMemoryError', 'CUDA_ERROR_OUT_OF_MEMORY', 'HIP out of memory'],
    pattern: /.*(?:CUDA out of memory|torch\.OutOfMemoryError|CUDA_ERROR_OUT_OF_MEMORY|HIP out of memory).*/,
    read: ([text]) => {
      const requested = /Tried to allocate ([\d.]+ [KMGT]iB)/.exec(text)?.[1];
      return {
        type: 'gpu_out_of_memory',
        severity: 'medium',
        subject: sender,
        message: text.trim(),
        attributes: {},
        ...(requested === undefined ? {} : { details: { requested } }),
      };
    },
  },
  {
    needles: ['failed (exitcode: '],
    pattern: /\bfailed \(exitcode: (-?\d{1,5})\) local_rank: (\d{1,4})\b.*/,
    read: ([text, code, local]) => failed(text, { exit_code: Number(code), local_rank: Number(local) }),
  },
  {
    // `srun: error: node-5: tasks 8-15: Exited with exit code 1`
    needles: ['srun: error: '],
    pattern:
      /\bsrun: error: (\S{1,255}): tasks? ([\d,-]{1,200}): ((?:Exited with exit code [1-9]|Killed|Out Of Memory|Aborted|Segmentation fault|Bus error).*)/,
    read: ([text, , tasks = '']) => failed(text.trim(), /^\d+$/.test(tasks) ? { rank: Number(tasks) } : {}),
  },
];
