import { fail, type ProblemError } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { attributesText } from '../../../model/rows/records.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import type { Source, SourceInput } from '../../../model/storage/source.ts';
import { detectDump, isPickle } from './detect.ts';
import { problemOf, readDump } from './dump.ts';
import { appendDump, appendMissingRanks, DumpedJob } from './dumped-job.ts';
import { rankInName } from './rank-in-name.ts';

/** A group list beyond this is named in part only. */
const MAX_LISTED = 20;

export const flightRecorder: Source = {
  id: 'flight-recorder',
  title: 'NCCL Flight Recorder dumps (pickle or JSON, one file per rank)',
  looks_for: 'a pickle or JSON object with "entries", "pg_config" and "pg_status"',
  detect: detectDump,
  gather: {
    root(path, head) {
      const folder = path.slice(0, path.lastIndexOf('/') + 1);
      return `${folder}${rankInName(path).pattern} (${isPickle(head.bytes) ? 'pickle' : 'JSON'})`;
    },
  },
  read,
};

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const builder = new BatchBuilder();
  const job = new DumpedJob(jobName(input));
  let done = 0;
  let firstProblem: ProblemError | undefined;
  for (const file of input.files) {
    const dump = await readDump(file).catch((error: unknown) => {
      firstProblem ??= problemOf(error);
      const { code, message } = problemOf(error).problem;
      builder.reject(file.path, 0, `${message} [${code}]`);
      return undefined;
    });
    done += file.bytes;
    if (dump) yield* appendDump(builder, job, file, dump, done);
  }
  if (job.present.size === 0 && firstProblem) throw firstProblem;
  appendJob(builder, job);
  yield builder.finish(done);
}

/** The folder that the dumps lie in names the job; else what their names have in common. */
function jobName({ name }: SourceInput): string {
  const parts = name.replace(/ \((?:pickle|JSON)\)$/, '').split('/');
  const folder = parts.at(-2);
  if (folder) return folder;
  const base = rankInName(parts.at(-1) ?? '').pattern.replace(/\.[A-Za-z]\w*$/, '');
  return base.replace(/[-_.]?rank[-_.]?\*/i, '').replace(/^[-_.*]+|[-_.*]+$/g, '') || name;
}

/** The job as a whole, once all dumps are read: which ranks belong to it and left no dump. */
function appendJob(builder: BatchBuilder, job: DumpedJob): void {
  if (job.present.size === 0) fail('flight_recorder.not_a_dump', `${job.id} holds no dump`);
  const { missing } = job;
  if (missing.length > 0) {
    const listed = missing.slice(0, MAX_LISTED).join(', ');
    const more = missing.length > MAX_LISTED ? `, and ${missing.length - MAX_LISTED} more` : '';
    builder.remark(`no dump of ${missing.length} of ${job.expected.size} ranks: ${listed}${more}`);
  }
  const attributes = attributesText({
    'flight_recorder.ranks': job.expected.size,
    'flight_recorder.ranks_without_dump': missing.length > 0 ? missing : undefined,
  });
  builder.entity('job', job.id, [], attributes);
  appendMissingRanks(builder, job);
}
