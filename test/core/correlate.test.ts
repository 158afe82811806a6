import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Incident } from '../../src/model/incident/incident.ts';
import { memoryCore, type TestCore, temporaryFolder } from '../support/core.ts';
import { at, event, service, topology } from '../support/scenario.ts';
import { sharedData } from '../support/shared-data.ts';

async function correlate(
  documents: readonly unknown[],
  options: Parameters<Awaited<ReturnType<typeof memoryCore>>['api']['correlate']>[0] = {},
) {
  const core = await memoryCore();
  await core.importJson(...documents);
  return core.api.correlate(options);
}

/** "No physical cause", or a service that is named in its place. */
const readsAsSoftware = (incident: Incident | undefined): boolean => {
  const [first] = incident?.hypotheses ?? [];
  return first?.event_id === null && (first.type === 'no_physical_cause' || first.subject?.kind === 'service');
};
const healthyServices = (...names: readonly string[]) =>
  names.flatMap((name) => service(name, { p99: 500, errors: 0.1, rps: 140 }));
const types = (incident: Incident | undefined) => incident?.causal_chain.map(({ type }) => type);
const sag = event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B');
const failover = event('e2', 691, 'redfish', 'psu_failover', 'server-1');

test('the PowerTrace sample gives the documented incident', async () => {
  const files = ['events', 'traces', 'topology'].map((name) => sharedData(`powertrace/${name}.json`));
  const core = await memoryCore();
  await core.import(files);
  const report = await core.api.correlate({ gpu_rate: 11.57 });
  expect(report.summary).toEqual({
    total_events_processed: 5,
    total_incidents_detected: 1,
    total_unmapped_devices: 0,
    total_warnings: 0,
  });
  const [incident] = report.incidents;
  expect(incident).toMatchObject({
    window_start: '2024-01-15T14:32:01.000Z',
    window_end: '2024-01-15T14:33:48.000Z',
    duration_seconds: 107,
    overall_confidence: 0.89,
    low_confidence: false,
    affected_services: ['llama-inference-api'],
    unmapped_devices: [],
  });
  expect(types(incident)).toEqual([
    'voltage_sag',
    'psu_failover',
    'cpu_power_cap',
    'thermal_throttle',
    'power_cap_applied',
    'trace_degradation',
  ]);
  expect(incident?.causal_chain.map(({ confidence }) => confidence)).toEqual([null, 0.891, 0.872, 0.893, 0.896, 0.89]);
  expect(incident?.causal_chain.map(({ lag_seconds }) => lag_seconds)).toEqual([10, 1, 1, 1, 3, 0]);
  expect(incident?.impact.p99_baseline_ms).toBeCloseTo(528, -0.8);
  expect(incident?.impact).toMatchObject({
    p99_first_anomaly_ms: 2100,
    p99_peak_ms: 2250,
    error_rate_baseline_percent: 0.1,
    error_rate_first_anomaly_percent: 4.3,
    error_rate_peak_percent: 5.1,
    throughput_baseline_rps: 141,
    throughput_first_anomaly_rps: 61,
    throughput_peak_rps: 55,
    estimated_cost_impact_usd: 0.34,
  });
  expect(incident?.hypotheses[0]).toMatchObject({
    rank: 1,
    type: 'voltage_sag',
    subject: { kind: 'pdu', id: 'PDU-B-rack-14' },
  });
});

test('cost is null without a rate', async () => {
  const report = await correlate([{ events: [sag] }, { service_metrics: service('inference') }, topology]);
  expect(report.incidents[0]?.impact.estimated_cost_impact_usd).toBeNull();
});

test('unmapped devices are kept, penalised and listed', async () => {
  const unmappedEvent = event('e9', 692, 'redfish', 'psu_failover', 'unknown-box');
  const report = await correlate([
    { events: [sag, unmappedEvent] },
    { service_metrics: service('inference') },
    topology,
  ]);
  const [incident] = report.incidents;
  expect(incident?.unmapped_devices).toEqual(['unknown-box']);
  expect(report.summary.total_unmapped_devices).toBe(1);
  const step = incident?.causal_chain.find(({ event_id }) => event_id === 'e9');
  // 0.90 - 0.20 (unmapped) - 8 s / 60 s x 0.06
  expect(step?.confidence).toBe(0.692);
});

