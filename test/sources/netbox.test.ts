import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { netbox } from '../../src/main/sources/netbox/index.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { type Reading, readSource, reasonsOf } from '../support/read-source.ts';

const root = join(import.meta.dirname, '../../fixtures/netbox');
const tree = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(join(root, folder)).map((name) => [name, readFileSync(join(root, folder, name), 'utf8')]),
  );
const without = (files: Record<string, string>, ...names: string[]) =>
  Object.fromEntries(Object.entries(files).filter(([name]) => !names.some((one) => name.startsWith(one))));
const edges = ({ rows }: Reading): string[] =>
  rows.edge.map(({ from_entity, kind, to_entity }) => `${from_entity} ${kind} ${to_entity}`).sort();
const detects = (text: string) => netbox.detect(new FileHead(Buffer.from(text)));

/** The room of the fixtures. What is planned (the second supply of the switch) is not among the cables. */
const room = [
  'breaker:Panel A feeds breaker:Panel A/Feed A1',
  'breaker:Panel B feeds breaker:Panel B/Feed B1',
  'breaker:Panel A/Feed A1 feeds pdu:pdu-a',
  'breaker:Panel B/Feed B1 feeds pdu:pdu-b',
  ...['pdu-a', 'pdu-b'].flatMap((pdu) => [1, 2].map((n) => `pdu:${pdu} contains outlet:${pdu}/Outlet ${n}`)),
  'outlet:pdu-a/Outlet 1 feeds psu:gpu-node-1/PSU1',
  'outlet:pdu-b/Outlet 1 feeds psu:gpu-node-1/PSU2',
  'outlet:pdu-a/Outlet 2 feeds psu:leaf-1/PS1',
  ...['PSU1', 'PSU2'].flatMap((psu) => [
    `server:gpu-node-1 contains psu:gpu-node-1/${psu}`,
    `psu:gpu-node-1/${psu} feeds server:gpu-node-1`,
  ]),
  ...['PS1', 'PS2'].flatMap((psu) => [
    `switch:leaf-1 contains psu:leaf-1/${psu}`,
    `psu:leaf-1/${psu} feeds switch:leaf-1`,
  ]),
  ...['pdu:pdu-a', 'pdu:pdu-b', 'server:gpu-node-1', 'switch:leaf-1', 'device:pp-1', 'device:pp-2'].map(
    (device) => `rack:R1 contains ${device}`,
  ),
  'switch:leaf-1 contains port:leaf-1/Ethernet1/1',
  'server:gpu-node-1 contains nic:gpu-node-1/eth0',
  'port:leaf-1/Ethernet1/1 connects nic:gpu-node-1/eth0',
  'switch:leaf-1 connects server:gpu-node-1',
].sort();

describe.each(['api-4', 'api-3.0', 'csv'])('%s', (dialect) => {
  test('gives the room', async () => {
    const reading = await readSource(netbox, tree(dialect));
    expect(edges(reading)).toEqual(room);
    expect(reasonsOf(reading)).toEqual([]);
    expect(reading.remarks).toEqual(
      expect.arrayContaining([
        'left out: 1 cables that are planned',
        'left out: 2 cable ends that are no power or data port',
      ]),
    );
    expect(new Set(reading.rows.edge.map(({ provenance }) => provenance))).toEqual(
      new Set([
        'netbox rack',
        'netbox power feed',
        'netbox power outlet',
        'netbox power port',
        'netbox interface',
        'netbox cable',
      ]),
    );
    // The creation time of a record is not the time of the cabling: all edges are valid at all times.
    expect(new Set(reading.rows.edge.map((row) => `${row.valid_from_ns} ${row.valid_to_ns}`)).size).toBe(1);
  });

  test('every other name of a machine is an alias', async () => {
    const { entities } = await readSource(netbox, tree(dialect));
    const { aliases, attributes } = entities.get('server:gpu-node-1') ?? { aliases: [], attributes: '{}' };
    expect(aliases).toEqual(expect.arrayContaining(['host_name=gpu-node-1', 'asset_tag=AT-7', 'asset_tag=SN-100']));
    if (dialect !== 'csv') expect(aliases).toContain('ip_address=10.0.0.11');
    expect(JSON.parse(attributes)).toMatchObject({ netbox: 'device' });
    expect(JSON.parse(entities.get('breaker:Panel A/Feed A1')?.attributes ?? '{}')).toMatchObject({
      phase: 'single-phase',
    });
  });

  test('the order of the files does not matter', async () => {
    const renamed = Object.fromEntries(
      Object.entries(tree(dialect))
        .reverse()
        .map(([name, text], i) => [`${String(i).padStart(2, '0')}-${name}`, text]),
    );
    expect(edges(await readSource(netbox, renamed))).toEqual(room);
  });
});

