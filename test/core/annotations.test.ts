import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openCaseFolder } from '../../src/main/engine/case-folders.ts';
import type { TopologyEdge } from '../../src/model/contract/index.ts';
import type { Annotation } from '../../src/model/incident/annotation.ts';
import { openTestCore, type TestCore, temporaryFolder } from '../support/core.ts';
import { event, service, T0, topology } from '../support/scenario.ts';

const common = { text: '', at_ns: null, until_ns: null, made_at_ns: 5n };
const note: Annotation = { kind: 'note', ...common, id: 'n1', text: 'the feed was moved', target: 'entity:pdu:PDU-B' };
const edge = (id: string, change: 'add' | 'remove', from: string, to: string, time: Partial<typeof common> = {}) =>
  ({ kind: 'edge', ...common, ...time, id, change, from, edge: 'feeds', to }) as const;
const nsAt = (seconds: number): bigint => BigInt(T0 + seconds * 1000) * 1_000_000n;

const incident = [
  event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B'),
  event('e2', 691, 'redfish', 'psu_failover', 'server-1'),
  event('e3', 693, 'nvml', 'power_brake', 'GPU-A', 'high'),
];

async function openIncident(...more: readonly unknown[]): Promise<TestCore> {
  const core = await openTestCore();
  await core.importJson({ events: incident }, { service_metrics: service('inference') }, topology, ...more);
  return core;
}

/** `PDU-B feeds server-1` from a topology answer. */
async function links(core: TestCore, list: 'edges' | 'removed' = 'edges'): Promise<Map<string, TopologyEdge>> {
  const answer = await core.api['topology.get']({});
  return new Map(
    answer[list].map((one) => [`${answer.nodes[one.from]?.id} ${one.kind} ${answer.nodes[one.to]?.id}`, one]),
  );
}
const keyOf = async (core: TestCore, id: string): Promise<string> =>
  (await core.api['topology.get']({})).nodes.find((node) => node.id === id)?.key ?? '';

test('annotations are kept with the case, changed and taken away as one step', async () => {
  const core = await openIncident();
  const stamp: Annotation = { kind: 'stamp', ...common, id: 's1', target: 'pdu:PDU-B', stamp: 'suspect' };
  await core.api['annotations.change']({ put: [note, stamp] });
  await core.api['annotations.change']({ put: [{ ...note, text: 'moved in March' }], remove: ['s1'] });
  await core.close();
  const again = await openTestCore(core.path);
  expect(await again.api['annotations.list']({})).toEqual([{ ...note, text: 'moved in March' }]);
  expect(await again.api['evidence.get']({ ref: 'annotation:n1' })).toMatchObject({
    title: 'moved in March',
    source: 'investigator',
  });
  const { rows } = await again.api['query.sql']({ sql: 'select kind, text from annotations' });
  expect(rows).toEqual([['note', 'moved in March']]);
});

