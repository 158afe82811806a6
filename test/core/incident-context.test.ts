import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { severityWeight } from '../../src/core/analysis/causality/event-traits.ts';
import type { EventFact } from '../../src/core/store/facts/reader.ts';
import { readDetails } from '../../src/main/sources/event-details/read-details.ts';
import type { Incident } from '../../src/model/incident/incident.ts';
import { memoryCore, temporaryFolder } from '../support/core.ts';
import { at, event, service } from '../support/scenario.ts';

/** A UPS over two PDUs with a server each; the service runs on the first server, another one on the second. */
const edges = [
  'ups,UPS-1,feeds,pdu,PDU-B,,',
  'ups,UPS-1,feeds,pdu,PDU-C,,',
  'pdu,PDU-B,feeds,server,server-1,,',
  'pdu,PDU-C,feeds,server,server-2,,',
  'server,server-1,contains,gpu,server-1/GPU-0,,',
  'service,inference,runs_on,server,server-1,,',
  'service,embedding,runs_on,server,server-2,,',
];

async function incidentOf(
  events: readonly unknown[],
  metrics: readonly unknown[] = service('inference'),
  twice: readonly unknown[] = [],
): Promise<Incident> {
  const core = await memoryCore();
  const file = join(await temporaryFolder(), 'topology.csv');
  await writeFile(file, `from_kind,from_id,edge,to_kind,to_id,valid_from,valid_to\n${edges.join('\n')}\n`);
  await core.import([file]);
  await core.importJson({ events }, { service_metrics: metrics });
  if (twice.length > 0) await core.importJson({ events: twice });
  const { incidents } = await core.api.correlate({ service: 'inference' });
  expect(incidents).toHaveLength(1);
  return incidents[0]!;
}

const arrows = ({ causal_chain }: Incident): (readonly [string | null, string])[] =>
  causal_chain.map(({ caused_by, event_id }) => [caused_by, event_id]);

const sag = event('sag', 692, 'pdu_snmp', 'voltage_sag', 'PDU-B');
const failover = event('failover', 693, 'redfish', 'psu_failover', 'server-1');
const cap = event('cap', 694.5, 'rapl', 'cpu_power_cap', 'server-1', 'medium');

test('an arrow goes from the nearest cause: the cap follows the failover, not the sag before it', async () => {
  expect(arrows(await incidentOf([sag, failover, cap])).slice(0, 3)).toEqual([
    [null, 'sag'],
    ['sag', 'failover'],
    ['failover', 'cap'],
  ]);
});

test('the same event in two files is one step', async () => {
  const again = event('again', 693.4, 'bmc_log', 'psu_failover', 'server-1');
  const incident = await incidentOf([sag, failover, cap], service('inference'), [again]);
  expect(incident.causal_chain.map(({ event_id }) => event_id)).not.toContain('again');
});

test('different Xids of one GPU are different steps, and the later follow from the first', async () => {
  const xid = (id: string, seconds: number, code: number, severity: string) => ({
    ...event(id, seconds, 'kernel', 'xid_error', 'server-1/GPU-0', severity),
    raw_message: `NVRM: Xid (PCI:0000:9b:00): ${code}, pid=1`,
  });
  const incident = await incidentOf([xid('first', 694, 48, 'critical'), xid('row', 694.5, 63, 'high')]);
  expect(arrows(incident).slice(0, 2)).toEqual([
    [null, 'first'],
    ['first', 'row'],
  ]);
});

test('an onset is where the trouble began that became an anomaly', async () => {
  const rows = service('inference').map((row) => {
    const leadsUp = row.timestamp !== undefined && String(row.timestamp) >= at(640) && String(row.timestamp) < at(700);
    return leadsUp ? { ...row, p99_latency_ms: 800 } : row;
  });
  const slow = await incidentOf([event('early', 636, 'redfish', 'psu_failure', 'server-1')], rows);
  expect(slow.impact.p99_first_anomaly_ms).toBe(800);
  expect(slow.hypotheses[0]?.event_id).toBe('early');
  // A bad measurement apart from the anomaly is none of it.
  const apart = service('inference').map((row) => (row.timestamp === at(660) ? { ...row, p99_latency_ms: 800 } : row));
  expect((await incidentOf([sag], apart)).impact.p99_first_anomaly_ms).toBe(2000);
});

test('a third worse is an incident when it stays for two measurements, and none in a single one', async () => {
  const core = await memoryCore();
  const lasting = (name: string, measurements: number) =>
    service(name).map((row) => {
      const second = (Date.parse(String(row.timestamp)) - Date.parse(at(0))) / 1000;
      const bad = second >= 700 && second < 700 + 10 * measurements;
      const normalMetrics = { p50_latency_ms: 200, p95_latency_ms: 380, p99_latency_ms: 500, error_rate_percent: 0.1 };
      return {
        ...row,
        ...normalMetrics,
        throughput_rps: 140,
        ...(bad ? { p50_latency_ms: 270, p99_latency_ms: 670 } : {}),
      };
    });
  await core.importJson({ service_metrics: [...lasting('long', 2), ...lasting('short', 1)] });
  const { incidents } = await core.api.correlate({});
  expect(incidents.map(({ affected_services }) => affected_services)).toEqual([['long']]);
});

test('two PDUs that sag together exonerate each of them', async () => {
  const both = await incidentOf([sag, event('other', 692.2, 'pdu_snmp', 'voltage_sag', 'PDU-C'), failover]);
  const incidentSummary = (incident: Incident) =>
    incident.hypotheses.find(({ event_id }) => event_id === 'sag')?.evidence.map(({ text }) => text) ?? [];
  const text = 'voltage sag at the same time on PDU-C, behind the same supply';
  expect(incidentSummary(both)).toContain(text);
  const later = await incidentOf([sag, event('other', 660, 'pdu_snmp', 'voltage_sag', 'PDU-C'), failover]);
  expect(incidentSummary(later)).not.toContain(text);
});

test('a UPS that tests itself is harmless, and one that loses its input does', () => {
  const transfer = (message: string): EventFact => ({
    event_id: 1,
    original_id: 'e1',
    time_ns: 0n,
    clock_uncertainty_ns: 0n,
    source_id: 1,
    entity: 1,
    device_id: 'UPS-1',
    type: 'ups_transfer',
    origin: 'ups',
    severity: 3,
    message,
    details: readDetails({ type: 'ups_transfer', message, attributes: {} }),
  });
  for (const text of [
    'UPS: On battery power due to a self-test.',
    'Scheduled selftest started',
    'Battery test running',
  ])
    expect(severityWeight(transfer(text)), text).toBeLessThan(0.2);
  expect(severityWeight(transfer('On battery: input voltage out of tolerance'))).toBe(1);
});
