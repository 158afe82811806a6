import { describe, expect, test } from 'vitest';
import { loopNames } from '../../src/core/analysis/patterns/training/training-spans.ts';
import { memoryCore } from '../support/core.ts';
import { sharedData } from '../support/shared-data.ts';
import { type SpanLine, TRACE_START_NS, traceCase } from '../support/trace-case.ts';

interface Loop {
  readonly rank?: number;
  readonly from_s?: number;
  readonly steps?: number;
  /** Seconds that a step waits for input; without it takes 1 s. */
  readonly wait: (step: number) => number;
  readonly load?: string;
  readonly step?: string;
  readonly values?: Readonly<Record<string, unknown>>;
  readonly load_values?: Readonly<Record<string, unknown>>;
}

/** A training loop, one step after another, each beginning with its load. */
function loop({
  rank = 0,
  from_s = 0,
  steps = 300,
  wait,
  load = 'DataLoader.__next__',
  step = 'train_step',
  ...own
}: Loop) {
  let at = from_s * 1000;
  const place = { service: 'trainer', resource: { 'host.name': `n${rank >> 3}`, 'gen_ai.training.rank': rank } };
  return Array.from({ length: steps }, (_, number): SpanLine[] => {
    const from = at;
    at += 1000 + wait(number) * 1000;
    const trace = `r${rank}s${number}f${from_s}`;
    const id = `${number}`;
    return [
      { ...place, trace, id, name: step, from, to: at, values: own.values ?? {} },
      {
        ...place,
        trace,
        id: `l${id}`,
        parent: id,
        name: load,
        from,
        to: from + wait(number) * 1000,
        values: own.load_values ?? own.values ?? {},
      },
    ];
  }).flat();
}

async function stalls(spans: readonly SpanLine[]) {
  const core = await traceCase(spans);
  const { findings } = await core.api['patterns.list']({});
  return findings.map(({ pattern, headline, start_ns, end_ns, entities }) => ({
    pattern,
    headline,
    seconds: [start_ns, end_ns].map((time) => Math.round(Number(time - TRACE_START_NS) / 1e9)),
    entities: entities.map(({ id }) => id),
  }));
}

const within =
  (from: number, to: number, wait: number, otherwise = 0.02) =>
  (step: number) =>
    step >= from && step < to ? wait : otherwise;

test.each([
  ['healthy-16-ranks.json.gz', []],
  [
    'one-process-2min-stall.json.gz',
    ['trainer/rank-0 waited 71 s for input, 59 % of 119 steps in 2 min (otherwise 2 %).'],
  ],
])('the recording %s', async (file, headlines) => {
  const core = await memoryCore();
  await core.import([sharedData(`defects/dataloader/${file}`)]);
  const { findings } = await core.api['patterns.list']({});
  expect(findings.map(({ headline }) => headline)).toEqual(headlines);
});

test('processes that wait together are one finding, with their time and their peers', async () => {
  const spans = [0, 1, 2, 3].flatMap((rank) =>
    loop({ rank, wait: rank === 1 || rank === 2 ? within(100, 160, 1.5) : () => 0.02 }),
  );
  expect(await stalls(spans)).toEqual([
    {
      pattern: 'dataloader-stall',
      headline:
        '2 of 4 processes of trainer (trainer/rank-1 and trainer/rank-2) waited 1.5 min each for input, 60 % of 120 steps in 2.5 min (otherwise 2 %, 2 other processes 2 %).',
      seconds: [102, 252],
      entities: ['trainer/rank-1', 'trainer/rank-2'],
    },
  ]);
});

test('a job that always waits is found as a whole', async () => {
  const spans = [0, 1].flatMap((rank) => loop({ rank, steps: 60, wait: () => 1 }));
  expect((await stalls(spans)).map(({ headline }) => headline)).toEqual([
    'All 2 processes of trainer waited 60 s each for input, 50 % of 120 steps in 2 min.',
  ]);
});

test('rank 0 of two jobs are two processes', async () => {
  const spans = ['a', 'b'].flatMap((job) =>
    loop({ steps: 100, wait: () => (job === 'b' ? 1.5 : 0.02) }).map((span) => ({
      ...span,
      trace: `${job}${span.trace}`,
      resource: { ...span.resource, 'gen_ai.training.job_id': job },
    })),
  );
  expect((await stalls(spans)).map(({ headline }) => headline)).toEqual([
    'b/rank-0 waited 2.5 min for input, 60 % of 100 steps in 4.2 min.',
  ]);
});