describe('the clock of a source', () => {
  const clock = (id: string, source: number, seconds: number, made_at_ns = 5n): Annotation => {
    return { kind: 'clock', ...common, made_at_ns, id, source, name: 'file', seconds, uncertainty_s: 0.25 };
  };
  const timesOf = async (core: TestCore) => {
    const { rows } = await core.api['query.sql']({
      sql: "select e.id, (e.time_ns - s.clock_offset_ns)::bigint, e.time_ns::bigint from events e join source s on s.name = e.source where e.id = 'e1'",
    });
    return rows[0]?.map((cell) => (/^\d+$/.test(String(cell)) ? Number(BigInt(String(cell)) - nsAt(0)) / 1e9 : cell));
  };
  const reported = async (core: TestCore, source: number) =>
    (await core.api['clocks.list']({})).find(({ source_id }) => source_id === source);

  test('is set by a word that can be taken back; what was recorded stays, and everything is ranked anew', async () => {
    const core = await openIncident();
    const before = await core.api['incidents.list']({});
    expect(before[0]?.steps.map(({ type }) => type)).toContain('voltage_sag');
    expect(await timesOf(core)).toEqual(['e1', 690, 690]);
    await core.api['annotations.change']({ put: [clock('c1', 1, 3600)] });
    expect(await timesOf(core)).toEqual(['e1', 690, 4290]);
    expect(await reported(core, 1)).toMatchObject({
      method: 'given',
      offset_ns: 3_600_000_000_000n,
      uncertainty_ns: 250_000_000n,
    });
    const after = await core.api['incidents.list']({});
    expect(after[0]?.steps.map(({ type }) => type)).not.toContain('voltage_sag');
    // A later word counts; taking it back leaves the earlier one, and taking that back what was imported.
    await core.api['annotations.change']({ put: [clock('c2', 1, 0, 6n)] });
    expect(await timesOf(core)).toEqual(['e1', 690, 690]);
    expect(await reported(core, 1)).toMatchObject({ method: 'given', offset_ns: 0n });
    await core.api['annotations.change']({ remove: ['c2'] });
    expect(await timesOf(core)).toEqual(['e1', 690, 4290]);
    await core.api['annotations.change']({ remove: ['c1'] });
    expect(await timesOf(core)).toEqual(['e1', 690, 690]);
    expect((await reported(core, 1))?.method).not.toBe('given');
    expect(await core.api['incidents.list']({})).toEqual(before);
  });

  test('goes back to the correction that it was imported with', async () => {
    const core = await openTestCore();
    const file = await core.register(await writeEvents(incident));
    for await (const _ of core.api['import.run']({
      handles: [file],
      clocks: { 'events.json': { offset_s: -7, uncertainty_s: 2 } },
    }));
    await core.api['annotations.change']({ put: [clock('c1', 1, 3)] });
    expect(await timesOf(core)).toEqual(['e1', 690, 693]);
    await core.close();
    const again = await openTestCore(core.path);
    await again.api['annotations.change']({ remove: ['c1'] });
    expect(await timesOf(again)).toEqual(['e1', 690, 683]);
    expect((await again.api['case.current']({}))?.sources[0]).toMatchObject({ clock_uncertainty_ns: 2_000_000_000n });
  });

  test('stands in the report, and a source that is not there is refused', async () => {
    const core = await openIncident();
    await core.api['annotations.change']({ put: [clock('c1', 1, -1.5)] });
    const { text } = await core.api['report.render']({ format: 'markdown' });
    expect(text).toContain('Clock: clock of file set to -1.5 s ± 0.25 s');
    await expect(core.api['annotations.change']({ put: [clock('c2', 99, 1)] })).rejects.toThrow('no source 99');
    expect(await core.api['annotations.list']({})).toHaveLength(1);
  });
});

async function writeEvents(events: readonly unknown[]): Promise<string> {
  const file = join(await temporaryFolder(), 'events.json');
  await writeFile(file, JSON.stringify({ events }));
  return file;
}

test('a case of schema 3 keeps annotations once it is opened', async () => {
  const core = await openIncident();
  await core.close();
  const stored = await openCaseFolder(core.path, { create: false });
  const session = await stored.engine.session();
  await session.execute(
    "drop view annotations; drop table annotation; drop view outages; drop table outage; drop table series_extent; drop table point_range; alter table source rename column digest to sha256; update meta set value = '3' where key = 'schema_version'",
  );
  session.close();
  await stored.engine.close();
  const again = await openTestCore(core.path);
  await again.api['annotations.change']({ put: [note] });
  expect(await again.api['annotations.list']({})).toEqual([note]);
});

test('an annotation that cannot be read is shown as a note, and nothing else fails', async () => {
  const core = await openIncident();
  const before = await core.api['incidents.list']({});
  await core.close();
  const stored = await openCaseFolder(core.path, { create: false });
  const session = await stored.engine.session();
  await session.execute(
    "insert into annotation values ('x', 'edge', 'mine', null, null, 1, '{]'), ('y', 'edge', 'yours', null, null, 2, '{\"from\": 1}')",
  );
  session.close();
  await stored.engine.close();
  const again = await openTestCore(core.path);
  expect((await again.api['annotations.list']({})).map(({ kind, text }) => [kind, text])).toEqual([
    ['note', 'unreadable edge: mine'],
    ['note', 'unreadable edge: yours'],
  ]);
  expect(await again.api['incidents.list']({})).toEqual(before);
});

