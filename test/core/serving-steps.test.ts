import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryCore, temporaryFolder } from '../support/core.ts';

const T0_S = 1_767_225_600;
const EVERY_S = 15;
const CHANGE_S = 1200;
const END_S = 1800;
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Seconds that a step takes, and from `CHANGE_S` on. */
type Took = readonly [before: number, after: number];

/** A cumulative histogram. */
function page(name: string, [before, after]: Took, [at, rate]: readonly [number, number]): string[] {
  const counts = [rate * Math.min(at, CHANGE_S), rate * Math.max(0, at - CHANGE_S)] as const;
  const below = (bound: number): number => (before <= bound ? counts[0] : 0) + (after <= bound ? counts[1] : 0);
  const labels = 'job="chat",model_name="bert"';
  return [
    ...BOUNDS.map((bound) => `${name}_bucket{${labels},le="${bound}"} ${below(bound)}`),
    `${name}_bucket{${labels},le="+Inf"} ${counts[0] + counts[1]}`,
    `${name}_sum{${labels}} ${counts[0] * before + counts[1] * after}`,
    `${name}_count{${labels}} ${counts[0] + counts[1]}`,
  ];
}

/** @param rates requests a second that a step counts, two otherwise */
async function incidentsOf(steps: Readonly<Record<string, Took>>, rates: Readonly<Record<string, number>> = {}) {
  const pages: string[] = [];
  for (let at = 0; at <= END_S; at += EVERY_S)
    for (const [name, took] of Object.entries(steps))
      pages.push(...page(name, took, [at, rates[name] ?? 2]).map((line) => `${line} ${(T0_S + at) * 1000}`));
  const file = join(await temporaryFolder(), 'scrapes.prom');
  await writeFile(file, `${pages.join('\n')}\n`);
  const core = await memoryCore();
  await core.import([file]);
  return (await core.api['incidents.list']({})).map(({ incident }) => incident);
}

const kserve = (preprocess: Took, predict: Took, postprocess: Took) => ({
  request_preprocess_seconds: preprocess,
  request_predict_seconds: predict,
  request_postprocess_seconds: postprocess,
});
const quick: Took = [0.02, 0.02];
const usual: Took = [0.2, 0.2];

test.each([
  ['preparing', kserve([0.02, 2], usual, quick)],
  ['running the model', kserve(quick, [0.2, 2], quick)],
  ['preparing the answer', kserve(quick, usual, [0.02, 2])],
])('a server that measures steps of requests has an impact where %s is slow', async (_, steps) => {
  const incidents = await incidentsOf(steps);
  expect(incidents.map(({ affected_services }) => affected_services)).toEqual([['chat']]);
  const { impact, window_start } = incidents[0]!;
  expect(window_start).toBe('2026-01-01T00:20:15.000Z');
  expect(impact.p99_baseline_ms).toBeCloseTo(248.5 + 2 * 24.85, 0);
  expect(impact.p99_peak_ms).toBeGreaterThan(2000);
  expect(impact.throughput_peak_rps).toBe(2);
});

test('a step that is slow for little of the request, and time that moves from one step to another, are none', async () => {
  expect(await incidentsOf(kserve([0.02, 0.04], usual, quick))).toEqual([]);
  expect(await incidentsOf(kserve([0.02, 0.2], [0.2, 0.02], quick))).toEqual([]);
});

test('a slow step counts for nothing where the server measures whole requests that are as before', async () => {
  const whole = { ...kserve([0.02, 2], usual, quick), 'vllm:e2e_request_latency_seconds': [0.3, 0.3] as Took };
  expect(await incidentsOf(whole)).toEqual([]);
});

test('a step alone, without runs of the model, is no request', async () => {
  expect(await incidentsOf({ request_preprocess_seconds: [0.02, 2] })).toEqual([]);
});

test('steps that count other requests than the runs of the model are not added up', async () => {
  expect(await incidentsOf(kserve([0.02, 2], usual, quick), { request_predict_seconds: 0.25 })).toEqual([]);
});