test('a low edge score is flagged for scripts, and nowhere a warning', async () => {
  const far = event('e1', 650, 'pdu_snmp', 'voltage_sag', 'nobody-knows', 'low');
  const report = await correlate([{ events: [far] }, { service_metrics: service('inference') }, topology]);
  const [incident] = report.incidents;
  // 0.90 - 0.05 (low) - 0.20 (unmapped) - 0.25 (over 30 s)
  expect(incident?.overall_confidence).toBe(0.4);
  expect(incident?.low_confidence).toBe(true);
  expect(incident?.warnings.join()).not.toContain('confidence');
});

test('a service with one point is skipped with a warning', async () => {
  const report = await correlate([
    { service_metrics: [...service('inference'), ...service('lonely', { from: 0, to: 0 })] },
  ]);
  expect(report.warnings.join()).toContain('lonely has only one measurement');
  expect(report.incidents.map(({ affected_services }) => affected_services)).toEqual([['inference']]);
  expect(report.summary.total_warnings).toBe(report.warnings.length + (report.incidents[0]?.warnings.length ?? 0));
});

test('overlapping windows are warned of and never merged', async () => {
  const report = await correlate([
    { events: [sag] },
    { service_metrics: [...service('inference'), ...service('embedding', { onset: 710 })] },
    topology,
  ]);
  expect(report.incidents.map(({ affected_services }) => affected_services)).toEqual([['inference'], ['embedding']]);
  for (const incident of report.incidents) expect(incident.warnings.join()).toContain('overlaps an incident of');
});

test('a lag over 30 s is flagged indirect', async () => {
  const early = event('e1', 660, 'pdu_snmp', 'voltage_sag', 'PDU-B');
  const report = await correlate([{ events: [early] }, { service_metrics: service('inference') }, topology]);
  expect(report.incidents[0]?.causal_chain[0]).toMatchObject({
    event_id: 'e1',
    indirect_causality: true,
    lag_seconds: 40,
  });
});

test('on equal timestamps the physical source comes first', async () => {
  const together = [
    event('gpu', 695, 'nvml', 'power_cap_applied', 'GPU-A'),
    event('server', 695, 'redfish', 'psu_failover', 'server-1'),
    event('pdu', 695, 'pdu_snmp', 'voltage_sag', 'PDU-B'),
  ];
  const report = await correlate([{ events: together }, { service_metrics: service('inference') }, topology]);
  expect(report.incidents[0]?.causal_chain.map(({ event_id }) => event_id).slice(0, 3)).toEqual([
    'pdu',
    'server',
    'gpu',
  ]);
});

test('metadata is free-form and survives as evidence', async () => {
  const core = await memoryCore();
  const odd = event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B', 'critical', {
    nested: { deep: [1, null, 'x'] },
    ключ: 'значение',
  });
  await core.importJson({ events: [odd] }, { service_metrics: service('inference') }, topology);
  const record = await core.api['evidence.get']({ ref: 'event:1' });
  expect(JSON.parse(record.raw)).toEqual(odd);
  expect(record.fields).toContainEqual({ name: 'ключ', value: 'значение' });
});

test('events of other services are not blamed when nothing maps to the affected one', async () => {
  const elsewhere = event('e1', 695, 'redfish', 'psu_failure', 'server-2');
  const report = await correlate([{ events: [elsewhere] }, { service_metrics: service('inference') }, topology]);
  const [incident] = report.incidents;
  expect(types(incident)).toEqual(['trace_degradation']);
  expect(incident?.warnings.join()).toContain('no physical cause found');
  expect(readsAsSoftware(incident)).toBe(true);
  expect(incident?.hypotheses.some(({ event_id }) => event_id === 'e1')).toBe(false);
});

test('times are UTC whatever zone they were written in, and ids are stable', async () => {
  const zoned = { ...sag, timestamp: '2026-01-10T14:11:30.000+02:00' };
  const documents = [{ events: [zoned] }, { service_metrics: service('inference') }, topology];
  const [first, second] = [await correlate(documents), await correlate(documents)];
  expect(first.incidents[0]?.causal_chain[0]?.timestamp).toBe(at(690));
  expect(first.incidents[0]?.id).toBe(second.incidents[0]?.id);
});

