import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TrainingJob } from '../../src/core/analysis/jobs/job.ts';
import { lostTime } from '../../src/core/analysis/jobs/lost-time.ts';
import { readJobs } from '../../src/core/analysis/jobs/read-jobs.ts';
import { loopNames } from '../../src/core/analysis/patterns/training/training-spans.ts';
import { HeatCells } from '../../src/core/api/jobs/heat-cells.ts';
import { readHeat } from '../../src/core/api/jobs/job-heat.ts';
import { liveJob } from '../../src/core/api/jobs/live-job.ts';
import { numbersOf } from '../../src/core/store/case-file/case-file.ts';
import { createReader } from '../../src/core/store/facts/reader.ts';
import { queries } from '../../src/core/store/queries/index.ts';
import { correlateOptionsSchema } from '../../src/model/incident/incident-schema.ts';
import { rankId } from '../../src/model/rank-name.ts';
import { ALWAYS_FROM, ALWAYS_TO } from '../../src/model/rows/rows.ts';
import type { Session } from '../../src/model/storage/engine.ts';
import { memoryCore } from '../support/core.ts';
import { atSecond, type Recording, recordedCase } from '../support/software-case.ts';

const END = 600;

/** A recording of ten minutes, which others go on with. */
const jobsOf = async (fill: (recording: Recording) => void): Promise<[TrainingJob[], Session]> => {
  const session = await recordedCase((recording) => {
    recording.log(END, 'other', 'a line');
    fill(recording);
  });
  return [await readJobs(createReader(session), new Map(), correlateOptionsSchema.parse({})), session];
};

/** A rank of a job on a machine. */
function rankOf({ builder }: Recording, job: string, rank: number): number {
  const link = (from_entity: number, kind: string, to_entity: number): void => {
    const provenance = builder.name('test');
    const times = { valid_from_ns: ALWAYS_FROM, valid_to_ns: ALWAYS_TO };
    builder.table('edge').push({ from_entity, kind: builder.name(kind), to_entity, ...times, provenance });
  };
  const entity = builder.entity('rank', rankId(rank, job), [{ kind: 'rank_of_job', name: rankId(rank, '') }]);
  const gpu = builder.entity('gpu', `node-${rank >> 1}/GPU-${rank & 1}`);
  const server = builder.entity('server', `node-${rank >> 1}`);
  link(entity, 'member_of', builder.entity('job', job));
  link(entity, 'runs_on', gpu);
  link(server, 'contains', gpu);
  return entity;
}

let spanIds = 0n;
function span({ builder }: Recording, service: number, name: string, from: number, to: number): void {
  const ids = { trace_hi: 1n, trace_lo: 1n, span_id: ++spanIds, parent_id: 0n };
  const texts = { trace_state: '', status_message: '', attributes: '' };
  const codes = { resource: -1, scope: -1, kind: 1, status: 0, flags: 0, dropped: 0 };
  const times = { start_ns: atSecond(from), end_ns: atSecond(to) };
  builder.table('span').push({ ...ids, ...times, name: builder.name(name), service, ...codes, ...texts });
}

function line({ builder }: Recording, entity: number, second: number, attributes: object, body = 'a line'): void {
  const resource = builder.resource({ entity, attributes: '', schema_url: '' });
  const codes = { severity: 9, severity_text: -1, event_name: -1, resource, scope: -1, flags: 0, dropped: 0 };
  const ids = { trace_hi: 0n, trace_lo: 0n, span_id: 0n };
  const texts = { body, attributes: JSON.stringify(attributes) };
  builder.table('log').push({ time_ns: atSecond(second), observed_ns: 0n, ...codes, ...ids, ...texts });
}

const heatOf = (session: Session, job: TrainingJob, from: number, to: number, buckets: number) =>
  readHeat(session, job, { job: job.id, start_ns: atSecond(from), end_ns: atSecond(to), buckets, measure: null });
const rows = (values: Float64Array, buckets: number): number[][] =>
  Array.from({ length: values.length / buckets }, (_, row) => [
    ...values.subarray(row * buckets, (row + 1) * buckets).map((value) => Number(value.toFixed(6))),
  ]);

