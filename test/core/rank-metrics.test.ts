import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryCore, temporaryFolder } from '../support/core.ts';

const BEGIN = Date.UTC(2026, 4, 1, 14);
const RANKS = 8;
const EVERY_S = 15;
const SAMPLES = 120;

type ValueOf = (rank: number, second: number) => number;
/** Steps of 2 s, of which those of rank 5 take 2.8 s from minute 20 on. */
const stepTime: ValueOf = (rank, second) =>
  2 + ((second * 7 + rank * 3) % 11) / 1000 + (rank === 5 && second >= 1200 ? 0.8 : 0);

interface Form {
  readonly name: string;
  /** @param job the name of the service that has the ranks */
  readonly write: (of: ValueOf, job?: string) => string;
}
const ranks = [...Array(RANKS).keys()];
const seconds = Array.from({ length: SAMPLES }, (_, i) => i * EVERY_S);
const nanos = (second: number): string => `${BEGIN + second * 1000}000000`;

/** What a process of each rank exports by OTLP; or one process for all, with the rank in the points. */
function otlp(
  [metric, unit]: readonly [name: string, unit: string],
  points: (rank: number) => object,
  { job = 'llm', inPoints = false },
): string {
  const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });
  const resourceMetrics = ranks.map((rank) => {
    const rankAttribute = attribute('gen_ai.training.rank', String(rank));
    const attributes = [attribute('service.name', job), ...(inPoints ? [] : [rankAttribute])];
    const shape = points(rank) as Record<string, { dataPoints: object[] }>;
    const [kind, body] = Object.entries(shape)[0]!;
    const dataPoints = body.dataPoints.map((one) => (inPoints ? { ...one, attributes: [rankAttribute] } : one));
    return {
      resource: { attributes },
      scopeMetrics: [{ metrics: [{ name: metric, unit, [kind]: { ...body, dataPoints } }] }],
    };
  });
  return JSON.stringify({ resourceMetrics });
}

const gauge = (of: ValueOf) => (rank: number) => ({
  gauge: { dataPoints: seconds.map((second) => ({ timeUnixNano: nanos(second), asDouble: of(rank, second) })) },
});
/** Seven steps between two collections. */
const histogram = (of: ValueOf) => (rank: number) => {
  let sum = 0;
  const dataPoints = seconds.map((second, i) => {
    sum += 7 * of(rank, second);
    const point = { startTimeUnixNano: nanos(-1), timeUnixNano: nanos(second), count: String(7 * (i + 1)), sum };
    return { ...point, explicitBounds: [1, 10], bucketCounts: ['0', String(7 * (i + 1)), '0'] };
  });
  return { histogram: { aggregationTemporality: 2, dataPoints } };
};

/** The answer of a range query. @param labels of the series of a rank */
function answer(metric: string, of: ValueOf, labels: (rank: number) => object): string {
  const result = ranks.map((rank) => ({
    metric: { __name__: metric, rank: String(rank), ...labels(rank) },
    values: seconds.map((second) => [BEGIN / 1000 + second, String(of(rank, second))]),
  }));
  return JSON.stringify({ status: 'success', data: { resultType: 'matrix', result } });
}
const pods =
  (job = 'llm') =>
  (rank: number) => ({ job, pod: `${job}-${rank}`, namespace: 'train', node: `${job}-node-${rank >> 2}` });

const forms: readonly Form[] = [
  { name: 'OTLP gauge', write: (of, job) => otlp(['train.step.time', 's'], gauge(of), { job }) },
  {
    name: 'OTLP gauge in ms, ranks in points',
    write: (of, job) =>
      otlp(
        ['train_step_duration', 'ms'],
        gauge((r, s) => 1000 * of(r, s)),
        { job, inPoints: true },
      ),
  },
  { name: 'OTLP histogram', write: (of, job) => otlp(['gen_ai.training.step.duration', 's'], histogram(of), { job }) },
  { name: 'Prometheus answer', write: (of, job) => answer('train_step_time_seconds', of, pods(job)) },
  {
    name: 'Prometheus answer of machines',
    write: (of, job = 'llm') =>
      answer(
        'iteration_time_ms',
        (r, s) => 1000 * of(r, s),
        (rank) => ({ job, instance: `${job}-${rank}.example:9400` }),
      ),
  },
];

/** What is concluded from these files: one for each job. */
async function judge(...texts: readonly string[]) {
  const folder = await temporaryFolder();
  const paths = texts.map((_, i) => join(folder, `metrics-${i}.json`));
  for (const [i, path] of paths.entries()) await writeFile(path, texts[i]!);
  const core = await memoryCore();
  await core.import(paths);
  const { incidents } = await core.api.correlate({});
  const { jobs } = await core.api['jobs.list']({});
  return { incidents, jobs, core };
}

