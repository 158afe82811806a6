import { describe, expect, test } from 'vitest';
import { onsetAt } from '../../src/core/analysis/impact/onset.ts';
import type { Incident } from '../../src/model/incident/incident.ts';
import { unseenOnsetText } from '../../src/model/incident/unseen-onset.ts';
import { memoryCore } from '../support/core.ts';
import { at, event, service, topology } from '../support/scenario.ts';

const DAY = 86_400;
const FIRST_ENDS = -300 * DAY + 1200;

/** Two recordings, 300 days apart: the second begins within the trouble. */
const apart = [
  ...service('inference', { from: -300 * DAY, to: FIRST_ENDS }),
  ...service('inference', { from: 700, to: 1000 }),
];
/** A capture whose feed died for just an hour, and came back within the trouble. */
const feedDied = [
  ...service('inference', { to: 690 }),
  ...service('inference', { from: 4290, to: 4600, onset: 4290, end: 4400 }),
];

const rates =
  'version: 1\ncurrency: USD\nrates:\n  - {gpu: "*", per_gpu_hour: 3.6, as_of: 2026-01-02, source: contract}\n';

async function investigated(rows: readonly unknown[], ...events: ReturnType<typeof event>[]) {
  const core = await memoryCore();
  await core.importJson({ events }, { service_metrics: rows }, topology);
  const views = await core.api['incidents.list']({});
  expect(views).toHaveLength(1);
  const [view] = views as [(typeof views)[number]];
  const { text } = await core.api['report.render']({ rates });
  const { fields } = await core.api['evidence.get']({ ref: `incident:${view.incident.id}` });
  return { view, text, onset: fields.find(({ name }) => name === 'onset')?.value };
}

const hole = `no measurements of inference between ${at(FIRST_ENDS)} and ${at(700)}`;

describe('a recording that begins within the trouble, 300 days after another', () => {
  test('reports the measured time, and that there are no measurements before', async () => {
    const { view, text, onset } = await investigated(apart);
    expect(view.onset_earliest_ns).toBe(view.onset_ns);
    expect(view.start_ns).toBe(view.onset_ns);
    expect(view.onset_ns - view.previous_ns).toBe(BigInt(700 - FIRST_ENDS) * 1_000_000_000n);
    expect(view.incident.warnings).toContain(`onset not measured: ${hole}`);
    expect(text).toContain(`Its onset is unknown: ${hole}.`);
    expect(text).toContain(`first bad measurement; the onset is unknown: ${hole}`);
    expect(onset).toContain(hole);
    // One GPU for the hundred seconds that were measured.
    expect(text).toMatch(
      /0\.028 GPU-hours on 1 GPU since the first bad measurement; no measurements of inference between/,
    );
    expect(text).toContain('cost 0.1 USD');
  });

  test('is not compared with a single measurement months ago for its length', async () => {
    const once = [...apart.slice(0, -31), ...service('inference', { from: 700, to: 1000, end: 700 })];
    const { text } = await investigated(once);
    expect(text).not.toMatch(/\d+ d\b/);
    expect(text).toContain('(one measurement)');
  });

  test('may have been brought about by what failed meanwhile and lasts, hardly if that was months ago', async () => {
    const { view } = await investigated(apart, event('failed', -200 * DAY, 'redfish', 'psu_failure', 'server-1'));
    expect(weightOfTime(view)).toBeLessThan(-5);
    expect(view.incident.hypotheses[0]?.event_id).not.toBe('failed');
    // A chain may begin there; the incident, its length and its price do not.
    expect(view.start_ns).toBe(view.onset_ns);
  });
});

/** Time evidence for or against an event `failed`. */
const weightOfTime = ({ incident }: { incident: Incident }): number | undefined =>
  incident.hypotheses
    .find(({ event_id }) => event_id === 'failed')
    ?.evidence.find(({ text }) => text.includes('before the first anomaly'))?.weight;

test('a lasting failure in the second of three unmeasured hours is between near and far', async () => {
  const gap = [
    ...service('inference', { to: 690 }),
    ...service('inference', { from: 11490, to: 11800, onset: 11490, end: 11600 }),
  ];
  const failed = event('failed', 5000, 'redfish', 'psu_failure', 'server-1');
  const weight = weightOfTime((await investigated(gap, failed)).view);
  expect(weight).toBeLessThan(0);
  expect(weight).toBeGreaterThan(-3);
  // What was over in a moment is no suspect then.
  const passed = { ...failed, type: 'memory_error' };
  expect(weightOfTime((await investigated(gap, passed)).view)).toBeUndefined();
});

test('a feed that died for an hour leaves the onset between its last and its next measurement', async () => {
  const { view, text, onset } = await investigated(feedDied, event('sag', 2000, 'kernel', 'memory_error', 'server-1'));
  expect(view.onset_ns - view.onset_earliest_ns).toBe(3_600_000_000_000n);
  expect(view.previous_ns).toBe(view.onset_earliest_ns);
  expect(view.incident.hypotheses.flatMap(({ event_id }) => event_id ?? [])).toEqual(['sag']);
  expect(view.incident.warnings.join()).not.toContain('onset not measured');
  expect(text).toContain('the last normal one is 60.0 min earlier');
  expect(onset).toContain(`at the earliest ${at(690)}`);
  expect(text).toMatch(/0\.031 to 1 GPU-hours/);
});

test('a recording that ends within an impact does not show its end, 300 days before another', async () => {
  const { view, text } = await investigated([
    ...service('inference', { from: -300 * DAY, to: FIRST_ENDS, onset: FIRST_ENDS - 100, end: FIRST_ENDS }),
    ...service('inference', { from: 700, to: 1000, onset: 1100 }),
  ]);
  expect(view.onset_ns - view.onset_earliest_ns).toBe(10_000_000_000n);
  expect(text).toContain(`first normal measurement after the impact; ${hole}`);
});

test('a recording that begins within the trouble has no measurement before it', async () => {
  const { view, text } = await investigated(service('inference', { from: 700, to: 2000 }));
  expect(view.previous_ns).toBe(view.onset_ns);
  const onsetText = `no measurements of inference before ${at(700)}`;
  expect(view.incident.warnings).toContain(`onset not measured: ${onsetText}`);
  expect(text).toContain(`Its onset is unknown: ${onsetText}.`);
});

describe('the doubt about an onset', () => {
  const hourly = Array.from({ length: 30 }, (_, hour) => BigInt(hour) * 3_600_000_000_000n);
  const next = hourly.at(-1)!;

  test.each([
    ['as usual', 1, true],
    ['three usual intervals', 3, true],
    ['more than that', 3.01, false],
  ])('%s later', (_, intervals, seen) => {
    const onset_ns = next + BigInt(Math.round(intervals * 3.6e12));
    const onset = onsetAt([...hourly, onset_ns], hourly.length);
    expect(onset).toMatchObject({ onset_ns, previous_ns: next, onset_earliest_ns: seen ? next : onset_ns });
    expect(onset.causes_from_ns).toBe(seen ? next : onset_ns - 10_800_000_000_000n);
    expect(unseenOnsetText('inference', onset) === null).toBe(seen);
  });
});
