import { expect, test } from 'vitest';
import { Reporters } from '../../src/core/analysis/clocks/reporters.ts';
import type { ClockFact, EventFact } from '../../src/core/store/facts/reader.ts';
import { memoryCore } from '../support/core.ts';
import { event, service, topology } from '../support/scenario.ts';

const file = (source_id: number, name: string): ClockFact => ({
  ...{ source_id, name, clock_offset_ns: 0n, clock_uncertainty_ns: 0n, fixed: false },
  ...{ first_ns: 0n, last_ns: 1n },
});
const by = (source_id: number, origin: string) => ({ source_id, origin }) as EventFact;

test('a file with events of several reporters may have a clock for each, any other one clock', () => {
  const recorded = [
    by(1, 'redfish'),
    by(1, 'pdu_snmp'),
    by(2, 'kernel'),
    by(2, 'otlp'),
    by(3, 'redfish'),
    by(3, 'derived'),
  ];
  const reporters = new Reporters([file(1, 'events.json'), file(2, 'collector.json'), file(3, 'bmc.json')], recorded);
  expect(reporters.clocks.map(({ source_id, file_id, name }) => [source_id, file_id, name])).toEqual([
    [4, 1, 'events.json, pdu_snmp'],
    [5, 1, 'events.json, redfish'],
    [2, 2, 'collector.json'],
    [3, 3, 'bmc.json'],
  ]);
  expect(reporters.byClock(recorded).map(({ source_id }) => source_id)).toEqual([5, 4, 2, 2, 3, 3]);
  const [own, other] = [reporters.apart(new Set([5])), reporters.apart(new Set())];
  expect(own.clocks.map(({ source_id, name }) => [source_id, name])).toEqual([
    [1, 'events.json'],
    [4, 'events.json, redfish'],
    [2, 'collector.json'],
    [3, 'bmc.json'],
  ]);
  expect(other.byClock(recorded)).toEqual(recorded);
  expect(reporters.spread(new Map([[1, 7n]]))).toEqual(
    new Map([
      [4, 7n],
      [5, 7n],
    ]),
  );
});

test('a file in which each record names another reporter has one clock', () => {
  const recorded = Array.from({ length: 20_000 }, (_, i) => by(1, `recorder-${i}`));
  const { clocks } = new Reporters([file(1, 'events.json')], recorded);
  expect(clocks.map(({ source_id }) => source_id)).toEqual([1]);
});

test('a PDU whose clock is late in the file of others is named: two servers name its feed', async () => {
  const named = { failed_psu: 'PSU-B', active_psu: 'PSU-A' };
  const servers = ['server-1', 'server-2'].flatMap((server, i) => [
    event(`f${i}`, 690 + 0.04 * i, 'redfish', 'psu_failover', server, 'critical', named),
    event(`c${i}`, 691.2 + 0.1 * i, 'rapl', 'cpu_power_cap', server, 'high'),
  ]);
  const core = await memoryCore();
  await core.importJson(
    { events: [...servers, event('sag', 705, 'pdu_snmp', 'voltage_sag', 'PDU-B')] },
    { service_metrics: service('inference') },
    topology,
  );
  const { incidents } = await core.api.correlate({});
  expect(incidents[0]?.hypotheses[0]).toMatchObject({ type: 'voltage_sag', subject: { id: 'PDU-B' } });
  const clocks = (await core.api['clocks.list']({})).filter(({ name }) => name.includes(', '));
  expect(clocks.map(({ name }) => name.replace(/^.*, /, ''))).toEqual(['pdu_snmp']);
  const doubt = clocks.find(({ name }) => name.endsWith('pdu_snmp'))?.uncertainty_ns ?? 0n;
  expect(Number(doubt) / 1e9).toBeGreaterThan(10);
});
