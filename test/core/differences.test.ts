import { describe, expect, test } from 'vitest';
import { entityDifferences } from '../../src/core/analysis/differences/entity-differences.ts';
import { falseDiscoveryRates } from '../../src/core/analysis/differences/false-discovery.ts';
import { findDifferences } from '../../src/core/analysis/differences/find-differences.ts';
import { cliffsDelta, rankChance } from '../../src/core/analysis/differences/number-test.ts';
import { selectionMembers } from '../../src/core/analysis/differences/selection-members.ts';
import { shareChance } from '../../src/core/analysis/differences/share-test.ts';
import { readLogIndex } from '../../src/core/analysis/logs/log-index.ts';
import { rowsOf } from '../../src/core/store/case-file/case-file.ts';
import { createReader } from '../../src/core/store/facts/reader.ts';
import { type Baseline, regionSchema } from '../../src/model/contract/differences.ts';
import type { Session } from '../../src/model/storage/engine.ts';
import { memoryCore } from '../support/core.ts';
import { atSecond, every, numbersFrom, recordedCase } from '../support/software-case.ts';

const SECONDS = 1000;
const WINDOW = { start_ns: atSecond(600), end_ns: atSecond(800) };

type Random = () => number;
const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

/** What a trace is like, drawn once: its spans resemble each other as those of real traces do. */
interface Trace {
  readonly second: number;
  readonly random: Random;
  readonly attributes: Record<string, unknown>;
  slow: number;
}

/** Traces of one to twenty spans over some minutes, log lines and series beside them; `plant` changes a trace or nothing. */
function shuffledCase(seed: number, plant: (trace: Trace) => void = () => undefined): Promise<Session> {
  return recordedCase((recording) => {
    const random = numbersFrom(seed);
    const { builder } = recording;
    for (let number = 1; number <= 1500; number++) {
      const trace: Trace = {
        second: random() * SECONDS,
        random,
        attributes: {
          tenant: pick(random, ['red', 'green', 'blue', 'grey']),
          region: pick(random, ['north', 'south']),
          build: `b${Math.floor(random() ** 3 * 40)}`,
          'request.id': `r${Math.floor(random() * 1e12)}`,
          tokens: Math.floor(random() ** 2 * 4000),
          // Some look like numbers, as hashes do.
          commit: Math.floor(random() * 16 ** 5).toString(16),
        },
        slow: 1,
      };
      plant(trace);
      const high = BigInt(Math.floor(random() * 2 ** 52));
      const size = 1 + Math.floor(random() ** 2 * 20);
      for (let step = 0; step < size; step++) {
        const service = pick(random, ['api', 'cache', 'model', 'store']);
        const start = trace.second + step * 0.01;
        const took = trace.slow * (0.02 + 0.05 * random() ** 3) * (service === 'model' ? 3 : 1);
        builder.table('span').push({
          trace_hi: high,
          trace_lo: BigInt(number),
          span_id: BigInt(number * 100 + step),
          parent_id: step === 0 ? 0n : BigInt(number * 100),
          start_ns: atSecond(start),
          end_ns: atSecond(start + took),
          name: builder.name(`${service} ${pick(random, ['get', 'put'])}`),
          service: builder.entity('service', service),
          resource: builder.resource({
            entity: builder.entity('service', service),
            attributes: JSON.stringify({
              'service.name': service,
              'k8s.pod.name': `${service}-${Math.floor(random() * 3)}`,
            }),
            schema_url: '',
          }),
          scope: -1,
          kind: step === 0 ? 2 : 3,
          status: random() < 0.03 ? 2 : 0,
          flags: 0,
          trace_state: '',
          status_message: '',
          attributes: JSON.stringify(trace.attributes),
          dropped: 0,
        });
      }
    }
    for (let line = 0; line < 600; line++) {
      const burst = 1 + Math.floor(random() ** 4 * 30);
      const second = random() * SECONDS;
      const text = pick(random, ['cache miss for key', 'request done after', 'retrying shard', 'lease renewed by']);
      for (let i = 0; i < burst; i++)
        recording.log(
          second,
          pick(random, ['api', 'model']),
          `${text} ${Math.floor(random() * 1e6)}`,
          pick(random, [9, 9, 13]),
        );
    }
    for (let series = 0; series < 30; series++) {
      // A level that wanders and comes back: neighbouring samples resemble each other.
      let level = 0;
      recording.metric(`gauge.${series}`, { service: 'api', seconds: every(5, 0, SECONDS) }, () => {
        level = 0.9 * level + random() - 0.5;
        return 100 + level;
      });
      // How many are collected changes nothing of their mean.
      recording.histogram(
        `mean.${series}`,
        { service: 'api', seconds: every(5, 0, SECONDS), cumulative: series % 2 === 0 },
        () => ({
          count: Math.floor(random() * 50),
          mean: 100 + random() + random(),
        }),
      );
    }
  });
}