test('a feed that the investigator takes away no longer carries blame, and comes back when that is undone', async () => {
  const core = await openIncident();
  const [before] = await core.api['incidents.list']({});
  expect(before?.incident.hypotheses[0]?.subject?.id).toBe('PDU-B');
  const server = await keyOf(core, 'server-1');
  await core.api['annotations.change']({ put: [edge('x1', 'remove', 'pdu:PDU-B', server)] });
  expect(await links(core)).not.toContain('PDU-B feeds server-1');
  expect(await core.api['feeds.list']({})).not.toContainEqual({ supply: 'pdu:PDU-B', fed: server });
  expect((await links(core, 'removed')).get('PDU-B feeds server-1')).toMatchObject({ edit: 'x1' });
  const [after] = await core.api['incidents.list']({});
  expect(after?.incident.hypotheses[0]?.subject?.id).not.toBe('PDU-B');
  await core.api['annotations.change']({ remove: ['x1'] });
  expect((await core.api['incidents.list']({}))[0]?.incident).toEqual(before?.incident);
});

test('an edge that is taken away for a time stands before and after it', async () => {
  const core = await openIncident();
  const server = await keyOf(core, 'server-1');
  const cut = edge('x1', 'remove', 'pdu:PDU-B', server, { at_ns: nsAt(100) as never, until_ns: nsAt(200) as never });
  await core.api['annotations.change']({ put: [cut] });
  const answer = await core.api['topology.get']({});
  const feeds = answer.edges.filter(
    ({ from, to, kind }) =>
      kind === 'feeds' && answer.nodes[from]?.id === 'PDU-B' && answer.nodes[to]?.id === 'server-1',
  );
  expect(feeds.map(({ from_ns, until_ns }) => [from_ns, until_ns])).toEqual([
    [null, nsAt(100)],
    [nsAt(200), null],
  ]);
  // The incident is later than that.
  expect((await core.api['incidents.list']({}))[0]?.incident.hypotheses[0]?.subject?.id).toBe('PDU-B');
});

test('an added edge is the investigator’s, and counts', async () => {
  const spare = { mappings: [{ physical_device_id: 'PDU-C', feeds: ['server-9'] }] };
  const core = await openIncident(spare);
  const [own, stranger] = [await keyOf(core, 'server-1'), await keyOf(core, 'PDU-C')];
  await core.api['annotations.change']({ put: [edge('a1', 'add', stranger, own)] });
  expect((await links(core)).get('PDU-C feeds server-1')).toMatchObject({ provenance: ['investigator'], edit: 'a1' });
});

test('an edge needs two known entities', async () => {
  const core = await openIncident();
  await expect(
    core.api['annotations.change']({ put: [edge('x', 'add', 'pdu:PDU-Z', 'pdu:PDU-B')] }),
  ).rejects.toMatchObject({ problem: { code: 'annotation.unknown_entity' } });
  await expect(
    core.api['annotations.change']({ put: [note, edge('x', 'add', 'pdu:PDU-B', 'pdu:PDU-B')] }),
  ).rejects.toMatchObject({ problem: { code: 'annotation.own_link' } });
  expect(await core.api['annotations.list']({})).toEqual([]);
});