/** Steps of ten seconds in four ranks, of which rank 2 takes 15 s from the middle on and rank 3 has no steps. */
const training = (recording: Recording): void => {
  for (const rank of [0, 1, 2, 3]) {
    const entity = rankOf(recording, 'llm', rank);
    for (let at = 0; at < END && rank < 3; ) {
      const length = rank === 2 && at >= 300 ? 15 : 10;
      span(recording, entity, 'training.step', at, at + length);
      at += length;
    }
    if (rank === 0) span(recording, entity, 'save_checkpoint', 301, 309);
  }
};

test('ranks of a job are rows with their places; a rank without steps has no values', async () => {
  const [[job], session] = await jobsOf(training);
  expect(job).toMatchObject({ id: 'job:llm', hosts: 2, usual_s: 10, last_step: null });
  expect(job!.standing).toMatchObject({ state: 'running', reason: 'steps_to_end' });
  expect(job!.ranks.map(({ name }) => name)).toEqual(['rank 0', 'rank 1', 'rank 2', 'rank 3']);
  expect(job!.ranks[3]!.runsOn).toEqual({ gpus: ['gpu:node-1/GPU-1'], hosts: ['server:node-1'], racks: [] });
  const heat = await heatOf(session, job!, 0, END, 4);
  expect(heat.measure).toBe('step');
  expect(heat.ranks.map(({ steps }) => steps)).toEqual([60, 60, 50, 0]);
  const none = [Number.NaN, Number.NaN, Number.NaN, Number.NaN];
  expect(rows(heat.values, 4)).toEqual([[10, 10, 10, 10], [10, 10, 10, 10], [10, 10, 15, 15], none]);
  expect(rows(heat.usual, 4)).toEqual([[10, 10, 10, 10]]);
  expect(heat.marks).toMatchObject([{ kind: 'checkpoint', row: 0, start_ns: atSecond(301), end_ns: atSecond(309) }]);
  // Outside of the recording nothing is known, which is not zero.
  const later = await heatOf(session, job!, END + 60, END + 120, 2);
  expect([...later.values].every(Number.isNaN)).toBe(true);
  expect(later.marks).toEqual([]);
});

test('while a capture runs, silence is no progress, and a stall goes on', async () => {
  const [[job]] = await jobsOf(training);
  const last_ns = job!.standing.since_ns!;
  const after = (seconds: number): bigint => last_ns + BigInt(seconds) * 1_000_000_000n;
  expect(liveJob(job!, null)).toBe(job);
  expect(liveJob(job!, after(55)).standing).toEqual(job!.standing);
  expect(liveJob(job!, after(65)).standing).toEqual({ state: 'unknown', reason: 'silent', since_ns: last_ns });
  // Its clock is ahead of that of this machine.
  expect(liveJob(job!, after(-30)).standing).toEqual(job!.standing);
  const ended: TrainingJob['standing'] = { state: 'ended', reason: 'done', since_ns: last_ns };
  expect(liveJob({ ...job!, standing: ended }, after(600)).standing).toBe(ended);
  const standing: TrainingJob['standing'] = { state: 'stalled', reason: 'in_collective', since_ns: last_ns };
  const stalls = [
    { from_ns: after(-90), to_ns: after(-80), wentOn: true },
    { from_ns: last_ns, to_ns: after(2), wentOn: false },
  ];
  const stalled = liveJob({ ...job!, standing, stalls, operation_ns: after(2) }, after(600));
  expect(stalled.stalls).toEqual([stalls[0], { ...stalls[1], to_ns: after(600) }]);
  expect([stalled.standing, stalled.operation_ns]).toEqual([standing, after(600)]);
});

