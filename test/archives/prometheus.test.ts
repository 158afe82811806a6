import { expect, test } from 'vitest';
import { oneOfMatcher, withMatchers } from '../../src/main/archives/label-matchers.ts';
import { nanosOf, ofKind, pulled, pullingCore } from '../support/archive-pull.ts';
import { sqlRows } from '../support/capture-run.ts';
import { hasPrometheus, hasVictoriaMetrics, prometheusWith, victoriaMetricsWith } from '../support/metric-stores.ts';

const from_ns = nanosOf('2026-05-01T14:00:00Z');
const until_ns = nanosOf('2026-05-01T15:00:00Z');
const BEGIN_S = Number(from_ns / 1_000_000_000n);
/** Ten minutes before the window until ten minutes after it. */
const times = Array.from({ length: (80 * 60) / 15 + 1 }, (_, at) => BEGIN_S - 600 + at * 15);
const series = ['llm', 'search', 'batch.v1'].flatMap((job) =>
  [0, 1].map((gpu) => ({ labels: `{job="${job}",gpu="${gpu}",Hostname="h100-1"}`, gpu })),
);
const samples = (unit: (time_s: number) => string, type: string) =>
  `${type}${series.flatMap(({ labels, gpu }) => times.map((time) => `DCGM_FI_DEV_POWER_USAGE${labels} ${300 + gpu + (time % 7)} ${unit(time)}`)).join('\n')}\n`;
const openMetrics = `${samples(String, '# TYPE DCGM_FI_DEV_POWER_USAGE gauge\n')}# EOF\n`;
const milliseconds = samples((time_s) => String(time_s * 1000), '');

const counted =
  "select count(*)::integer, count(distinct (time_ns, entity))::integer, min(time_ns), max(time_ns) from metrics where metric = 'hw.power'";
/** Each recorded sample of the window once, its begin included and its end excluded. */
const whole = [[6 * 240, 480, String(from_ns), String(until_ns - 15_000_000_000n)]];

async function pullsEachSampleOnce(url: string): Promise<void> {
  const core = await pullingCore();
  // Borders of slices are times of samples.
  const plan = `kind: prometheus\nurl: ${url}\nslice_s: 900\n`;
  const events = await pulled(core, { plan, from_ns, until_ns });
  expect(ofKind(events, 'problem')).toEqual([]);
  expect(ofKind(events, 'plan')[0]?.queries).toMatchObject([{ slices: 4 }, { slices: 4 }]);
  // Before version 3, Prometheus counts both ends of 300 s.
  expect([1440, 1512]).toContain(Math.floor((ofKind(events, 'plan')[0]?.queries[0]?.rows ?? 0) / 12) * 12);
  expect(await sqlRows(core, counted)).toEqual(whole);
}

async function pullsStepsAndServices(url: string): Promise<void> {
  const core = await pullingCore();
  const plan = `kind: prometheus\nurl: ${url}\nstep_s: 60\nmatch: [DCGM_FI_DEV_POWER_USAGE]\nexemplars: false\n`;
  const window = { from_ns: from_ns + 1n, until_ns: nanosOf('2026-05-01T14:30:00Z') };
  const events = await pulled(core, { plan, ...window, services: ['batch.v1'], where: 'gpu="1"' });
  expect(ofKind(events, 'plan')[0]?.queries[0]?.query).toBe(
    'DCGM_FI_DEV_POWER_USAGE{job=~"batch\\\\.v1",gpu="1"} every 60 s',
  );
  expect(await sqlRows(core, counted)).toEqual([[30, 30, String(from_ns), String(nanosOf('2026-05-01T14:29:00Z'))]]);
}

test.skipIf(!hasPrometheus)(
  'a real Prometheus: each sample of a window once, as recorded; steps, services, conditions',
  async () => {
    const store = await prometheusWith(openMetrics);
    await pullsEachSampleOnce(store.url);
    await pullsStepsAndServices(store.url);
    const core = await pullingCore();
    const wrong = await pulled(core, {
      plan: `kind: prometheus\nurl: ${store.url}\nexemplars: false\n`,
      from_ns,
      until_ns,
      where: 'gpu=1',
    }).catch((error: Error) => error.message);
    expect(wrong).toContain('it answered 400: invalid parameter');
  },
);

test.skipIf(!hasVictoriaMetrics)('a real VictoriaMetrics: the same', async () => {
  const store = await victoriaMetricsWith(milliseconds);
  await pullsEachSampleOnce(store.url);
  await pullsStepsAndServices(store.url);
});

test('further matchers join a selector of any form', () => {
  expect(withMatchers('up', ['a="1"'])).toBe('up{a="1"}');
  expect(withMatchers(' {} ', ['a="1"'])).toBe('{a="1"}');
  expect(withMatchers('up{b="2", }', ['a="1"', 'c="3"'])).toBe('up{b="2",a="1",c="3"}');
  expect(withMatchers('up{b="2"}', [])).toBe('up{b="2"}');
  expect(oneOfMatcher('job', ['a.b', 'c"d'])).toBe(String.raw`job=~"a\\.b|c\"d"`);
});
