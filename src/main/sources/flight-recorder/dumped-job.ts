import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendEdge } from '../../../model/rows/records.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type SourceFile } from '../../../model/storage/source.ts';
import { rankEntity } from '../workload/rank.ts';
import { appendEntry, rankAttributes } from './append-dump.ts';
import { problemOf, processGroups, rankOf } from './dump.ts';
import type { Dump, ProcessGroup } from './format.ts';
import { plainJson } from './plain-json.ts';
import { rankInName } from './rank-in-name.ts';

const MAX_RANKS = 100_000;

/** Ranks of one job, by its dumps so far. */
export class DumpedJob {
  readonly id: string;
  /** With a dump; negative numbers: dumps of unknown ranks. */
  readonly present = new Set<number>();
  /** Named by the process groups. */
  readonly expected = new Set<number>();

  constructor(id: string) {
    this.id = id;
  }

  /** Ascending; without a dump. */
  get missing(): number[] {
    return [...this.expected].filter((rank) => !this.present.has(rank)).sort((a, b) => a - b);
  }
}

/** Its entries as rows, a batch at a time; the last rows stay in the builder. `done`: bytes read so far. */
export function* appendDump(
  builder: BatchBuilder,
  job: DumpedJob,
  file: Pick<SourceFile, 'path'>,
  dump: Dump,
  done: number,
): Generator<RowBatch> {
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

function expect(job: DumpedJob, groups: ReadonlyMap<string, ProcessGroup>): void {
  for (const { ranks } of groups.values())
    for (const rank of ranks ?? []) if (job.expected.size < MAX_RANKS) job.expected.add(rank);
}

function memberOf(builder: BatchBuilder, rank: number, job: DumpedJob): void {
  const to = builder.entity('job', job.id);
  appendEdge(builder, { from: rank, kind: 'member_of', to, provenance: 'flight recorder' });
}

/** Ranks of the job that left no dump are members of it, too. */
export function appendMissingRanks(builder: BatchBuilder, job: DumpedJob): void {
  for (const rank of job.missing)
    memberOf(builder, rankEntity(builder, { rank, job: job.id, alias: 'rank_of_unnamed_job' }), job);
}
