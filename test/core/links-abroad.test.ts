import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventWithMessage, first, healthy, incidentsOf, metrics, of } from '../support/by-hand.ts';
import { memoryCore, temporaryFolder } from '../support/core.ts';
import { at } from '../support/scenario.ts';

/** What a site recorded less completely than a corpus: parts by name alone, services without a place, servers that others name. */

const kindsOf = (incident: ReturnType<typeof of>, type: string): string[] =>
  (incident?.hypotheses.find((one) => one.type === type)?.evidence ?? []).map(({ kind }) => kind);

test('a port that only its name links to a switch leads to the services behind that switch', async () => {
  const incidents = await incidentsOf(
    `port|leaf-1/swp1 connects nic|server-1/eth0
     port|leaf-1/swp2 connects nic|server-2/eth0
     port|leaf-1/uplink1 connects port|spine-1/swp7
     rack|r1 contains switch|leaf-1
     service|chat runs_on server|server-1
     service|search runs_on server|server-9`,
    { events: [eventWithMessage(702, 'snmp', 'network_congestion', 'leaf-1/uplink1', 'medium')] },
    metrics('chat'),
    healthy('search'),
  );
  expect(kindsOf(of(incidents, 'chat'), 'network_congestion')).not.toContain('unmapped');
});

test('pods that start again after their node went away are no new version', async () => {
  const started = (second: number) => ({
    ...eventWithMessage(second, 'kubernetes', 'pod_started', 'prod/chat-5f7-b', 'low', 'Started container main'),
    entity_kind: 'pod',
  });
  const links = `pod|prod/chat-5f7-a member_of service|chat
     pod|prod/chat-5f7-b member_of service|chat
     service|chat runs_on pod|prod/chat-5f7-a
     service|chat runs_on pod|prod/chat-5f7-b
     pod|prod/chat-5f7-a runs_on node|node-1
     pod|prod/chat-5f7-b runs_on node|node-2`;
  const software = (incidents: Awaited<ReturnType<typeof incidentsOf>>) =>
    (of(incidents, 'chat')?.hypotheses ?? [])
      .filter(({ subject }) => subject === null || subject.kind === 'service')
      .flatMap(({ evidence }) => evidence.map(({ kind }) => kind));
  const alone = await incidentsOf(links, { events: [started(680)] }, metrics('chat'));
  expect(software(alone)).toContain('rollout');
  const evicted = eventWithMessage(660, 'kubernetes', 'pod_evicted', 'prod/chat-5f7-a', 'high');
  const replaced = await incidentsOf(links, { events: [evicted, started(680)] }, metrics('chat'));
  expect(software(replaced)).not.toContain('rollout');
});

test('a gateway of unknown place shares the cause of the service that degraded with it, and of nothing else', async () => {
  const links = `switch|leaf-1 connects server|server-1
     service|chat runs_on server|server-1`;
  const event = { events: [eventWithMessage(695, 'snmp', 'switch_reboot', 'leaf-1', 'high')] };
  const together = await incidentsOf(links, event, metrics('chat'), metrics('gateway'));
  expect(first(of(together, 'chat'))?.type).toBe('switch_reboot');
  expect(kindsOf(of(together, 'gateway'), 'switch_reboot')).toContain('by_company');
  const alone = await incidentsOf(links, event, healthy('chat'), metrics('gateway'));
  expect(kindsOf(of(alone, 'gateway'), 'switch_reboot')).toEqual([]);
});

test('a client that waits for network storage names the server, which is the cause a minute later', async () => {
  const core = await memoryCore();
  const folder = await temporaryFolder();
  const [kernel, topology] = [join(folder, 'journal.json'), join(folder, 'topology.csv')];
  const line = (second: number, host: string, message: string) =>
    JSON.stringify({
      __REALTIME_TIMESTAMP: String(Date.parse(at(second)) * 1000),
      _HOSTNAME: host,
      _TRANSPORT: 'kernel',
      SYSLOG_IDENTIFIER: 'kernel',
      PRIORITY: '4',
      MESSAGE: message,
    });
  await writeFile(
    kernel,
    `${[
      line(763, 'node-1', 'nfs: server filer-7 not responding, still trying'),
      line(764, 'node-2', 'nfs: server filer-7 not responding, still trying'),
      line(805, 'node-1', 'nfs: server filer-7 OK'),
    ].join('\n')}\n`,
  );
  await writeFile(
    topology,
    'from_kind,from_id,edge,to_kind,to_id,valid_from,valid_to\nservice,chat,runs_on,server,node-1,,\nservice,search,runs_on,server,node-2,,\n',
  );
  await core.import([kernel, topology]);
  await core.importJson(metrics('chat'), metrics('search'));
  const { rows } = await core.api['query.sql']({
    sql: 'select distinct entity_kind, device_id, type from events order by type',
  });
  expect(rows).toEqual([
    ['server', 'filer-7', 'storage_not_responding'],
    ['server', 'filer-7', 'storage_restored'],
  ]);
  const { incidents } = await core.api.correlate({});
  for (const name of ['chat', 'search'])
    expect(first(of(incidents, name))).toMatchObject({
      type: 'storage_not_responding',
      subject: { kind: 'server', id: 'filer-7' },
    });
});