async function differ(session: Session, baseline: Baseline, region: object = {}) {
  const reader = createReader(session);
  return findDifferences(reader, { region: regionSchema.parse({ ...WINDOW, ...region }), baseline }, () =>
    readLogIndex(reader),
  );
}

describe('nothing is found where nothing differs', () => {
  const seeds = [1, 2, 3, 4];
  const ids = (found: Awaited<ReturnType<typeof differ>>) => found.differences.map(({ id, q }) => `${id} ${q}`);

  test.each(seeds)('in a window of shuffled traces, lines and samples (seed %i)', async (seed) => {
    const session = await shuffledCase(seed);
    const rest = await differ(session, { kind: 'rest' });
    expect(rest.compared.map(({ population }) => population)).toEqual(['spans', 'metrics', 'logs']);
    expect(rest.compared.every(({ tested }) => tested > 5)).toBe(true);
    expect(ids(rest)).toEqual([]);
    expect(ids(await differ(session, { kind: 'before' }))).toEqual([]);
    const manualBaseline = { kind: 'chosen', start_ns: atSecond(0), end_ns: atSecond(500) } as const;
    expect(ids(await differ(session, manualBaseline))).toEqual([]);
  });

  test.each(seeds)(
    'among the spans that happened to be slow, but for what makes spans slow (seed %i)',
    async (seed) => {
      const session = await shuffledCase(seed);
      const found = await differ(session, { kind: 'beside' }, { duration_ms: { from: 60, below: null } });
      // Three times as slow by construction: the service, its spans and its pods.
      expect(found.differences[0]?.value).toBe('model');
      const others = found.differences.filter(
        ({ attribute, value }) =>
          !['service', 'span name', 'resource k8s.pod.name'].includes(attribute) && value !== '',
      );
      expect(others.map(({ id }) => id)).toEqual([]);
    },
  );
});

const total = (counts: readonly number[] = []): number => counts.reduce((all, one) => all + one, 0);
/** The bar that holds the median. */
function middleBar(counts: readonly number[]): number {
  let below = 0;
  return counts.findIndex((count) => {
    below += count;
    return 2 * below >= total(counts);
  });
}