test('without the cables, the ports are enough', async () => {
  const inRoom = await readSource(netbox, without(tree('api-4'), 'cables', 'front', 'rear'));
  expect(edges(inRoom)).toEqual(room);
  expect(inRoom.remarks).toContain('left out: 2 paths with a cable that is not connected');
});

test('power ports alone state what feeds them, and a device with outlets is a PDU', async () => {
  const files = tree('api-4');
  const reading = await readSource(netbox, { 'power-ports.json': files['power-ports.json']! });
  expect(edges(reading)).toEqual(
    expect.arrayContaining([
      'outlet:pdu-a/Outlet 1 feeds psu:gpu-node-1/PSU1',
      'pdu:pdu-a contains outlet:pdu-a/Outlet 1',
      'psu:gpu-node-1/PSU1 feeds server:gpu-node-1',
      'breaker:Feed A1 feeds pdu:pdu-a',
    ]),
  );
});

test('one file with a list per endpoint', async () => {
  const files = Object.entries(tree('api-4')).map(([name, text]) => [
    name.replace('.json', '').replace('-', '_'),
    (JSON.parse(text) as { results: unknown }).results,
  ]);
  const dump = JSON.stringify(Object.fromEntries(files));
  expect(detects(dump)).toBe(true);
  expect(edges(await readSource(netbox, dump))).toEqual(room);
});

test('an exported page of cables lacks the kinds of its ends: their names imply them', async () => {
  const files = without(tree('csv'), 'cables');
  const cables =
    'ID,Label,Device A,Termination A,Device B,Termination B,Status,Type\n' +
    '1,,pdu-a,Outlet 1,gpu-node-1,PSU1,Connected,\n2,,nobody,Outlet 1,gpu-node-1,PSU9,Connected,\n';
  expect(detects(cables)).toBe(true);
  const reading = await readSource(netbox, { ...files, 'page.csv': cables });
  expect(edges(reading)).toContain('outlet:pdu-a/Outlet 1 feeds psu:gpu-node-1/PSU1');
  expect(reading.remarks).toContain('left out: 2 cable ends that the export does not hold');
});

const device = (id: number, name: string, site: string, role = 'Server', more = {}) => ({
  id,
  url: `http://n/api/dcim/devices/${id}/`,
  name,
  role: { name: role, slug: role.toLowerCase() },
  site: { id: 1, name: site },
  ...more,
});

test('equal names at two sites are two entities, and no host name', async () => {
  const port = { id: 5, url: 'http://n/api/dcim/power-ports/5/', name: 'PSU1', device: { id: 2, name: 'node' } };
  const reading = await readSource(netbox, {
    'd.json': JSON.stringify([device(1, 'node', 'A'), device(2, 'node', 'B')]),
    'p.json': JSON.stringify([port]),
  });
  expect(edges(reading)).toEqual(['psu:B/node/PSU1 feeds server:B/node', 'server:B/node contains psu:B/node/PSU1']);
  expect(reading.entities.get('server:A/node')?.aliases).toEqual([]);
  const byName = await readSource(netbox, {
    'd.csv': 'name,role,device_type,site\nnode,Server,M,A\nnode,Server,M,B\n',
    'p.csv': 'device,name,maximum_draw\nnode,PSU1,\n',
  });
  expect(edges(byName)).toEqual([]);
  expect(byName.remarks).toContain('left out: 1 components whose device is unknown or shares its name');
});

test('planned and stored devices are not there, blades are in their chassis, roles outrank ports', async () => {
  const list = [
    device(1, 'later', 'A', 'Server', { status: { value: 'planned' }, rack: { id: 1, name: 'R1' } }),
    device(2, 'chassis', 'A'),
    device(3, 'blade', 'A', 'Server', { parent_device: { id: 2, name: 'chassis' } }),
    device(4, 'u1', 'A', 'Central UPS'),
    device(5, 'backups', 'A', 'Backups server'),
    device(6, 'sp', 'A', 'Switched PDU'),
    device(7, 'crac', 'A', 'CRAC'),
  ];
  const outlet = { id: 5, url: 'http://n/api/dcim/power-outlets/5/', name: 'O1', device: { id: 4 } };
  const reading = await readSource(netbox, { 'd.json': JSON.stringify(list), 'o.json': JSON.stringify([outlet]) });
  expect(edges(reading)).toEqual(['server:chassis contains server:blade', 'ups:u1 contains outlet:u1/O1']);
  expect([...reading.entities.keys()]).toEqual(
    expect.arrayContaining(['ups:u1', 'server:backups', 'pdu:sp', 'cooling:crac']),
  );
  expect(reading.remarks).toContain('left out: 1 devices that are planned');
});

