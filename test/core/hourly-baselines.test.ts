import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryCore, temporaryFolder } from '../support/core.ts';

const START_MS = Date.parse('2026-03-02T00:00:00Z');
const DAYS = 4;
const STEP_S = 120;
const REQUESTS = 1200;
/** Seconds, so close that a quantile is known to a few per cent. */
const BOUNDS = Array.from({ length: 24 }, (_, i) => Number((0.02 * 1.4 ** i).toPrecision(4)));

/** Logistic in the logarithm of time, with heavy tails as requests have: median `middle`, p99 about three times that. */
const below = (bound: number, middle: number): number => 1 / (1 + (middle / bound) ** 4.2);

/** By day the service takes three times as long as by night; from seven to nine it goes over. */
const usual = (hour: number): number => {
  const day = 1 / (1 + Math.exp(-6 * (hour - 8))) - 1 / (1 + Math.exp(-6 * (hour - 20)));
  return 0.1 * 3 ** day;
};

/** @param times how many times as long as usual requests take at a minute of the recording */
async function recorded(times: (minute: number) => number) {
  const counts = BOUNDS.map(() => 0);
  const lines: string[][] = [...BOUNDS, '+Inf'].map(() => []);
  for (let minute = 0; minute < DAYS * 1440; minute += STEP_S / 60) {
    const middle = usual((minute / 60) % 24) * times(minute) * (1 + 0.03 * Math.sin(minute * 1.7));
    for (const [i, bound] of BOUNDS.entries()) counts[i]! += Math.round(REQUESTS * below(bound, middle));
    const at = START_MS + minute * 60_000;
    for (const [i, bound] of BOUNDS.entries())
      lines[i]!.push(
        `vllm:e2e_request_latency_seconds_bucket{job="llm",model_name="m",le="${bound}"} ${counts[i]} ${at}`,
      );
    lines[BOUNDS.length]!.push(
      `vllm:e2e_request_latency_seconds_bucket{job="llm",model_name="m",le="+Inf"} ${REQUESTS * (minute / (STEP_S / 60) + 1)} ${at}`,
    );
  }
  const file = join(await temporaryFolder(), 'days.prom');
  await writeFile(file, `# TYPE vllm:e2e_request_latency_seconds histogram\n${lines.flat().join('\n')}\n`);
  const core = await memoryCore();
  await core.import([file]);
  const incidents = (await core.api['incidents.list']({})).map(({ incident, onset_ns }) => ({
    minute: Number(onset_ns / 1_000_000n - BigInt(START_MS)) / 60_000,
    baseline_ms: incident.impact.p99_baseline_ms,
    peak_ms: incident.impact.p99_peak_ms,
  }));
  const { findings } = await core.api['patterns.list']({});
  return { incidents, tails: findings.filter(({ pattern }) => pattern === 'latency-tail') };
}

const at = (day: number, hour: number): number => day * 1440 + hour * 60;
const during =
  (from: number, minutes: number, times: number) =>
  (minute: number): number =>
    minute >= from && minute < from + minutes ? times : 1;

test('days that are slower than nights are no incident', async () => {
  const { incidents, tails } = await recorded(() => 1);
  expect(incidents).toEqual([]);
  expect(tails).toEqual([]);
});

test('a p99 over three times the baseline of its hour is found within one interval, by night and by day', async () => {
  const [night, day] = [at(3, 3), at(3, 13)];
  const [slowNight, slowDay] = [during(night, 10, 3.3), during(day, 10, 3.3)];
  const { incidents } = await recorded((minute) => Math.max(slowNight(minute), slowDay(minute)));
  expect(incidents).toHaveLength(2);
  // By night it becomes no slower than it is by day.
  for (const [from, most_s] of [
    [night, 0.4],
    [day, 1],
  ] as const) {
    const { minute, baseline_ms, peak_ms } = incidents.find((one) => Math.abs(one.minute - from) < 60)!;
    expect(minute - from).toBeGreaterThanOrEqual(0);
    expect(minute - from).toBeLessThanOrEqual(STEP_S / 60);
    expect(peak_ms! / baseline_ms!).toBeGreaterThan(3);
    expect(baseline_ms!).toBeLessThan(1000 * most_s);
  }
});
