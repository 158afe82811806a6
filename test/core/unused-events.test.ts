import { expect, test } from 'vitest';
import { memoryCore } from '../support/core.ts';
import { event, service, topology } from '../support/scenario.ts';

test('critical events near the onset that the chain does not use are listed, each with its reason', async () => {
  const critical = (id: string, at: number, type: string, device: string) => ({
    ...event(id, at, 'redfish', type, device),
    severity: 'critical',
  });
  const core = await memoryCore();
  const events = [
    { ...event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B'), severity: 'critical' },
    critical('e2', 688, 'psu_failover', 'server-77'),
    critical('e3', 100, 'psu_failover', 'server-77'),
  ];
  await core.importJson({ events }, { service_metrics: service('inference') }, topology);
  const [view] = await core.api['incidents.list']({});
  expect(view?.steps[0]?.type).toBe('voltage_sag');
  expect(view?.unused_events).toMatchObject([
    { type: 'psu_failover', device: 'server-77', reason: 'no path in the topology from server-77 to inference' },
  ]);
  const { text } = await core.api['report.render']({});
  expect(text).toMatch(/Critical events near the onset that the chain does not use:[\s\S]*psu failover on server-77/);
  expect(text).not.toContain('is not in the topology: whether');
});