test('unknown numbers, circuits and loops are counted', async () => {
  const cable = (id: number, a: unknown[], b: unknown[]) => ({
    id,
    url: `http://n/api/dcim/cables/${id}/`,
    a_terminations: a,
    b_terminations: b,
    status: { value: 'connected' },
  });
  const front = (id: number) => ({
    id,
    url: `http://n/api/dcim/front-ports/${id}/`,
    name: `F${id}`,
    device: { id: 9, name: 'panel' },
    rear_port: { id: 1, name: 'R', device: { id: 9, name: 'panel' } },
    rear_port_position: id,
  });
  const at = (type: string, id: number) => ({ object_type: `dcim.${type}`, object_id: id });
  const nic = { id: 1, url: 'http://n/api/dcim/interfaces/1/', name: 'eth0', device: { id: 1, name: 'n' } };
  const reading = await readSource(netbox, {
    'c.json': JSON.stringify([
      cable(1, [at('powerport', 77)], [{ object_type: 'circuits.circuittermination', object_id: 1 }]),
      cable(2, [at('interface', 1)], [at('frontport', 1)]),
      cable(3, [at('rearport', 1)], [at('frontport', 2)]),
      cable(4, [], [at('interface', 1)]),
    ]),
    'f.json': JSON.stringify([front(1), front(2)]),
    'i.json': JSON.stringify([nic]),
  });
  expect(edges(reading)).toEqual([]);
  expect(reading.remarks).toEqual(
    expect.arrayContaining([
      'left out: 1 cable ends that the export does not hold',
      'left out: 1 cable ends that are no power or data port',
      'left out: 1 cables with an open end',
      'left out: 1 cables into patch panels with nothing known behind',
    ]),
  );
});

test('hostile records are rejected or left out, and never crash', async () => {
  const cable = '"url":"http://n/api/dcim/cables/1/"';
  const reading = await readSource(netbox, {
    'a.json': `[{"id":1,${cable},"a_terminations":"x","b_terminations":[null,7,[[]]]},7,null,{"id":{},${cable}},
      {"id":1e999,"url":"http://n/api/dcim/devices/1/","name":{"a":1},"role":7,"site":[],"rack":{"id":[]},"primary_ip":9},
      {"id":"__proto__","url":"http://n/api/dcim/devices/2/","name":"constructor","rack":"toString","parent_device":"__proto__"},
      {"id":3,"url":"http://n/api/dcim/power-outlets/3/","name":"o","device":{"name":"constructor"},"connected_endpoints":{"a":1},"power_port":true},
      {"id":4,"url":"http://n/api/extras/tags/4/"}]`,
    'b.csv':
      'device,name,maximum_draw\nconstructor,PSU1\nconstructor,"PSU""2",3\nconstructor,,1\n,x,1\nd,"never closed,1\n',
  });
  expect(reasonsOf(reading)).toEqual(
    expect.arrayContaining(['not a NetBox record', 'record 2 has 2 cells below 3 columns', 'record 4 has no name']),
  );
  expect(edges(reading)).toEqual(['pdu:constructor contains outlet:constructor/o']);
  expect(reading.remarks).toContain('left out: 1 records of extras/tags');
});

test('other tables and documents are not claimed', () => {
  for (const text of [
    'time,device,name,value\n1,a,b,3\n',
    'device,name,type\nsda,disk,ssd\n',
    'site,name\nA,B\n',
    '{"count":1,"results":[{"id":1,"name":"x"}]}',
    '{"count":0,"next":null,"previous":null,"results":[]}',
    '[{"id":1,"url":"https://example.com/api/v1/devices/1/"}]',
    'from_kind,from_id,edge,to_kind,to_id\n',
    '',
    '{',
  ])
    expect(detects(text), text).toBe(false);
  expect(detects('device,name,type\nnode-1,PSU1,iec-60320-c14\n')).toBe(true);
  expect(detects('Name;Status;Site;Rack;Role;Manufacturer;Type\n')).toBe(true);
});

test('a folder is one export', () => {
  const head = new FileHead(new Uint8Array());
  expect(netbox.gather?.root('room/netbox/cables.json', head)).toBe('room/netbox');
  expect(netbox.gather?.owns?.('room/power-panels.csv')).toBe(true);
  expect(netbox.gather?.owns?.('room/solar-panels.csv')).toBe(false);
});