test.each(forms)(
  'one rank whose steps take longer is named, with the steps of its job and since when it is slow: $name',
  async ({ write }) => {
    const { incidents, jobs, core } = await judge(write(stepTime));
    expect(incidents).toMatchObject([
      { harm: 'slowed', affected_services: ['llm'], affected_parts: [{ kind: 'rank', name: 'rank-5' }] },
    ]);
    expect(jobs).toMatchObject([{ ranks: RANKS, ranks_with_steps: RANKS, last_step: null, state: 'running' }]);
    expect(jobs[0]!.usual_s).toBeCloseTo(2, 1);
    expect(jobs[0]!.waited).toMatchObject([{ kind: 'slow', name: 'rank 5', row: 5 }]);
    const [{ times, from_ns }] = jobs[0]!.waited as [(typeof jobs)[0]['waited'][0]];
    expect(times).toBeCloseTo(1.4, 1);
    expect(Math.abs(Number(from_ns) / 1e6 - BEGIN - 1_200_000)).toBeLessThanOrEqual(60_000);
    const {
      ranks: rows,
      measure,
      values,
    } = await core.api['jobs.heat']({
      job: jobs[0]!.id,
      start_ns: BigInt(BEGIN + 1_300_000) * 1_000_000n,
      end_ns: BigInt(BEGIN + 1_700_000) * 1_000_000n,
      buckets: 1,
    });
    expect([measure, ...rows.map(({ usual_s }) => Math.round(10 * (usual_s ?? 0)) / 10)]).toEqual([
      'step',
      ...ranks.map(() => 2),
    ]);
    expect([...values].map((value) => Math.round(10 * value) / 10)).toEqual(
      ranks.map((rank) => (rank === 5 ? 2.8 : 2)),
    );
  },
);

test.each(forms)('ranks that are all slower, or none, name no rank: $name', async ({ write }) => {
  const { incidents, jobs } = await judge(
    write((_, second) => stepTime(1, second), 'even'),
    write((_, second) => stepTime(5, second), 'slower'),
  );
  expect(jobs).toHaveLength(2);
  expect(incidents.filter(({ affected_services }) => affected_services.includes('even'))).toEqual([]);
  expect(incidents.map(({ affected_parts }) => affected_parts)).toEqual(incidents.map(() => []));
});

/** Steps of 2 s until second 1201; rank 5 does not complete its last one. */
const counted =
  (last: ValueOf): ValueOf =>
  (rank, second) =>
    Math.min(Math.floor((second + rank / 10) / 2), last(rank, second));
const lagging = counted((rank) => (rank === 5 ? 599 : 600));
const counters: readonly Form[] = [
  { name: 'OTLP', write: (of, job) => otlp(['train_global_step', '1'], gauge(of), { job }) },
  { name: 'Prometheus', write: (of, job) => answer('train_steps_total', of, pods(job)) },
];

test.each(counters)(
  'the rank that stopped counting first is the one that the others wait for: $name',
  async ({ write }) => {
    const { incidents, jobs } = await judge(write(lagging));
    expect(incidents).toMatchObject([{ harm: 'stalled', affected_services: ['llm'] }]);
    expect(incidents[0]!.hypotheses[0]).toMatchObject({ type: 'collective_stalled', subject: { kind: 'rank' } });
    expect(incidents[0]!.hypotheses[0]!.subject!.id).toMatch(/rank-5$/);
    // Steps of 2 s, by a counter that is collected every 15 s.
    expect(jobs[0]).toMatchObject({ state: 'stalled', last_step: 600, ranks_with_steps: RANKS });
    expect(jobs[0]!.usual_s).toBeCloseTo(2, 0);
  },
);

test.each(counters)('ranks that stop at the same step, or do not count alike, name none: $name', async ({ write }) => {
  const { incidents, jobs } = await judge(
    write(
      counted(() => 600),
      'alike',
    ),
    // It began ten steps later than the others, and still is so far behind.
    write((rank, second) => counted(() => 600)(rank, second) - (rank === 5 ? 10 : 0), 'later'),
    write(
      counted((rank) => 600 - (rank % 3)),
      'unlike',
    ),
  );
  expect(jobs.map(({ state }) => state)).toEqual(['stalled', 'stalled', 'stalled']);
  expect(incidents.flatMap(({ hypotheses }) => hypotheses.map(({ type }) => type))).not.toContain('collective_stalled');
});