describe('a planted difference comes first', () => {
  const inWindow = ({ second }: Trace): boolean => second >= 600 && second < 800;

  test('an attribute of half of the traces of the window', async () => {
    const session = await shuffledCase(11, (trace) => {
      if (inWindow(trace) && trace.random() < 0.5) trace.attributes['build'] = 'canary';
    });
    const found = await differ(session, { kind: 'rest' });
    expect(found.differences[0]).toMatchObject({ population: 'spans', attribute: 'attribute build', value: 'canary' });
    const [first] = found.differences;
    expect(first?.region.value).toBeGreaterThan(0.35);
    // A span of a trace of the window may begin after it.
    expect(first?.baseline.value).toBeLessThan(0.005);
    expect(first?.q).toBeLessThan(1e-6);
    // Its share comes from the other builds; nothing else is accused.
    expect(found.differences.every(({ attribute }) => attribute === 'attribute build')).toBe(true);
    expect(first?.also).toEqual([]);
  });

  test('an attribute of the slow traces, beside the fast ones of the same time', async () => {
    const session = await shuffledCase(12, (trace) => {
      if (trace.attributes['tenant'] === 'grey' && trace.random() < 0.8) trace.slow = 40;
    });
    const found = await differ(session, { kind: 'beside' }, { duration_ms: { from: 800, below: null } });
    expect(found.differences[0]).toMatchObject({ attribute: 'attribute tenant', value: 'grey' });
    expect(found.compared.map(({ population }) => population)).toEqual(['spans']);
  });

  test('a duration as a number', async () => {
    const session = await shuffledCase(13, (trace) => {
      if (inWindow(trace)) trace.slow = 4;
    });
    const [first] = (await differ(session, { kind: 'before' })).differences;
    expect(first).toMatchObject({ attribute: 'duration', measure: 'number', unit: 'ms' });
    expect(first?.effect).toBeGreaterThan(0.6);
    expect(first?.ratio).toBeGreaterThan(2);
    // As the query counts them: every value is in one bar, and those of the window further along the same scale.
    const { region, baseline, spread } = first!;
    expect(total(spread?.region.counts)).toBe(region.rows);
    expect(total(spread?.baseline.counts)).toBe(baseline.rows);
    expect(middleBar(spread!.region.counts)).toBeGreaterThan(middleBar(spread!.baseline.counts) + 2);
    for (const side of ['region', 'baseline'] as const) {
      const { p10, p90 } = spread![side];
      expect(p10).toBeLessThanOrEqual(first![side].value);
      expect(p90).toBeGreaterThanOrEqual(first![side].value);
    }
    expect(first?.values).toEqual([]);
  });

  test('a log template, a metric', async () => {
    const session = await recordedCase((recording) => {
      const random = numbersFrom(5);
      for (const second of every(2, 0, SECONDS)) {
        const isIn = second >= 600 && second < 800;
        recording.log(second, 'api', `request ${Math.floor(random() * 1e6)} done`);
        if (isIn) recording.log(second, 'api', `link ${Math.floor(random() * 9)} went down`, 17);
      }
      for (const name of ['steady', 'falls'])
        recording.metric(name, { service: 'api', seconds: every(5, 0, SECONDS) }, (second) =>
          name === 'falls' && second >= 600 && second < 800 ? 40 + random() : 100 + 5 * random(),
        );
    });
    const { differences } = await differ(session, { kind: 'rest' });
    expect(differences[0]).toMatchObject({
      population: 'metrics',
      attribute: 'falls',
      effect: -1,
      entity: 'service:api',
    });
    expect(differences[0]?.deviations).toBeLessThan(-5);
    const found = differences.find(({ value }) => value === 'link <*> went down');
    // Its lines are all errors, and all errors are its lines.
    expect(found).toMatchObject({ population: 'logs', also: expect.arrayContaining(['log severity error']) });
    expect(differences.map(({ attribute }) => attribute)).not.toContain('steady');
  });
});

test.each([true, false])('the mean of a histogram, cumulative: %s', async (cumulative) => {
  const session = await recordedCase((recording) => {
    const random = numbersFrom(8);
    for (const name of ['steady', 'slower'])
      recording.histogram(name, { service: 'api', seconds: every(5, 0, SECONDS), cumulative }, (second) => ({
        count: Math.floor(random() * 50),
        mean: (name === 'slower' && second >= 600 && second < 800 ? 300 : 100) + 5 * random(),
      }));
  });
  const { differences, compared } = await differ(session, { kind: 'rest' });
  expect(differences.map(({ attribute }) => attribute)).toEqual(['slower, mean']);
  expect(differences[0]).toMatchObject({ population: 'metrics', effect: 1, entity: 'service:api', unit: 'ms' });
  expect(compared.find(({ population }) => population === 'metrics')?.tested).toBe(2);
});

test.each([true, false])('a delta has its own rate, at any sampling rate (with its start: %s)', async (hasStart) => {
  const session = await recordedCase(({ builder }) => {
    const entity = builder.entity('service', 'api');
    for (const name of ['steady', 'doubled']) {
      const seriesKey = { metric: name, kind: 'sum', entity, resource: -1, unit: '1', description: '' } as const;
      const series = builder.series({ ...seriesKey, temporality: 1, monotonic: true, attributes: '' });
      for (const second of every(0.25, 0, SECONDS)) {
        const [start_ns, time_ns] = [hasStart ? atSecond(second - 0.25) : 0n, atSecond(second)];
        const times = name === 'doubled' && second >= 600 && second < 800 ? 2 : 1;
        builder.table('point').push({ series, start_ns, time_ns, value: times * (10 + (second % 3) / 100) });
      }
    }
  });
  const { differences, compared } = await differ(session, { kind: 'rest' });
  const found = differences.map(({ attribute, region, baseline }) => [attribute, region.value, baseline.value]);
  const rate = (perSecond: number) => expect.closeTo(perSecond, 0);
  expect(found).toEqual(hasStart ? [['doubled per second', rate(80), rate(40)]] : []);
  expect(compared.find(({ population }) => population === 'metrics')?.tested).toBe(hasStart ? 2 : 0);
});