test('a job that stopped lost the GPU hours that it waited, and those since its last checkpoint', async () => {
  const [[job]] = await jobsOf(training);
  const since_ns = atSecond(END);
  const stopped = (standing: TrainingJob['standing'], changed: Partial<TrainingJob> = {}) =>
    lostTime({ ...job!, meanwhile_ns: atSecond(END + 3600), ...changed, standing });
  const stalled = { state: 'stalled', reason: 'in_collective', since_ns } as const;
  // Four GPUs: an hour of waiting, and from the checkpoint at 309 s on.
  const lost = { gpus: 4, counted: 'gpus', idle_gpu_hours: 4, saved_ns: atSecond(309) };
  expect(stopped(stalled)).toMatchObject(lost);
  expect(stopped(stalled)!.repeated_gpu_hours).toBeCloseTo((4 * 291) / 3600, 9);
  expect(stopped(stalled, { marks: [] })).toMatchObject({ repeated_gpu_hours: null, saved_ns: null });
  // A failed job may have given its GPUs back: it waited from its last step to its failure.
  const failed = { state: 'ended', reason: 'failed', since_ns: atSecond(END + 900) } as const;
  expect(stopped(failed)).toMatchObject({ ...lost, idle_gpu_hours: 1 });
  expect(stopped({ state: 'running', reason: 'steps_to_end', since_ns })).toBeNull();
  const bare = job!.ranks.map((rank) => ({ ...rank, runsOn: { gpus: [], hosts: [], racks: [] } }));
  expect(stopped(stalled, { ranks: bare })).toMatchObject({ gpus: 4, counted: 'ranks' });
  // Of a job whose other ranks nobody recorded the number of GPUs is unknown.
  expect(stopped(stalled, { ranks: bare.slice(2) })).toBeNull();
});

test('ranks of two jobs with one number are two rows, and a job without any row is listed as such', async () => {
  const [jobs] = await jobsOf((recording) => {
    for (const job of ['a', 'b']) span(recording, rankOf(recording, job, 0), 'training.step', 590, 600);
    recording.builder.entity('job', 'c');
  });
  expect(jobs.map(({ id, ranks }) => [id, ranks.length])).toEqual([
    ['job:a', 1],
    ['job:b', 1],
    ['job:c', 0],
  ]);
  expect(jobs[2]!.standing).toEqual({ state: 'unknown', reason: 'no_progress', since_ns: null });
  expect(jobs[2]).toMatchObject({ first_ns: null, usual_s: null });
});

test('log lines make steps, and show where their number goes back, and checkpoints', async () => {
  const [[job], session] = await jobsOf((recording) => {
    const rank = rankOf(recording, 'llm', 0);
    for (let at = 0; at <= 300; at += 10) line(recording, rank, at, { step: at / 10, loss: 2 });
    line(recording, rank, 205, {}, 'Saving checkpoint at iteration 20');
    line(recording, rank, 395, {}, 'Restoring checkpoint of iteration 20');
    for (let at = 400; at <= END; at += 10) line(recording, rank, at, { step: at / 10 - 20, loss: 2 });
  });
  expect(job).toMatchObject({ id: 'job:llm', last_step: 40, usual_s: 10 });
  expect(job!.standing.state).toBe('running');
  expect(job!.marks).toMatchObject([
    { kind: 'checkpoint', row: 0, start_ns: atSecond(205), text: 'Saving checkpoint at iteration 20' },
    { kind: 'step_back', row: 0, start_ns: atSecond(400), text: '30 → 20' },
  ]);
  const heat = await heatOf(session, job!, 0, END, 6);
  // From the last line before the restart to the first one after it, no step is known.
  expect(rows(heat.values, 6)).toEqual([[10, 10, 10, Number.NaN, 10, 10]]);
});

test('two recordings of one log are no restarts', async () => {
  const [[job]] = await jobsOf((recording) => {
    const rank = rankOf(recording, 'llm', 0);
    for (let at = 0; at <= END; at += 10) line(recording, rank, at, { step: at / 10, loss: 2 });
  });
  expect(job!.marks).toEqual([]);
});

test.each([
  ['a line that states it', { 'training.done': true }, { state: 'ended', reason: 'done' }],
  ['nothing', {}, { state: 'unknown', reason: 'quiet' }],
])('the end of a job is known by %s', async (_, last, standing) => {
  const [[job]] = await jobsOf((recording) => {
    const rank = rankOf(recording, 'llm', 0);
    for (let at = 0; at <= 300; at += 10)
      line(recording, rank, at, { step: at / 10, loss: 2, ...(at === 300 ? last : {}) });
  });
  expect(job!.standing).toMatchObject({ ...standing, since_ns: atSecond(300) });
});