test.each(counters)('a rank whose counter stands while the others go on: $name', async ({ write }) => {
  const going = counted((rank) => (rank === 5 ? 300 : 10_000));
  // Ranks of which half stop are no exception.
  const half = write(
    counted((rank) => (rank < 4 ? 300 : 10_000)),
    'half',
  );
  const { jobs, incidents } = await judge(write(going), half);
  const job = (name: string) => jobs.find((one) => one.name.includes(name))!;
  expect(job('llm')).toMatchObject({ state: 'running', waited: [{ kind: 'stopped', name: 'rank 5', own_step: 300 }] });
  const [{ others_step, from_ns }] = job('llm').waited as [(typeof jobs)[0]['waited'][0]];
  expect(others_step).toBeGreaterThan(890);
  expect(Math.abs(Number(from_ns) / 1e6 - BEGIN - 600_000)).toBeLessThanOrEqual(15_000);
  expect(job('half').waited).toEqual([]);
  expect(incidents.flatMap(({ hypotheses }) => hypotheses.map(({ type }) => type))).not.toContain('collective_stalled');
});

/** Cells of the ranks of the only job, five minutes each. */
async function cellsOf({ core, jobs }: Awaited<ReturnType<typeof judge>>): Promise<number[][]> {
  const at = (second: number): bigint => BigInt(BEGIN + 1000 * second) * 1_000_000n;
  const window = { start_ns: at(0), end_ns: at(EVERY_S * SAMPLES), buckets: 6 };
  const { values } = await core.api['jobs.heat']({ job: jobs[0]!.id, ...window });
  return ranks.map((rank) => [...values.subarray(6 * rank, 6 * rank + 6)].map((value) => Math.round(value)));
}

test.each(counters)('where a counter stands it was recorded, and no step was completed: $name', async ({ write }) => {
  const [step, none] = [2, Number.POSITIVE_INFINITY];
  const judged = await judge(write(lagging));
  expect(await cellsOf(judged)).toEqual(ranks.map(() => [step, step, step, step, none, none]));
  // Nothing is recorded of a rank whose counter was not collected any more.
  const series = (rank: number, second: number) => (rank === 5 && second > 1300 ? Number.NaN : lagging(rank, second));
  const [, , , , , five] = await cellsOf(await judge(write(series).replaceAll('null', '"NaN"')));
  expect(five).toEqual([step, step, step, step, none, Number.NaN]);
});

test('a pause of a job whose steps a gauge times is no gap where their counter was collected', async () => {
  const [from, until] = [600, 900];
  // The exporter repeats the last value of a program that waits.
  const worked = (second: number): number => (second < from ? second : Math.max(from, second - (until - from)));
  const times = otlp(
    ['train.step.time', 's'],
    gauge((rank, second) => stepTime(rank === 5 ? 1 : rank, worked(second))),
    {},
  );
  const counts = otlp(
    ['train_global_step', '1'],
    gauge((_, second) => Math.floor(worked(second) / 2)),
    {},
  );
  const both = [times, counts].flatMap((text) => (JSON.parse(text) as { resourceMetrics: object[] }).resourceMetrics);
  const cells = await cellsOf(await judge(JSON.stringify({ resourceMetrics: both })));
  expect(cells).toEqual(ranks.map(() => [2, 2, Number.POSITIVE_INFINITY, 2, 2, 2]));
  expect(await cellsOf(await judge(times))).toEqual(ranks.map(() => [2, 2, Number.NaN, 2, 2, 2]));
});

/** A counter of the seconds that a rank waited; a usual one waits 0.2 s in 2 s, and rank 5 for nobody from minute 10 to 20, while the others wait for it. */
const waited = (whose: (second: number) => number): ValueOf => {
  const sums = ranks.map((rank) => {
    let sum = 0;
    return seconds.map((second) => {
      const isLate = second >= 600 && second < 1200;
      sum += EVERY_S * (isLate ? (rank === whose(second) ? 0.01 : 0.3) : 0.1 + ((second + rank) % 3) / 100);
      return sum;
    });
  });
  return (rank, second) => sums[rank]![second / EVERY_S]!;
};

test('the rank that waits least while the others wait long is late, by counters of waits', async () => {
  const { core } = await judge(
    answer(
      'train_comm_wait_seconds_total',
      waited(() => 5),
      pods(),
    ),
  );
  const { findings } = await core.api['patterns.list']({});
  const late = findings.filter(({ pattern }) => pattern === 'collective-straggler');
  expect(late).toMatchObject([{ headline: expect.stringMatching(/^Rank 5 came last into collectives for 10 min/) }]);
  const [ref = ''] = late[0]!.evidence[0]!.refs;
  expect((await core.api['evidence.get']({ ref })).title).toMatch(/^train_comm_wait_seconds_total/);
});

test('ranks that wait least in turn are not late', async () => {
  const { core } = await judge(
    answer(
      'train_comm_wait_seconds_total',
      waited((second) => (second / EVERY_S) % RANKS),
      pods(),
    ),
  );
  const { findings } = await core.api['patterns.list']({});
  expect(findings.filter(({ pattern }) => pattern === 'collective-straggler')).toEqual([]);
});