test('selected entities are compared with others of their kind', () => {
  const gpu = (entity_id: number) =>
    ({ entity_id, canonical_id: entity_id, kind: 'gpu', id: `GPU-${entity_id}` }) as const;
  const rack = (entity_id: number) =>
    ({ entity_id, canonical_id: entity_id, kind: 'rack', id: `rack-${entity_id}` }) as const;
  const gpus = every(1, 0, 40).map(gpu);
  const edges = gpus.map(({ entity_id }) => ({
    kind: 'contains',
    from_id: 100 + Math.floor(entity_id / 8),
    to_id: entity_id,
  }));
  const attributes = gpus.map(({ entity_id }) => ({
    entity_id,
    attributes: JSON.stringify({ model: entity_id % 2 ? 'H100' : 'H200', uuid: `u${entity_id}` }),
  }));
  const known = { entities: [...gpus, ...every(1, 100, 105).map(rack)], edges: edges as never, attributes };
  const { candidates, compared } = entityDifferences(
    gpus.slice(16, 24).map(({ id }) => `gpu:${id}`),
    known,
  );
  const [first] = candidates.toSorted((a, b) => a.p - b.p);
  expect(first).toMatchObject({ attribute: 'in rack', value: 'rack-102', effect: 1 });
  expect(first?.p).toBeLessThan(1e-4);
  expect(candidates.find(({ value }) => value === 'H100')).toMatchObject({ effect: 0, p: 1 });
  expect(compared).toMatchObject([{ population: 'entities', region: 8, baseline: 32 }]);
  expect(entityDifferences(['gpu:GPU-1'], known).candidates).toEqual([]);
});

test('an entity is found by all its aliases', () => {
  const entities = [
    { entity_id: 1, canonical_id: 1, kind: 'service', id: 'api' },
    { entity_id: 2, canonical_id: 3, kind: 'node', id: 'n1' },
    { entity_id: 3, canonical_id: 3, kind: 'server', id: 'server-1' },
    { entity_id: 4, canonical_id: 4, kind: 'pod', id: 'default/api-7' },
  ] as const;
  const resources = [
    { resource_id: 1, entity: 1, attributes: '{"service.name":"api","k8s.node.name":"n1"}' },
    { resource_id: 2, entity: 1, attributes: '{"service.name":"api","k8s.pod.name":"api-7"}' },
    { resource_id: 3, entity: -1, attributes: '{"host.name":"elsewhere"}' },
  ];
  expect(selectionMembers([], entities, resources)).toBeNull();
  expect(selectionMembers(['server:server-1'], entities, resources)).toEqual({
    entities: [2, 3],
    services: [],
    resources: [1],
  });
  expect(selectionMembers(['pod:default/api-7'], entities, resources)?.resources).toEqual([2]);
  expect(selectionMembers(['service:api'], entities, resources)).toEqual({
    entities: [1],
    services: [1],
    resources: [1, 2],
  });
  expect(selectionMembers(['service:gone'], entities, resources)).toEqual({
    entities: [],
    services: [],
    resources: [],
  });
});

test('a region of one service leaves the others out, and beside it are the others of that time', async () => {
  const session = await shuffledCase(4);
  const before = await differ(session, { kind: 'before' }, { entities: ['service:model'] });
  expect(before.differences).toEqual([]);
  const concurrent = await differ(session, { kind: 'beside' }, { entities: ['service:model'] });
  // What makes it the service that it is, and that it is slow.
  expect(concurrent.differences[0]).toMatchObject({ population: 'spans', value: 'model', effect: 1 });
  const spans = concurrent.compared.find(({ population }) => population === 'spans');
  const own = before.compared.find(({ population }) => population === 'spans');
  expect(spans?.region).toBe(own?.region);
});