test.each([
  ['SRV-1', 'redfish'],
  ['10.0.0.1', 'redfish'],
  ['k8s-node-1', 'kubernetes'],
  ['i-0001', 'aws_health'],
  ['GPU-aaaa-1111', 'nvml'],
])('the alias %s stands for its device', async (name, source) => {
  const report = await correlate([
    { events: [event('e1', 695, source, 'host_degradation', name)] },
    { service_metrics: service('inference') },
    topology,
  ]);
  expect(report.incidents[0]?.causal_chain[0]).toMatchObject({ event_id: 'e1', device_id: name });
  expect(report.incidents[0]?.unmapped_devices).toEqual([]);
});

test('a collapse of throughput alone is an impact', async () => {
  const report = await correlate([{ service_metrics: service('inference', { p99: 500, errors: 0.1, rps: 20 }) }]);
  expect(report.incidents[0]?.impact).toMatchObject({ throughput_baseline_rps: 140, throughput_first_anomaly_rps: 20 });
});

test('metrics are derived from spans when none are given', async () => {
  const spans = Array.from({ length: 900 * 4 }, (_, i) => {
    const second = i / 4;
    const slow = second >= 700 && second < 800;
    return {
      trace_id: `t${i}`,
      span_id: `s${i}`,
      service_name: 'inference',
      operation: 'go',
      start_time: at(second),
      duration_ms: slow ? 2000 + (i % 7) : 400 + (i % 50),
      status: 'ok',
    };
  });
  const report = await correlate([{ events: [sag] }, { spans }, topology]);
  const [incident] = report.incidents;
  expect(report.incidents).toHaveLength(1);
  expect(incident?.impact.p99_peak_ms).toBeGreaterThan(2000);
  expect(incident?.impact.throughput_baseline_rps).toBe(4);
  expect(Date.parse(incident?.window_end ?? '') - Date.parse(at(700))).toBeGreaterThanOrEqual(80_000);
  expect(incident?.hypotheses[0]?.event_id).toBe('e1');
});

test('a routine low-severity cap before the sag is not the root', async () => {
  const decoy = event('decoy', 651, 'rapl', 'cpu_power_cap', 'server-1', 'low');
  const report = await correlate([
    { events: [decoy, sag, failover] },
    { service_metrics: service('inference') },
    topology,
  ]);
  const [incident] = report.incidents;
  expect(incident?.hypotheses[0]?.event_id).toBe('e1');
  expect(incident?.causal_chain[0]?.event_id).toBe('e1');
  expect(incident?.causal_chain.some(({ event_id }) => event_id === 'decoy')).toBe(false);
  const sum = incident?.hypotheses.reduce((total, { probability }) => total + probability, 0) ?? 0;
  expect(sum).toBeGreaterThan(0.99);
  expect(sum).toBeLessThanOrEqual(1.001);
});

test('an event that goes on as long as the impact is no habit of its device, one that recurs before it is', async () => {
  const on = (seconds: readonly number[]) => ({
    events: seconds.map((second, i) => event(`e${i}`, second, 'syslog', 'link_down', 'server-1')),
  });
  const habitOf = async (seconds: readonly number[]) => {
    const long = { service_metrics: service('inference', { end: 1500, to: 1600 }) };
    const report = await correlate([on(seconds), long, topology]);
    const { evidence = [] } = report.incidents[0]?.hypotheses.find(({ type }) => type === 'link_down') ?? {};
    return evidence.some(({ text }) => text.includes('at other times'));
  };
  expect(await habitOf([690, 750, 1100, 1200, 1300, 1400])).toBe(false);
  expect(await habitOf([-3600, -3000, -2400, -1800, 690])).toBe(true);
});

test('services that read nothing from a store are no sign against it', async () => {
  const beside = [{ physical_device_id: 'server-1', services: ['inference', 'web', 'search'] }];
  const measured = { service_metrics: [...service('inference'), ...healthyServices('web', 'search')] };
  const textsOn = async (type: string) => {
    const events = [event('e1', 705, 'kernel', type, 'server-1', 'high')];
    const report = await correlate([{ events }, measured, { mappings: [...topology.mappings, ...beside] }]);
    const of = report.incidents.find(({ affected_services: [name] }) => name === 'inference');
    return of?.hypotheses
      .find((one) => one.type === type)
      ?.evidence.map(({ text }) => text)
      .join('\n');
  };
  expect(await textsOn('host_degradation')).toContain('remained healthy');
  expect(await textsOn('storage_not_responding')).not.toContain('remained healthy');
});

