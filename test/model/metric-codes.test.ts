import { expect, test } from 'vitest';
import { hasCodes } from '../../src/model/telemetry/metric.ts';

test('codes are no numbers that rise or fall', () => {
  for (const code of [
    'hw.sensor.state',
    'hw.status',
    'hw.gpu.xid',
    'st4InputCordStatus',
    'probe_state',
    'http.status_code',
  ])
    expect([code, hasCodes(code)]).toEqual([code, true]);
  for (const number of ['hw.power', 'kube_deployment_status_replicas', 'estate', 'hw.gpu.utilization'])
    expect([number, hasCodes(number)]).toEqual([number, false]);
});