test('a region of a span name holds its spans against themselves at another time, or against all others', async () => {
  const session = await shuffledCase(14, (trace) => {
    if (trace.second >= 600 && trace.second < 800) trace.slow = 4;
  });
  const inWindow = await session.query(`
    select count(*)::double as spans from span join name on name_id = span.name
    where text = 'model get' and start_ns >= ${WINDOW.start_ns} and start_ns < ${WINDOW.end_ns}`);
  const [{ spans } = { spans: 0 }] = rowsOf<{ spans: number }>(inWindow);
  expect(spans).toBeGreaterThan(100);
  const region = { entities: ['service:model'], span_name: 'model get' };
  const before = await differ(session, { kind: 'before' }, region);
  expect(before.compared).toHaveLength(1);
  expect(before.compared[0]).toMatchObject({ population: 'spans', region: spans });
  // All of them have the name: only how long they took differs.
  expect(before.differences.map(({ attribute, value }) => [attribute, value])).toEqual([
    ['duration', 'model get of model'],
  ]);
  const beside = await differ(session, { kind: 'beside' }, region);
  expect(beside.compared[0]?.region).toBe(spans);
  expect(beside.differences[0]).toMatchObject({ attribute: 'span name', value: 'model get', effect: 1 });
  // No span has such a name, and a name alone is of any service.
  expect((await differ(session, { kind: 'rest' }, { span_name: 'gone' })).differences).toEqual([]);
  const alone = await differ(session, { kind: 'rest' }, { span_name: 'model get' });
  expect(alone.compared[0]?.region).toBe(spans);
});

test('an id of each span is left out and listed', async () => {
  const session = await shuffledCase(3, (trace) => {
    trace.attributes['sequence'] = Math.round(trace.second * 1e6);
  });
  const found = await differ(session, { kind: 'rest' });
  const left = Object.fromEntries(found.left_out.map(({ attribute, reason }) => [attribute, reason]));
  expect(left['attribute sequence']).toMatch(/counter|own number/);
  expect(left['attribute request.id']).toMatch(/its own/);
  expect(left['attribute commit']).toMatch(/its own/);
  expect(found.differences).toEqual([]);
});

test('a trace of 47,000 spans is one among others: its square is more than a whole number of 32 bits holds', async () => {
  const session = await shuffledCase(5);
  const { start_ns } = WINDOW;
  await session.execute(`
    insert into span select first.* replace (77 as trace_hi, 77 as trace_lo, 1000000 + i as span_id, ${start_ns} + i as start_ns, ${start_ns} + i + 1000 as end_ns)
    from (select * from span limit 1) first, range(47000) r(i)`);
  const { compared } = await differ(session, { kind: 'rest' });
  expect(compared.find(({ population }) => population === 'spans')?.region).toBeGreaterThan(47_000);
});

test('traces whose ids differ in the upper half alone are drawn all the same, once there are too many', async () => {
  const session = await shuffledCase(5);
  await session.execute(`
    insert into span select span.* replace (1000000 * i + span_id as span_id, 100000000 * i + trace_lo as trace_lo) from span, range(1, 25) r(i);
    update span set trace_hi = trace_lo, trace_lo = 6`);
  const { compared } = await differ(session, { kind: 'rest' });
  const spans = compared.find(({ population }) => population === 'spans');
  expect(spans?.baseline_share).toBeLessThan(1);
  expect(spans?.tested).toBeGreaterThan(0);
});

test('a thousand spans of one trace are one', () => {
  // 1000 of 1000 rows of the region have it, none of 9000 of the baseline; but all of them are one trace of a hundred.
  const totals = { region: 1000, baseline: 9000, squares: 1000 ** 2 + 9 * 1000 ** 2 };
  expect(shareChance({ region: 1000, baseline: 0, squares: 1e6, products: 1e6 }, totals)).toBeGreaterThan(0.05);
  const single = { region: 1000, baseline: 9000, squares: 10_000 };
  expect(shareChance({ region: 1000, baseline: 0, squares: 1000, products: 1000 }, single)).toBeLessThan(1e-12);
});

