import { expect, test } from 'vitest';
import { memoryCore } from '../support/core.ts';
import { event, service } from '../support/scenario.ts';

test('a machine that runs nothing for the service is also affected, and no step of its chain', async () => {
  const mappings = [
    { physical_device_id: 'PDU-B', feeds: ['server-1', 'server-2', 'server-9'] },
    { physical_device_id: 'server-1', gpus: ['server-1/GPU-0'], services: ['inference'] },
    { physical_device_id: 'server-2', gpus: ['server-2/GPU-0'], services: ['inference'] },
    // A spare: the PDU feeds it, and no service runs on it.
    { physical_device_id: 'server-9', gpus: ['server-9/GPU-0'] },
  ];
  const events = [
    event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B'),
    event('e2', 691, 'redfish', 'psu_failover', 'server-1'),
    event('e3', 691.2, 'redfish', 'psu_failover', 'server-9'),
    event('e4', 691.4, 'redfish', 'psu_failover', 'server-2'),
    // No topology has it: whether it is on the path is unknown.
    event('e5', 691.6, 'redfish', 'psu_failover', 'server-77'),
  ];
  const core = await memoryCore();
  await core.importJson({ events }, { service_metrics: service('inference') }, { mappings });
  const [view] = await core.api['incidents.list']({});
  const named = (list: readonly { readonly device: string }[] = []) => list.map(({ device }) => device);
  expect(named(view?.steps)).toEqual(['PDU-B', 'server-1', 'server-2', 'server-77', 'inference']);
  expect(named(view?.also_affected)).toEqual(['server-9']);
  expect(view?.steps.map(({ cause }) => cause)).toEqual([null, 0, 0, 0, expect.any(Number)]);
  expect(view?.incident.causal_chain.map(({ device_id }) => device_id)).toEqual(named(view?.steps));
  // Scripts get the chain of the seed.
  const { incidents } = await core.api.correlate({});
  expect(incidents[0]?.causal_chain).toHaveLength(6);

  const { text } = await core.api['report.render']({});
  expect(text).toMatch(
    /Also affected, on no path of the topology to inference:\s+- \*\*psu failover\*\* on server-9\./,
  );
  expect(text).not.toMatch(/step \d+[^\n]*server-9/);
});
