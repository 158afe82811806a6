import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withParts } from '../../src/core/analysis/impact/part-impacts.ts';
import { ofPart } from '../../src/core/analysis/impact/request-buckets.ts';
import { correlateOptionsSchema } from '../../src/model/incident/incident-schema.ts';
import { memoryCore, temporaryFolder } from '../support/core.ts';
import { random } from '../support/random.ts';
import { sharedData } from '../support/shared-data.ts';

async function incidentsOf(...lines: readonly string[]) {
  const core = await memoryCore();
  const file = join(await temporaryFolder(), 'recording.txt');
  await writeFile(file, ['# Faultline recording from 2026-01-01T00:00:00Z', ...lines, ''].join('\n'));
  await core.import([file]);
  return { core, incidents: await core.api['incidents.list']({}) };
}

const spans = (from: number, to: number, every: number, took: number, attributes: object) =>
  `spans ${from}..${to} service:llm every ${every} took ${took} generate ${JSON.stringify(attributes)}`;
const model = (name: string) => ({ 'gen_ai.request.model': name });

test('half a per cent of the requests that take ten times as long are an incident of their model', async () => {
  const core = await memoryCore();
  await core.import([sharedData('defects/inference/metrics.json.gz')]);
  const incidents = await core.api['incidents.list']({});
  expect(incidents.map(({ incident }) => incident.affected_parts)).toEqual([[{ kind: 'model', name: 'mistral' }]]);
  const { incident, onset_ref, worst_refs } = incidents[0]!;
  expect(incident.impact.p99_peak_ms! / incident.impact.p99_baseline_ms!).toBeGreaterThan(8);
  expect(incident.impact.throughput_baseline_rps).toBeNull();
  expect(incident.hypotheses.flatMap(({ evidence }) => evidence.map(({ text }) => text))).toContain(
    'most other requests of model-server than those for model mistral did as before',
  );
  expect(onset_ref).toMatch(/^measurement:model-server for model mistral@/);
  const record = await core.api['evidence.get']({ ref: worst_refs.p99! });
  expect(record.title).toMatch(/^model-server for model mistral: P99 4755/);
  const timeline = await core.api['correlate.render']({ options: {}, format: 'timeline' });
  expect(JSON.stringify(timeline)).toContain('model-server for model mistral');
});

test('a part is not named where all parts are slow, or where there is only one', async () => {
  const all = (took: number, from: number, to: number) => [
    spans(from, to, 0.2, took, model('large')),
    spans(from, to, 5, took, model('small')),
  ];
  const { incidents } = await incidentsOf(...all(0.3, 0, 900), ...all(3, 900, 1200), ...all(0.3, 1200, 1500));
  expect(incidents.map(({ incident }) => incident.affected_parts)).toEqual([[]]);
  const one = await incidentsOf(spans(0, 900, 1, 0.3, model('m')), spans(900, 1200, 1, 3, model('m')));
  expect(one.incidents.map(({ incident }) => incident.affected_parts)).toEqual([[]]);
});

test('a caller that is slow for a reason of its own is no cause of slow answers for one tenant', async () => {
  const of = (service: string, [from, to, every, took]: readonly number[], attributes: object) =>
    `spans ${from}..${to} service:${service} every ${every} took ${took} generate ${JSON.stringify(attributes)}`;
  const { incidents } = await incidentsOf(
    'service:agent calls service:llm',
    of('agent', [0, 900, 0.5, 0.6], {}),
    of('agent', [900, 1200, 0.5, 4], {}),
    of('agent', [1200, 1500, 0.5, 0.6], {}),
    of('llm', [0, 1500, 0.5, 0.3], { 'tenant.id': 'many' }),
    of('llm', [0, 900, 20, 0.3], { 'tenant.id': 'few' }),
    of('llm', [900, 1200, 20, 3], { 'tenant.id': 'few' }),
    of('llm', [1200, 1500, 20, 0.3], { 'tenant.id': 'few' }),
  );
  const found = incidents.find(({ incident }) => incident.affected_parts.length > 0)!;
  expect(found.incident.affected_parts).toEqual([{ kind: 'tenant', name: 'few' }]);
  const named = found.incident.hypotheses.flatMap(({ subject, probability }) =>
    subject ? [[subject.id, probability]] : [],
  );
  expect(named.map(([id]) => id)).toEqual(['llm']);
});