test('chances are spread as chances are: one in twenty falls below 0.05', () => {
  const random = numbersFrom(99);
  const runs = 2000;
  let below = 0;
  for (let run = 0; run < runs; run++) {
    const clusters = Array.from({ length: 200 }, () => {
      const n = 1 + Math.floor(random() * 15);
      return { n, x: random() < 0.3 ? n : 0, inside: random() < 0.25 };
    });
    const sum = (of: (cluster: (typeof clusters)[number]) => number): number =>
      clusters.reduce((all, one) => all + of(one), 0);
    const p = shareChance(
      {
        region: sum(({ x, inside }) => (inside ? x : 0)),
        baseline: sum(({ x, inside }) => (inside ? 0 : x)),
        squares: sum(({ x }) => x * x),
        products: sum(({ x, n }) => x * n),
      },
      {
        region: sum(({ n, inside }) => (inside ? n : 0)),
        baseline: sum(({ n, inside }) => (inside ? 0 : n)),
        squares: sum(({ n }) => n * n),
      },
    );
    if (p < 0.05) below++;
  }
  expect(below / runs).toBeGreaterThan(0.02);
  expect(below / runs).toBeLessThan(0.065);
});

test('ranks: all of one side above the other, and few values prove little', () => {
  const above = { region: 20, baseline: 20, ranks: 610, ties: 0 };
  expect(cliffsDelta(above)).toBe(1);
  expect(rankChance(above)).toBeLessThan(1e-5);
  expect(rankChance({ region: 2, baseline: 3, ranks: 9, ties: 0 })).toBeCloseTo(0.2);
});

test('false-discovery rates as Benjamini and Hochberg have them, in the order that was given', () => {
  const rates = falseDiscoveryRates([0.01, 0.04, 0.03, 0.5]);
  expect(rates.map((rate) => Number(rate.toFixed(4)))).toEqual([0.04, 0.0533, 0.0533, 0.5]);
  expect(falseDiscoveryRates([0.01], 10)[0]).toBeCloseTo(0.1);
});

test('examples are rows of the region that show it; a region without length is refused', async () => {
  const core = await memoryCore();
  const seconds = every(1, 0, 200);
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'api' } }] };
  const nano = (second: number): string => String(atSecond(second));
  const spans = seconds.map((second, i) => ({
    traceId: (i + 1).toString(16).padStart(32, '0'),
    spanId: (i + 1).toString(16).padStart(16, '0'),
    name: 'GET /',
    startTimeUnixNano: nano(second),
    endTimeUnixNano: nano(second + 0.1),
    attributes: [{ key: 'build', value: { stringValue: second >= 100 && second < 150 ? 'canary' : 'stable' } }],
  }));
  const logRecords = seconds.map((second) => ({
    timeUnixNano: nano(second),
    severityNumber: second >= 100 && second < 150 ? 17 : 9,
    body: { stringValue: second >= 100 && second < 150 ? `link ${second} went down` : `request ${second} done` },
  }));
  await core.importJson(
    { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] },
    { resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] },
  );
  const region = { start_ns: atSecond(100), end_ns: atSecond(150) };
  const baseline = { kind: 'rest' } as const;
  const { differences } = await core.api['differences.find']({ region, baseline });
  const texts = differences.flatMap(({ value, also }) => [
    value,
    ...also.map((name) => name.replace(/^(all but )?(log \w+|\w+ \w+) /, '')),
  ]);
  expect(texts).toEqual(expect.arrayContaining(['canary', 'stable', 'link <*> went down', 'error']));
  const examples = async (attribute: string, value: string, population: 'spans' | 'logs') =>
    core.api['differences.examples']({ region, baseline, population, attribute, value, limit: 3 });
  const found = await examples('attribute build', 'canary', 'spans');
  expect(found.map(({ title }) => title)).toEqual(Array(3).fill('api GET / 100.0 ms'));
  expect(await examples('attribute build', 'stable', 'spans')).toEqual([]);
  const named = async (span_name: string) =>
    core.api['differences.examples']({
      region: { ...region, span_name },
      ...{ baseline, population: 'spans', attribute: 'attribute build', value: 'canary', limit: 3 },
    });
  expect(await named('GET /')).toHaveLength(3);
  expect(await named('GET /elsewhere')).toEqual([]);
  const lines = await examples('log template', 'link <*> went down', 'logs');
  expect(lines.map(({ title }) => title)).toEqual(['link 100 went down', 'link 101 went down', 'link 102 went down']);
  const [first] = found;
  const record = await core.api['evidence.get']({ ref: first?.ref ?? '' });
  expect(record.fields).toContainEqual({ name: 'build', value: 'canary' });
  const empty = { ...region, end_ns: region.start_ns };
  await expect(core.api['differences.find']({ region: empty, baseline })).rejects.toMatchObject({
    problem: { code: 'region.empty' },
  });
});