test('a server that fails over with those of another feed is reported as a doubt about the topology', async () => {
  const failover = (id: string, seconds: number, device: string) =>
    event(id, seconds, 'redfish', 'psu_failover', device);
  const core = await openTestCore();
  await core.importJson(
    {
      events: [
        event('s', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B'),
        failover('f1', 690.8, 'node-1'),
        failover('f2', 691, 'node-2'),
        failover('f3', 691.1, 'node-3'),
        failover('f5', 691.2, 'node-5'),
        failover('f7', 690.9, 'node-7'),
        event('q', 300, 'redfish', 'fan_failure', 'node-4', 'low'),
      ],
    },
    { service_metrics: service('inference') },
    {
      mappings: [
        { physical_device_id: 'PDU-B', feeds: ['node-1', 'node-2', 'node-3', 'node-4', 'node-5'] },
        { physical_device_id: 'PDU-A', feeds: ['node-7', 'node-8'] },
        { physical_device_id: 'node-1', gpus: ['GPU-1'], services: ['inference'] },
      ],
    },
  );
  const { doubts } = await core.api['topology.get']({});
  const found = doubts.map(({ doubt, entity, supply }) => [doubt, entity.split(':')[1], supply]);
  expect(found).toContainEqual(['behaves_elsewhere', 'node-7', 'pdu:PDU-B']);
  expect(found).toContainEqual(['did_not_react', 'node-4', null]);
  expect(found).toHaveLength(2);
  expect(doubts.find(({ doubt }) => doubt === 'behaves_elsewhere')?.text).toBe(
    'node-7 reacted together with 4 on PDU-B (psu failover), but the topology connects it to PDU-A, without events there',
  );
});

test('two inlets of one supply, and one GPU in two servers, are contradictions of the map', async () => {
  const core = await openTestCore();
  const path = `${core.path}.csv`;
  const { writeFile } = await import('node:fs/promises');
  await writeFile(
    path,
    [
      'from_kind,from_id,edge,to_kind,to_id,valid_from,valid_to',
      'pdu,PDU-A,feeds,psu,node-1/PSU-1,,',
      'pdu,PDU-B,feeds,psu,node-1/PSU-1,,',
      'server,node-1,contains,gpu,GPU-0,,',
      'server,node-2,contains,gpu,GPU-0,,',
      'pdu,PDU-A,feeds,server,node-3,,2026-01-10T11:00:00Z',
      'service,inference,runs_on,server,node-1,,',
    ].join('\n'),
  );
  await core.import([path]);
  await core.importJson({ service_metrics: service('inference') });
  const { doubts } = await core.api['topology.get']({});
  expect(doubts.map(({ doubt, text }) => [doubt, text])).toEqual([
    ['two_feeders', 'node-1/PSU-1 has one inlet, but several supplies in the topology: PDU-A and PDU-B'],
    ['two_places', 'GPU-0 is in several entities of kind server: node-1 and node-2'],
    ['feed_ended', 'all supplies of node-3 (PDU-A) end before the incident in the topology, with no later ones'],
  ]);
});

test('the mounting position is from NetBox, and unknown elsewhere', async () => {
  const core = await openTestCore();
  await core.import([new URL('../../fixtures/netbox/api-3.0', import.meta.url).pathname]);
  const { nodes } = await core.api['topology.get']({});
  expect(nodes.find(({ id }) => id === 'gpu-node-1')).toMatchObject({ kind: 'server', unit: 10 });
  expect(nodes.find(({ kind }) => kind === 'rack')?.unit).toBeNull();
});

test('a card that stays quiet in a machine whose other card reacted is no doubt about the map', async () => {
  const machines = [1, 2, 3, 4];
  const brake = (machine: number, card: number) =>
    event(`b${machine}${card}`, 690.5 + card / 10, 'nvml', 'power_brake', `m${machine}/GPU-${card}`, 'high');
  const core = await openTestCore();
  await core.importJson(
    {
      events: [
        event('s', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B'),
        ...machines.flatMap((machine) => [0, 1].map((card) => brake(machine, card))).slice(0, -1),
        event('q', 300, 'nvml', 'xid_error', 'm4/GPU-1', 'low'),
      ],
    },
    { service_metrics: service('inference') },
    {
      mappings: [
        { physical_device_id: 'PDU-B', feeds: machines.map((machine) => `m${machine}`) },
        ...machines.map((machine) => ({
          physical_device_id: `m${machine}`,
          gpus: [`m${machine}/GPU-0`, `m${machine}/GPU-1`],
          services: ['inference'],
        })),
      ],
    },
  );
  const { doubts } = await core.api['topology.get']({});
  expect(doubts.filter(({ doubt }) => doubt === 'did_not_react')).toEqual([]);
});

test('a service with spans only is not without data', async () => {
  const core = await openTestCore();
  const span = { traceId: '0'.repeat(31).concat('1'), spanId: '0000000000000001', name: 'GET /', kind: 2 };
  const times = { startTimeUnixNano: '1767225600000000000', endTimeUnixNano: '1767225600100000000' };
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'api' } }] };
  await core.importJson({ resourceSpans: [{ resource, scopeSpans: [{ spans: [{ ...span, ...times }] }] }] });
  await core.importJson({ mappings: [{ physical_device_id: 'node-1', services: ['api'] }] });
  const { nodes } = await core.api['topology.get']({});
  expect(nodes.map(({ key, recorded }) => [key, recorded])).toEqual(
    expect.arrayContaining([
      ['service:api', true],
      ['server:node-1', false],
    ]),
  );
});
