import { expect, test } from 'vitest';
import { summariseCase } from '../../src/core/api/cases/summarise-case.ts';
import { judgedVerdict } from '../../src/model/incident/judged-verdict.ts';
import { headlineOf } from '../../src/renderer/views/causes/headline-text.ts';
import { memoryCore, type TestCore } from '../support/core.ts';
import { event, service } from '../support/scenario.ts';

/** Two feeds of the same machines, of which neither was recorded: nothing tells which one failed. */
async function tieCase(): Promise<TestCore> {
  const servers = ['server-1', 'server-2', 'server-3', 'server-4'];
  const mappings = [
    { physical_device_id: 'PDU-A', feeds: servers },
    { physical_device_id: 'PDU-B', feeds: servers },
    ...servers.map((id) => ({ physical_device_id: id, gpus: [`${id}/GPU-0`], services: ['inference'] })),
  ];
  const failovers = servers.map((id, at) => event(`e${at}`, 690 + at / 10, 'redfish', 'psu_failover', id));
  const tests = ['PDU-A', 'PDU-B'].map((id) => event(`t${id}`, 300, 'pdu_snmp', 'ups_self_test', id, 'low'));
  const events = [...tests, ...failovers];
  const core = await memoryCore();
  await core.importJson({ events }, { service_metrics: service('inference') }, { mappings });
  return core;
}

test('a tie is a tie on every page: no hypothesis of it is named as the cause', async () => {
  const core = await tieCase();
  const [view] = await core.api['incidents.list']({});
  const verdict = judgedVerdict(view!.incident, []);
  expect(verdict.undecided.map(({ subject }) => subject?.id).sort()).toEqual(['PDU-A', 'PDU-B']);
  expect(headlineOf(view!, verdict).title).toMatch(/^Undecided between /);

  const { text } = await core.api['report.render']({});
  expect(text).toMatch(
    /The root cause is undecided between .+ on PDU-[AB] and .+ on PDU-[AB], because none is clearly more probable/,
  );
  expect(text).toMatch(/What would decide it: records of PDU-[AB] and PDU-[AB] from before the onset\./);
  expect(text).not.toMatch(/most probable root cause is/);

  const grafana = JSON.parse((await core.api['report.render']({ format: 'grafana' })).text) as { text: string }[];
  expect(grafana[0]?.text).toMatch(/^inference: undecided between /);
  const { text: timeline } = await core.api['correlate.render']({ format: 'timeline' });
  expect(timeline).toMatch(/undecided between .+ on PDU-[AB] and .+ on PDU-[AB]/);
  expect((await core.api['incidents.telemetry']({})).traces).toMatch(
    /cause.undecided_with","value":\{"stringValue":"pdu:PDU/,
  );
  expect(summariseCase((await core.api['case.current']({}))!, [view!], []).verdicts).toMatchObject([{ tied: 1 }]);
});