test('two stalls of one process are two findings', async () => {
  const spans = loop({ wait: (step) => Math.max(within(20, 40, 2)(step), within(200, 220, 2)(step)) });
  expect((await stalls(spans)).map(({ seconds }) => seconds)).toEqual([
    [20, 80],
    [244, 304],
  ]);
});

test('workers that are all too slow are late together', async () => {
  const spans = loop({ wait: (step) => (step % 8 === 0 ? 6 : 0) });
  expect((await stalls(spans)).map(({ headline }) => headline)).toEqual([
    'trainer/rank-0 waited 3.8 min for input, 43 % of 297 steps in 8.8 min.',
  ]);
});

test.each([
  'dataloader.next',
  'batch_fetch',
  'data_loading',
  'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__',
])('a load called %s', async (load) => {
  expect(await stalls(loop({ steps: 30, wait: () => 1, load }))).toHaveLength(1);
});

const evaluation = (name: string): SpanLine => ({
  trace: 'eval',
  id: 'e',
  service: 'trainer',
  resource: { 'host.name': 'n0', 'gen_ai.training.rank': 0 },
  name,
  from: 60_000,
  to: 200_000,
});
const training = (steps: number, from_s = 0): SpanLine[] => loop({ steps, from_s, wait: () => 0.02 });

test.each<readonly [string, readonly SpanLine[]]>([
  ['the first batch', loop({ steps: 60, wait: (step) => (step === 0 ? 90 : 0.02) })],
  ['few slow steps of the beginning', loop({ steps: 60, wait: (step) => (step < 3 ? 20 : 0.02) })],
  ['loads that are hidden', loop({ wait: () => 0.2 })],
  [
    'an evaluation with steps',
    [
      ...training(50),
      evaluation('evaluation'),
      ...loop({ from_s: 60, steps: 60, wait: () => 1 }),
      ...training(50, 200),
    ],
  ],
  [
    'steps of an evaluation',
    [...training(50), ...loop({ from_s: 60, steps: 60, wait: () => 1, step: 'eval_step' }), ...training(50, 200)],
  ],
  [
    'a long checkpoint in a step',
    [
      ...training(50),
      ...loop({ from_s: 60, steps: 1, wait: () => 0.02 }),
      { ...evaluation('save_checkpoint') },
      ...training(50, 200),
    ],
  ],
  ['a thread that loads ahead', loop({ wait: () => 0.9, values: { 'thread.id': 1 }, load_values: { 'thread.id': 2 } })],
  [
    'work of loader processes',
    [...training(100), ...loop({ steps: 100, wait: () => 1, step: 'decode', load_values: { worker_id: 3 } })],
  ],
  ['a service that gets data', loop({ wait: () => 1, step: 'GET /users', load: 'get_data' })],
])('no stall: %s', async (_, spans) => {
  expect(await stalls(spans)).toEqual([]);
});

test('names of spans of a training loop', () => {
  const is = (source: string, name: string): boolean => new RegExp(source, 'i').test(name);
  const loads = [
    'DataLoader.__next__',
    'dataloader.next',
    'load_batch',
    'next_batch 12',
    'data_time',
    'data_loading',
    'wait_for_data',
    'train_dataloader_next',
    'IteratorGetNext',
    'get_next_batch',
    'input_wait',
  ];
  const others = [
    'load_checkpoint',
    'get_data_parallel_group',
    'batch_time',
    'optimizer.step',
    'GET /data/1',
    'database',
    'forward',
    'update_batch_size',
  ];
  expect(loads.filter((name) => !is(loopNames.loads, name))).toEqual([]);
  expect(others.filter((name) => is(loopNames.loads, name))).toEqual([]);
  const steps = [
    'ProfilerStep#12',
    'train_step',
    'training step 5',
    'iteration 7',
    'step_12',
    '[pl][profile]run_training_batch',
    'train_batch',
  ];
  expect(steps.filter((name) => !is(loopNames.steps, name))).toEqual([]);
  expect(['stepper', 'optimizer.step', 'iterate users', 'steps'].filter((name) => is(loopNames.steps, name))).toEqual(
    [],
  );
  const evaluations = [
    'evaluation',
    'eval_loop',
    'validation epoch 3',
    'validate',
    '[_EvaluationLoop].val_next',
    'test',
  ];
  expect(evaluations.filter((name) => !is(loopNames.evaluations, name))).toEqual([]);
  expect(
    ['train_step', 'retrieval', 'interval', 'valuable', 'latest'].filter((name) => is(loopNames.evaluations, name)),
  ).toEqual([]);
});