test("the impact's arrow comes from what harmed it last, not from unmapped or later events", async () => {
  const events = [
    sag,
    failover,
    event('cap', 694, 'nvml', 'power_cap_applied', 'GPU-A'),
    event('stray', 698, 'nvml', 'power_cap_applied', 'unknown-box'),
    event('slowed', 712, 'nvml', 'hw_slowdown', 'GPU-A', 'high'),
  ];
  const report = await correlate([{ events }, { service_metrics: service('inference') }, topology]);
  const chain = report.incidents[0]?.causal_chain ?? [];
  expect(chain.map(({ event_id }) => event_id)).toContain('slowed');
  expect(chain.at(-1)?.caused_by).toBe('cap');
});

test('a silent PDU whose servers fail over together is a suspect', async () => {
  const both = [
    event('a', 695, 'redfish', 'psu_failover', 'server-1'),
    event('b', 695.4, 'redfish', 'psu_failover', 'server-2'),
  ];
  const report = await correlate([{ events: both }, { service_metrics: service('inference') }, topology]);
  expect(report.incidents[0]?.hypotheses.map(({ type, subject }) => `${type} ${subject?.id ?? ''}`)).toContain(
    'unobserved_fault PDU-B',
  );
});

test('a case without any event cannot clear the hardware', async () => {
  const report = await correlate([{ service_metrics: service('inference') }]);
  expect(report.incidents[0]?.hypotheses[0]?.type).toBe('insufficient_evidence');
});

test('healthy services have no incident, and noise is not one', async () => {
  const noisy = service('inference', { onset: 10_000 }).map((row, i) => ({
    ...row,
    p99_latency_ms: 500 + 400 * Math.abs(Math.sin(i * 7.3)),
  }));
  const report = await correlate([{ events: [sag] }, { service_metrics: noisy }, topology]);
  expect(report.incidents).toEqual([]);
});

test('--service and --at narrow the answer; an unknown service is an expected failure', async () => {
  const core = await memoryCore();
  await core.importJson({
    service_metrics: [...service('inference'), ...service('embedding', { onset: 300, end: 350 })],
  });
  expect((await core.api.correlate({ service: 'embedding' })).incidents).toHaveLength(1);
  expect((await core.api.correlate({ at: at(320) })).incidents[0]?.affected_services).toEqual(['embedding']);
  await expect(core.api.correlate({ service: 'nope' })).rejects.toMatchObject({ problem: { code: 'service.unknown' } });
  await expect(core.api.correlate({ at: '2026-01-10T12:00:00' })).rejects.toMatchObject({
    problem: { code: 'time.no_zone' },
  });
});

test('a specified service is analysed although its measurements show no anomaly', async () => {
  const core = await memoryCore();
  // Half as slow again for one measurement: no impact by itself.
  const mild = service('inference', { onset: 700, end: 700, p99: 750, errors: 0.1, rps: 140 });
  await core.importJson({ events: [sag, failover] }, { service_metrics: mild }, topology);
  expect((await core.api.correlate({})).incidents).toEqual([]);
  expect((await core.api.correlate({ at: at(700) })).incidents).toEqual([]);
  const [incident, ...more] = (await core.api.correlate({ service: 'inference', at: at(695) })).incidents;
  expect(more).toEqual([]);
  expect(incident?.impact).toMatchObject({ p99_peak_ms: 750 });
  expect(incident?.warnings[0]).toBe('no anomaly of inference at that time: analysed because the time was specified');
  expect(incident?.hypotheses.map(({ event_id }) => event_id)).toContain('e1');
  expect((await core.api.correlate({ service: 'inference', at: at(5000) })).incidents).toEqual([]);
});

const chainOf = (incident: Incident | undefined) => incident?.causal_chain.map(({ event_id }) => event_id);