test('replicas of a service whose logs state no rank are rows of it', async () => {
  const [jobs] = await jobsOf((recording) => {
    const { builder } = recording;
    for (const pod of ['train-0', 'train-1']) {
      const entity = builder.entity('service', 'pretrain');
      const attributes = JSON.stringify({ 'service.name': 'pretrain', 'k8s.pod.name': pod });
      const resource = builder.resource({ entity, attributes, schema_url: '' });
      for (let at = 0; at <= END; at += 10)
        builder.table('log').push({
          ...{
            time_ns: atSecond(at),
            observed_ns: 0n,
            severity: 9,
            severity_text: -1,
            event_name: -1,
            resource,
            scope: -1,
          },
          ...{ trace_hi: 0n, trace_lo: 0n, span_id: 0n, flags: 0, dropped: 0, body: 'a line' },
          attributes: JSON.stringify({ step: at / 10, loss: 2 }),
        });
    }
  });
  const [job] = jobs.filter(({ ranks }) => ranks.length > 0);
  expect(job).toMatchObject({ id: 'service:pretrain' });
  expect(job!.ranks.map(({ name, rank }) => [name, rank])).toEqual([
    ['train-0', null],
    ['train-1', null],
  ]);
  expect(job!.marks).toEqual([]);
});

test('sums of the database and intervals make the same cells', async () => {
  const [[job], session] = await jobsOf(training);
  const heat = await heatOf(session, job!, 33, 471, 7);
  const { steps, loads, evaluations, loaders } = loopNames;
  const sought = job!.ranks.flatMap(({ processes }, row) =>
    processes.map(({ entity, rank, job: named, place }) => ({ entity, rank, job: named, place, row })),
  );
  const answer = await session.query(queries.spanStepCells, [
    ...[steps, loads, evaluations, loaders],
    ...[atSecond(33), atSecond(471), 7, JSON.stringify(sought)],
  ]);
  const column = (name: string) => numbersOf(answer, name);
  const cells = new HeatCells(job!.ranks.length, 7);
  cells.addSums({
    row: column('row'),
    slice: column('slice'),
    share: column('share'),
    weighted: column('weighted'),
    opens: column('opens'),
    opened: column('opened'),
  });
  expect(rows(cells.means(), 7)).toEqual(rows(heat.values, 7));
  // A step that fills several buckets, too.
  const wide = new HeatCells(1, 4);
  const one = (value: number) => Float64Array.of(value);
  wide.addIntervals(
    { row: 0, start_s: one(0.5), end_s: one(3.5), seconds: one(3) },
    { start_ns: 0n, end_ns: 4_000_000_000n },
  );
  expect([...wide.shares()]).toEqual([0.5, 1, 1, 0.5]);
  expect([...wide.means()]).toEqual([3, 3, 3, 3]);
});

test('an answer about thousands of ranks is bounded', async () => {
  const [[job], session] = await jobsOf((recording) => {
    for (let rank = 0; rank < 4096; rank++) span(recording, rankOf(recording, 'llm', rank), 'training.step', 0, 10);
  });
  expect(job!.ranks).toHaveLength(4096);
  const heat = await heatOf(session, job!, 0, END, 512);
  expect(heat.values.length).toBeLessThanOrEqual(1_000_000);
  expect(heat.values.length).toBe(4096 * heat.buckets);
});

test('a recorded hang: who is waited for, and what the ranks did until then', async () => {
  const core = await memoryCore();
  await core.import([join(import.meta.dirname, '../../fixtures/flight-recorder/hang-rank5-protocol4')]);
  const { jobs } = await core.api['jobs.list']({});
  expect(jobs).toMatchObject([
    { name: 'hang-rank5-protocol4', ranks: 8, ranks_with_steps: 0, state: 'stalled', reason: 'in_collective' },
  ]);
  expect(jobs[0]!.waited).toMatchObject([{ name: 'rank 5', kind: 'stalled', row: 5 }]);
  const { first_ns, last_ns } = (await core.api['case.current']({})) as { first_ns: bigint; last_ns: bigint };
  const window = { start_ns: first_ns, end_ns: last_ns + 1n, buckets: 20 };
  const heat = await core.api['jobs.heat']({ job: jobs[0]!.id, ...window });
  expect([heat.measures, heat.measure]).toEqual([['wait'], 'wait']);
  expect(heat.operations.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
  expect(heat.stalls).toMatchObject([{ went_on: false }]);
  expect(heat.values.every((value) => Number.isNaN(value) || (value >= 0 && value <= 1))).toBe(true);
  await expect(core.api['jobs.heat']({ job: 'job:none', ...window })).rejects.toMatchObject({
    problem: { code: 'job.unknown' },
  });
});