describe('what a program states of its steps', () => {
  const metrics = (load: string, step: string, share: (minute: number) => number) =>
    Array.from({ length: 30 }, (_, minute) =>
      [[load, share(minute) * 2] as const, [step, 2] as const].map(([metric, value]) => ({ metric, value, minute })),
    ).flat();
  const lines = (line: (share: number) => string, share: (minute: number) => number) =>
    Array.from({ length: 30 }, (_, minute) => ({ minute, body: line(share(minute)) }));
  const stalled = (minute: number): number => (minute >= 10 && minute < 20 ? 0.6 : 0.02);

  async function found(
    rows: readonly ({ minute: number; body: string } | { minute: number; metric: string; value: number })[],
  ) {
    const core = await memoryCore();
    const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'trainer' } }] };
    const at = (minute: number): string => String(TRACE_START_NS + BigInt(minute) * 60_000_000_000n);
    const logRecords = rows.flatMap((row) =>
      'body' in row ? [{ timeUnixNano: at(row.minute), severityNumber: 9, body: { stringValue: row.body } }] : [],
    );
    const points = Map.groupBy(
      rows.flatMap((row) => ('metric' in row ? [row] : [])),
      ({ metric }) => metric,
    );
    const gauges = [...points].map(([name, own]) => ({
      name,
      unit: 's',
      gauge: { dataPoints: own.map(({ minute, value }) => ({ timeUnixNano: at(minute), asDouble: value })) },
    }));
    await core.importJson({ resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] });
    if (gauges.length > 0)
      await core.importJson({ resourceMetrics: [{ resource, scopeMetrics: [{ metrics: gauges }] }] });
    const { findings } = await core.api['patterns.list']({});
    for (const ref of findings.flatMap(({ evidence }) => evidence.flatMap(({ refs }) => refs)))
      expect((await core.api['evidence.get']({ ref })).ref).toBe(ref);
    return findings.map(({ headline }) => headline);
  }

  test.each([
    ['train/data_time', 'train/time'],
    ['data_loading_time', 'step_time'],
    ['training.data_wait', 'training.iteration.duration'],
  ])('gauges: %s and %s', async (load, step) => {
    expect(await found(metrics(load, step, stalled))).toEqual([
      'trainer waited 6 min for input, 60 % of its steps by 10 log lines or samples in 10 min (otherwise 2 %).',
    ]);
  });

  test.each<readonly [string, (share: number) => string]>([
    [
      'MMEngine',
      (share) =>
        `Epoch(train) [1][50/1000]  lr: 1.0e-03  eta: 1:20:00  time: 0.6500  data_time: ${(0.65 * share).toFixed(4)}  memory: 5000  loss: 0.5`,
    ],
    [
      'Detectron2',
      (share) =>
        `eta: 0:10:00  iter: 19  total_loss: 1.2  time: 0.4713  last_time: 0.4700  data_time: ${(0.4713 * share).toFixed(4)}  last_data_time: 0.0101  lr: 0.01`,
    ],
    [
      "PyTorch's example",
      (share) =>
        `Epoch: [0][ 10/5005]\tTime  0.352 ( 0.923)\tData  ${(0.352 * share).toFixed(3)} ( 0.380)\tLoss 6.9 (6.9)`,
    ],
    [
      'torchvision',
      (share) =>
        `Epoch: [0]  [  10/2502]  eta: 0:56:20  lr: 0.1  time: 0.4012  data: ${(0.4012 * share).toFixed(4)}  max mem: 5511`,
    ],
  ])('log lines of %s', async (_, line) => {
    expect((await found(lines(line, stalled)))[0]).toMatch(
      /^trainer waited 6 min for input, 60 % of its steps by 10 log lines/,
    );
    expect(await found(lines(line, () => 0.02))).toEqual([]);
  });

  test.each<readonly [string, Parameters<typeof found>[0]]>([
    ['healthy gauges', metrics('data_time', 'step_time', () => 0.05)],
    [
      'lines of an evaluation',
      lines((share) => `Epoch(val) [1][5/10]  time: 0.6500  data_time: ${(0.65 * share).toFixed(4)}`, stalled),
    ],
    ['a data time without a step time', metrics('data_time', 'loss', stalled)],
    ['other lines about data', lines((share) => `wrote data: ${share.toFixed(3)} GB, free: 10.5`, stalled)],
  ])('no stall: %s', async (_, rows) => {
    expect(await found(rows)).toEqual([]);
  });
});