test.each([
  ['latency', { p99_latency_ms: 120 }],
  ['throughput', { throughput_rps: 1000 }],
  ['errors', { error_rate_percent: 0 }],
])('odd first rows (%s) neither make an incident nor hide one', async (_what, odd) => {
  const rows = service('inference').map(
    (row): Record<string, unknown> => ({
      ...row,
      error_rate_percent: row.p99_latency_ms === 2000 ? 6 : 1.8,
    }),
  );
  const strange = rows.map((row, i) => (i < 3 ? { ...row, ...odd } : row));
  const report = await correlate([{ events: [sag, failover] }, { service_metrics: strange }, topology]);
  expect(report.incidents).toHaveLength(1);
  expect(report.incidents[0]?.hypotheses[0]?.event_id).toBe('e1');
  const calm = strange.map((row) =>
    row.p99_latency_ms === 2000
      ? {
          ...{ ...row, p50_latency_ms: 200, p95_latency_ms: 380, p99_latency_ms: 500 },
          ...{ throughput_rps: 140, error_rate_percent: 1.8 },
        }
      : row,
  );
  expect((await correlate([{ events: [sag] }, { service_metrics: calm }, topology])).incidents).toEqual([]);
});

test('a little worse is an incident when it stays, and none when it passes', async () => {
  const worse = (measurements: number) => {
    const first = service('inference').findIndex((row) => row.p99_latency_ms === 2000);
    return service('inference').map((row, i) => {
      const isWorse = i >= first && i < first + measurements;
      return {
        ...{ ...row, p50_latency_ms: 200, p95_latency_ms: 380, p99_latency_ms: isWorse ? 850 : 500 + (i % 5) },
        ...{ throughput_rps: 140, error_rate_percent: 0.1 },
      };
    });
  };
  const steady = await correlate([{ service_metrics: worse(6) }, topology]);
  expect(steady.incidents.map(({ impact }) => impact.p99_peak_ms)).toEqual([850]);
  expect((await correlate([{ service_metrics: worse(3) }, topology])).incidents).toEqual([]);
});

test('a short recording that is half incident still has a baseline', async () => {
  const rows = [0, 60].map((second) => service('inference', { onset: 10_000, from: second, to: second })[0]);
  const bad = [120, 180].map((second) => service('inference', { onset: 0, from: second, to: second })[0]);
  const report = await correlate([{ service_metrics: [...rows, ...bad] }]);
  expect(report.incidents[0]?.impact).toMatchObject({ p99_first_anomaly_ms: 2000 });
});

test('without a topology nothing is cleared and nothing is accused', async () => {
  const report = await correlate([{ events: [sag, failover] }, { service_metrics: service('inference') }]);
  const [incident] = report.incidents;
  expect(incident?.hypotheses[0]?.type).toBe('insufficient_evidence');
  expect(incident?.warnings.join()).toContain('no topology of inference');
  expect(incident?.warnings.join()).toContain('a lead, not a finding');
  expect(incident?.unmapped_devices).toEqual(['PDU-B', 'server-1']);
});

test('a chain that the evidence does not favour is called a lead', async () => {
  const routine = event('e1', 675, 'nvml', 'power_cap_applied', 'GPU-A', 'low');
  // Three times the usual requests explain a slow service by themselves.
  const surge = service('inference', { rps: 420 });
  const report = await correlate([{ events: [routine] }, { service_metrics: surge }, topology]);
  const [incident] = report.incidents;
  expect(chainOf(incident)?.[0]).toBe('e1');
  expect(readsAsSoftware(incident)).toBe(true);
  expect(incident?.warnings.join()).toContain('the evidence favours "no physical cause"');
});

test('requests that fail and are sent again are no rising load', async () => {
  const surgeOf = async (errors: number) => {
    const report = await correlate([{ service_metrics: service('inference', { rps: 420, errors }) }, topology]);
    const evidence = report.incidents.flatMap(({ hypotheses }) => hypotheses.flatMap((one) => one.evidence));
    return [...new Set(evidence.flatMap(({ kind, text }) => (kind === 'surge' ? text : [])))];
  };
  expect(await surgeOf(4)).toEqual(['successful requests rose to 2.9 times the baseline']);
  // Seven of ten fail, so that of three times as many fewer succeed than before.
  expect(await surgeOf(70)).toEqual([]);
});

test('a device that is called like a service is not the service', async () => {
  const map = { mappings: [...topology.mappings, { physical_device_id: 'inference', parent_device_id: 'server-2' }] };
  const odd = event('e1', 695, 'datadog', 'host_degradation', 'inference');
  const report = await correlate([{ events: [odd] }, { service_metrics: service('inference') }, map]);
  expect(readsAsSoftware(report.incidents[0])).toBe(true);
});

