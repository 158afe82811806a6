import { fail, type ProblemError } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendEdge, attributesText } from '../../../model/rows/records.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type Source, type SourceFile, type SourceInput } from '../../../model/storage/source.ts';
import { rankEntity } from '../workload/rank.ts';
import { appendEntry, rankAttributes } from './append-dump.ts';
import { detectDump, isPickle } from './detect.ts';
import { problemOf, processGroups, rankOf, readDump } from './dump.ts';
import type { Dump, ProcessGroup } from './format.ts';
import { plainJson } from './plain-json.ts';
import { rankInName } from './rank-in-name.ts';

/** A group list beyond this is named in part only. */
const MAX_LISTED = 20;
const MAX_RANKS = 100_000;

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

/** State from all dumps of one job so far. */
interface Job {
  readonly id: string;
  readonly present: Set<number>;
  readonly expected: Set<number>;
}

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const builder = new BatchBuilder();
  const job: Job = { id: jobName(input), present: new Set(), expected: new Set() };
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

function* appendDump(builder: BatchBuilder, job: Job, file: SourceFile, dump: Dump, done: number): Generator<RowBatch> {
  const number = rankOf(rankInName(file.path).rank, dump.head);
  const groups = processGroups(dump.head);
  if (number === undefined) builder.remark(`${file.path}: neither its name nor its groups identify its rank`);
  const attributes = rankAttributes(dump.head, file.path, dump.entries.length);
  // A dump without a known rank still belongs to a process of its own.
  const rank = () =>
    number === undefined
      ? builder.entity('process', file.path, [], attributes)
      : rankEntity(builder, { rank: number, job: job.id, alias: 'rank_of_unnamed_job' }, attributes);
  job.present.add(number ?? -1 - job.present.size);
  expect(job, groups);
  memberOf(builder, rank(), job);
  for (const { at, reason, excerpt } of dump.broken) builder.reject(file.path, at, reason, excerpt);
  for (const { at, value } of dump.entries) {
    try {
      appendEntry(builder, rank(), groups, value);
    } catch (error) {
      builder.reject(file.path, at, problemOf(error).problem.message, JSON.stringify(plainJson(value)));
    }
    if (builder.rowCount >= BATCH_ROWS) yield builder.finish(done);
  }
}

function expect(job: Job, groups: ReadonlyMap<string, ProcessGroup>): void {
  for (const { ranks } of groups.values())
    for (const rank of ranks ?? []) if (job.expected.size < MAX_RANKS) job.expected.add(rank);
}

function memberOf(builder: BatchBuilder, rank: number, job: Job): void {
  const to = builder.entity('job', job.id);
  appendEdge(builder, { from: rank, kind: 'member_of', to, provenance: 'flight recorder' });
}

/** The job as a whole, once all dumps are read: which ranks belong to it and left no dump. */
function appendJob(builder: BatchBuilder, job: Job): void {
  if (job.present.size === 0) fail('flight_recorder.not_a_dump', `${job.id} holds no dump`);
  const missing = [...job.expected].filter((rank) => !job.present.has(rank)).sort((a, b) => a - b);
  if (missing.length > 0) {
    const listed = missing.slice(0, MAX_LISTED).join(', ');
    const more = missing.length > MAX_LISTED ? `, and ${missing.length - MAX_LISTED} more` : '';
    builder.remark(`no dump of ${missing.length} of ${job.expected.size} ranks: ${listed}${more}`);
  }
  const attributes = attributesText({
    'flight_recorder.ranks': job.expected.size,
    'flight_recorder.ranks_without_dump': missing.length > 0 ? missing : undefined,
  });
  const to = builder.entity('job', job.id, [], attributes);
  for (const rank of missing) {
    const from = rankEntity(builder, { rank, job: job.id, alias: 'rank_of_unnamed_job' });
    appendEdge(builder, { from, kind: 'member_of', to, provenance: 'flight recorder' });
  }
}
