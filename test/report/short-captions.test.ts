import { expect, test } from 'vitest';
import { timelineText } from '../../src/core/report/figures/timeline-figure.ts';
import { topologyText } from '../../src/core/report/figures/topology-figure.ts';
import { durationText } from '../../src/core/report/report-text.ts';
import { alsoDegraded } from '../../src/core/report/sections/affected.ts';
import { impactBlocks } from '../../src/core/report/sections/impact.ts';
import { rootCauseBlocks } from '../../src/core/report/sections/root-cause.ts';
import { lasted, rootCause, whatDegraded } from '../../src/core/report/sections/summary.ts';

const ONSET = 1_773_454_320_000_000_000n;
const at = (seconds: number): bigint => ONSET + BigInt(Math.round(seconds * 1e9));

/** A sag, two failovers, eight brakes that samples showed ten seconds late, and requests that were slow from the beginning. */
const steps = [
  { type: 'voltage_sag', device: 'PDU-B', time_ns: at(0), cause: null, ref: 'event:1' },
  { type: 'psu_failover', device: 'node-1', time_ns: at(0.7), cause: 0, ref: 'event:2' },
  { type: 'psu_failover', device: 'node-2', time_ns: at(0.9), cause: 0, ref: 'event:3' },
  ...Array.from({ length: 12 }, (_, gpu) => ({
    ...{ type: 'power_brake', device: `GPU-${gpu}`, time_ns: at(10), cause: 1, ref: `event:${4 + gpu}` },
  })),
  { type: 'service_degraded', device: 'chat', time_ns: at(0), cause: 3, ref: 'measurement:chat' },
].map((step) => ({ ...step, undecided: false, contradiction: null }));
const impact = {
  ...{ p99_baseline_ms: 100, p99_first_anomaly_ms: 200, p99_peak_ms: 900 },
  ...{ error_rate_baseline_percent: 0, error_rate_first_anomaly_percent: 0, error_rate_peak_percent: 88.9 },
  ...{ throughput_baseline_rps: null, throughput_first_anomaly_rps: null, throughput_peak_rps: null },
  estimated_cost_impact_usd: null,
};
const incident = {
  ...{ id: 'inc_1', impact, harm: 'degraded', went_on: false, work: 'requests', slowed_times: null, hypotheses: [] },
  ...{ affected_services: ['chat'], affected_parts: [] },
  causal_chain: steps.map(({ type, device, cause }) => ({
    ...{ type, device_id: device, caused_by: cause, lag_seconds: 0, probability: 0.9, indirect_causality: false },
  })),
};
const view = {
  ...{ service: 'chat', incident, steps, unused_events: [], also_affected: [], onset_ref: 'measurement:1' },
  ...{ onset_ns: at(0), onset_earliest_ns: at(-30), previous_ns: at(-30), end_ns: at(450), worst_refs: {} },
};
const links = [
  { from: 'pdu:PDU-B', to: 'server:node-1', kind: 'feeds', ref: 'edge:1' },
  { from: 'pdu:PDU-B', to: 'server:node-2', kind: 'feeds', ref: 'edge:2' },
  ...Array.from({ length: 12 }, (_, gpu) => ({
    ...{ from: 'server:node-1', to: `gpu:GPU-${gpu}`, kind: 'contains', ref: `edge:${3 + gpu}` },
  })),
];
const keys = [...new Set(links.flatMap(({ from, to }) => [from, to]))];
const map = {
  nodes: keys.map((key) => ({ key, id: key.slice(key.indexOf(':') + 1), kind: 'x', layer: 'gpu' })),
  links,
  troubled: new Map(keys.map((key) => [key, at(0)])),
};
const cost = { lines: [], lost_training: [], total_gpu_hours: null, currency: 'USD', total: null };
const requests = { total: 683, failed: 206, slow: null, slow_above_ms: null };
const facts = {
  ...{ view, map, requests, cost, recovered: null, detected: null, heading: null, gpus: [], users: null, lost: null },
  ...{ hasRates: false, verdict: { ruledOut: [], undecided: [], confirmed: null, isOverruled: false, leading: null } },
  stages: { stages: [] },
} as never;