test('a GPU id that two servers claim names neither', async () => {
  const map = {
    mappings: [
      { physical_device_id: 'n3', gpus: ['GPU-0'], kubernetes_node: 'k3', services: ['inference'] },
      { physical_device_id: 'n4', gpus: ['GPU-0'], kubernetes_node: 'k4', services: ['embedding'] },
    ],
  };
  const report = await correlate([
    { events: [event('e1', 695, 'nvml', 'xid_error', 'GPU-0')] },
    { service_metrics: service('inference') },
    map,
  ]);
  expect(report.incidents[0]?.unmapped_devices).toEqual(['GPU-0']);
  // One of the two may well be it: it is listed, and is no finding.
  expect(report.incidents[0]?.hypotheses[0]?.probability).toBeLessThan(0.7);
});

test('missing measurements are reported, not taken for health', async () => {
  const report = await correlate([{ events: [sag] }, topology]);
  expect(report.incidents).toEqual([]);
  expect(report.warnings.join()).toContain('no measured service');
});

async function importLinks(core: TestCore, lines: readonly string[]) {
  const file = join(await temporaryFolder(), 'links.csv');
  await writeFile(file, lines.join('\n'));
  return core.import([file]);
}

test('an edge until further notice is valid now', async () => {
  const core = await memoryCore();
  const old = event('e0', 695, 'pdu_snmp', 'voltage_sag', 'PDU-OLD');
  await core.importJson({ events: [old, sag] }, { service_metrics: service('inference') });
  const [source] = core.sources(
    await importLinks(core, [
      'from_kind,from_id,edge,to_kind,to_id,valid_from,valid_to',
      'pdu,PDU-B,feeds,server,server-1,2020-01-01T00:00:00Z,9999-12-31T23:59:59Z',
      'service,inference,runs_on,server,server-1,,',
      'pdu,PDU-OLD,feeds,server,server-1,2020-01-01T00:00:00Z,2021-01-01T00:00:00Z',
      'pdu,PDU-X,powers,server,server-1,,',
    ]),
  );
  expect(source).toMatchObject({ rows: { edge: 3 }, rejects: 1 });
  const report = await core.api.correlate({});
  expect(report.incidents[0]?.hypotheses[0]?.subject?.id).toBe('PDU-B');
  expect(report.incidents[0]?.unmapped_devices).toEqual(['PDU-OLD']);
});

test('what a card of a machine does to those that call its service comes by that service, by its name', async () => {
  const core = await memoryCore();
  await importLinks(core, [
    'from_kind,from_id,edge,to_kind,to_id',
    'server,server-1,contains,gpu,GPU-A',
    'service,embedding,runs_on,server,server-1',
    'service,inference,runs_on,server,server-2',
    'service,inference,calls,service,embedding',
  ]);
  const harm = event('e1', 690, 'kernel', 'xid_error', 'GPU-A');
  await core.importJson(
    { events: [harm] },
    { service_metrics: [...service('inference'), ...service('embedding', { onset: 2000 })] },
  );
  const { incidents } = await core.api.correlate({});
  const texts = incidents[0]?.hypotheses.find(({ event_id }) => event_id !== null)?.evidence.map(({ text }) => text);
  expect(texts).toContain('reaches inference only through a service that it calls');
  expect(texts).toContain('would act through embedding, with no degradation there');
});

test('the ragged ends of a recording of spans are not incidents, and a gap in it is not an outage', async () => {
  const every = (from: number, to: number, name: string, step: number) =>
    Array.from({ length: Math.floor((to - from) / step) }, (_, i) => ({
      trace_id: `${name}-${from}-${i}`,
      span_id: `${name}-${from}-${i}`,
      service_name: name,
      operation: 'go',
      start_time: at(from + i * step),
      duration_ms: 100 + (i % 9),
    }));
  // Begins and ends in the middle of intervals, with two minutes of nothing recorded in between.
  const spans = [
    ...every(3, 400, 'busy', 0.25),
    ...every(520, 968, 'busy', 0.25),
    ...every(7, 400, 'rare', 2),
    ...every(521, 963, 'rare', 2),
  ];
  expect((await correlate([{ spans }])).incidents).toEqual([]);
  // The same gap in one service while another goes on is an outage of the first.
  const half = await correlate([{ spans: [...spans, ...every(400, 520, 'busy', 0.25)] }]);
  expect(half.incidents.map(({ affected_services }) => affected_services[0])).toEqual(['rare']);
});