test('a slow replica makes its own machine the suspect, not those of the others', async () => {
  const replica = (n: number, from: number, to: number, took: number) =>
    `spans ${from}..${to} service:llm every 0.5 took ${took} replica=llm-${n} generate`;
  const { incidents } = await incidentsOf(
    ...[1, 2, 3, 4].map((n) => `service:llm runs_on pod:llm-${n}`),
    ...[1, 2, 3, 4].flatMap((n) => [`pod:llm-${n} runs_on server:n${n}`, `server:n${n} contains gpu:n${n}-G0`]),
    ...[1, 3, 4].map((n) => replica(n, 0, 1500, 0.3)),
    ...[replica(2, 0, 900, 0.3), replica(2, 900, 1200, 3), replica(2, 1200, 1500, 0.3)],
    '898 gpu:n3-G0 thermal_throttle high nvidia-smi: GPU throttled',
    '890 gpu:n2-G0 thermal_throttle high nvidia-smi: GPU throttled',
  );
  expect(incidents.map(({ incident }) => incident.affected_parts)).toEqual([[{ kind: 'replica', name: 'llm-2' }]]);
  const { hypotheses } = incidents[0]!.incident;
  const devices = hypotheses.flatMap(({ subject, evidence }) =>
    subject?.kind === 'gpu' ? [{ subject, evidence }] : [],
  );
  expect(devices.map(({ subject }) => subject.id)).toEqual(['n2-G0', 'n3-G0']);
  expect(devices.map(({ evidence }) => evidence.some(({ kind }) => kind === 'other_replica'))).toEqual([false, true]);
});

/** Six tenants with about five requests a minute, each as long as the product of three dice. */
function quietParts(seed: number, slower: (part: number, minute: number) => number = () => 1) {
  const next = random(seed);
  return Array.from({ length: 6 }, (_, part) =>
    ofPart(
      Array.from({ length: 120 }, (_, minute) => {
        const requests = 1 + Math.floor(9 * next());
        const took = Array.from({ length: requests }, () => 250 * next() * next() * next() * slower(part, minute));
        const sorted = took.sort((a, b) => a - b);
        const quantile = (share: number) => sorted[Math.min(requests - 1, Math.floor(share * requests))]!;
        return {
          ...{ service: 1, part: 'tenant', name: `t${part}`, time_ns: BigInt(minute) * 60_000_000_000n, requests },
          ...{ p30: quantile(0.3), p50: quantile(0.5), p70: quantile(0.7), p95: quantile(0.95), p99: quantile(0.99) },
          error_rate: 0,
        } as const;
      }),
    ),
  );
}

const seeds = Array.from({ length: 200 }, (_, i) => i + 1);
const options = correlateOptionsSchema.parse({});

test('almost none of twelve hundred healthy tenants with few requests has an impact', () => {
  expect(seeds.flatMap((seed) => withParts([], quietParts(seed), options)).length).toBeLessThanOrEqual(2);
});

test('of such tenants one whose requests take ten times as long for eight minutes is found mostly', () => {
  const slow = (part: number, minute: number) => (part === 3 && minute >= 80 && minute < 88 ? 10 : 1);
  const found = seeds.map((seed) => withParts([], quietParts(seed, slow), options));
  const right = found.filter((windows) => windows.some(({ parts }) => parts.length === 1 && parts[0]!.name === 't3'));
  expect(right.length).toBeGreaterThan(140);
});