test('captions and the list of links fold what is equal on many devices', () => {
  expect(timelineText(view as never)).toMatch(
    /^1\. 02:12:00 voltage sag on PDU-B; 2\. 02:12:00\.700 psu failover on node-1 and 1 more \(step 3\); 4\. 02:12:10 power brake on GPU-0 and 11 more \(steps 5 to 15\); 16\. /,
  );
  expect(topologyText(map as never, [{ name: 'Onset', time_ns: at(0) }])).toBe(
    'Onset (02:12:00): in trouble PDU-B, node-1, node-2 and 12 more. Links: PDU-B feeds node-1, node-2; node-1 contains GPU-0, GPU-1, GPU-2 and 9 more.',
  );
  const text = JSON.stringify(rootCauseBlocks(facts));
  expect(text).toContain('node-1 contains GPU-0, GPU-1, GPU-2 and 9 more.');
  expect(text).toContain('at the onset');
  expect(text).not.toMatch(/-\d[\d.]* s after|\b0 s before/);
});

test('what nothing shows to have ended lasted at least as long, and the worst measurement is called the worst', () => {
  const { text } = whatDegraded(facts);
  expect(text).toContain('chat was degraded for at least 7.5 min, from 2026-03-14 02:12:00 to 02:19:30 UTC');
  expect(text).toContain(
    'errors rose from 0 % to 89 % in the worst interval. It had about 683 requests, of which 206 failed (30 %)',
  );
  const recovered = { time_ns: at(460), ref: 'measurement:2', how: '' };
  expect(lasted({ view, recovered } as never)).toBe('7.5 min');
});

test('an effect that was recorded before its cause is stated as such, in no negative time', () => {
  const early = { ...view, steps: steps.map((step, i) => (i === 1 ? { ...step, time_ns: at(-0.04) } : step)) };
  const text = JSON.stringify(rootCauseBlocks({ ...(facts as object), view: early } as never));
  expect(text).toContain('40 ms before its cause, step 1, was recorded');
  expect(text).toContain('a slow request counts at the time it began');
  expect(durationText(0.024)).toBe('24 ms');
});

test('an impact that begins before its cause was recorded states so, and why that may be', () => {
  const text = (onset_s: number): string => {
    const own = steps.map((step, i) => (i === steps.length - 1 ? { ...step, time_ns: at(onset_s), cause: 3 } : step));
    return JSON.stringify(rootCauseBlocks({ ...(facts as object), view: { ...view, steps: own } } as never));
  };
  expect(text(0)).toContain('the impact, 10 s before its cause, step 4, was recorded');
  expect(text(0)).toContain('a slow request counts at the time it began');
  expect(text(12)).not.toMatch(/was recorded|counts at the time/);
});

test('requests of services that call each other are no sum of requests', () => {
  const text = JSON.stringify(alsoDegraded([facts, facts]));
  expect(text).toContain('Added up, they had about 1370 requests');
  expect(text).toContain('a request that passes several of them counts in each');
});

test('a job has no latency, no rate of errors and no costs of a request', () => {
  const of = (work: string): string => {
    const job = { ...view, incident: { ...incident, work } };
    const per_request = { normal: request, worst: request };
    return JSON.stringify(impactBlocks({ ...(facts as object), view: job, cost: { ...cost, per_request } } as never));
  };
  const request = { gap: 'no throughput', gpu_seconds: null, throughput_rps: null, refs: [], time: '', shared_gpus: 0 };
  expect(of('requests')).toMatch(/P99 latency.*Error rate.*Throughput.*One request/);
  expect(of('collectives')).toContain('Throughput');
  expect(of('collectives')).not.toMatch(/P99|Error rate|One request/);
});

test('a cause in software that a known failure shows names what changed; of another service it does not', () => {
  const hypothesis = {
    ...{ rank: 1, probability: 0.97, type: 'service_errors', subject: { kind: 'service', id: 'chat' } },
    ...{ event_id: null, metric: null, evidence: [] },
  };
  const finding = (id: string, severity: string) => ({
    ...{ title: 'Bad deploy', headline: 'chat has failed since version 2.5.0.', verdict: 'complete', severity },
    ...{ entities: [{ kind: 'service', id }], evidence: [{ text: '', refs: ['span:1'] }] },
  });
  const textOf = (...findings: readonly object[]): string => {
    const judged = { ...view, incident: { ...incident, hypotheses: [hypothesis] } };
    return JSON.stringify(rootCause({ ...(facts as object), view: judged, findings } as never));
  };
  expect(textOf(finding('chat', 'high'))).toContain(
    'It shows as a known failure: Bad deploy. chat has failed since version',
  );
  expect(textOf(finding('store', 'high'), finding('chat', 'medium'))).not.toContain('Bad deploy');
});
