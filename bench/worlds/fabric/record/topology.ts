import { gpuId, nicName, portOf } from '../fault.ts';
import { nicKey } from '../plant.ts';
import { modulesOf } from '../site.ts';
import { recordNetbox } from './netbox.ts';
import type { Scene } from './scene.ts';

type Row = readonly [fromKind: string, from: string, edge: string, toKind: string, to: string];
interface Link {
  readonly row: Row;
  readonly group: 'power' | 'cooling' | 'network' | 'inside' | 'storage' | 'work' | 'calls';
  /** In which direction trouble goes, by the keys of the plant. */
  readonly trouble: readonly (readonly [from: string, to: string])[];
}

/** The map of the site, as an asset system exports it; whole groups are not in it at some sites, and lines are missing. */
export function recordTopology(scene: Scene): void {
  if (!scene.has('map', 'map', 0.85)) return;
  const chance = scene.chance('map');
  const { site } = scene;
  if (!site.isCloud && chance.is(0.35)) return recordNetbox(scene);
  const isWithout = new Map<Link['group'], boolean>();
  const gap = chance.pick([0, 0, 0.03, 0.15]);
  const rows: Row[] = [];
  const all: Link[] = [
    ...inside(scene),
    ...work(scene),
    ...(site.isCloud ? [] : [...power(scene), ...cooling(scene), ...network(scene), ...storage(scene)]),
  ];
  for (const { row, group, trouble } of all) {
    if (!isWithout.has(group)) isWithout.set(group, chance.is(group === 'calls' || group === 'work' ? 0.2 : 0.12));
    if (isWithout.get(group) || chance.is(gap)) continue;
    rows.push(row);
    for (const [from, to] of trouble) scene.link(from, to);
  }
  scene.add('assets/topology.csv', [
    'from_kind,from_id,edge,to_kind,to_id,valid_from,valid_to',
    ...rows.map((row) => `${row.join(',')},,`),
  ]);
}

function power({ site }: Scene): Link[] {
  const links: Link[] = [];
  const add = (row: Row, from: string, to: string) => links.push({ row, group: 'power', trouble: [[from, to]] });
  for (const row of site.rows)
    for (const side of ['A', 'B'] as const) {
      const pdu = row.pdus[side];
      for (const name of modulesOf(site.sources[side]))
        add(['ups', name, 'feeds', 'pdu', pdu], `ups:${name}`, `pdu:${pdu}`);
      for (const rack of row.racks.filter(({ cords }) => cords.includes(side)))
        for (const { name } of rack.machines)
          add(['pdu', pdu, 'feeds', 'server', name], `pdu:${pdu}`, `server:${name}`);
    }
  for (const rack of site.racks) {
    const strip = `rpdu-${rack.name}`;
    for (const side of rack.cords)
      add(['pdu', rack.row.pdus[side], 'feeds', 'pdu', strip], `pdu:${rack.row.pdus[side]}`, `pdu:${strip}`);
    for (const { name } of rack.machines)
      add(['pdu', strip, 'feeds', 'server', name], `pdu:${strip}`, `server:${name}`);
    for (const { name } of rack.machines)
      add(['rack', rack.name, 'contains', 'server', name], `rack:${rack.name}`, `server:${name}`);
  }
  return links;
}

function cooling({ site }: Scene): Link[] {
  return site.rows.flatMap(({ cdu, racks }): Link[] => [
    {
      row: ['cooling', site.chiller, 'feeds', 'cooling', cdu],
      group: 'cooling',
      trouble: [[`cooling:${site.chiller}`, `cooling:${cdu}`]],
    },
    ...racks.flatMap(({ name, machines }): Link[] => [
      {
        row: ['cooling', cdu, 'feeds', 'rack', name],
        group: 'cooling',
        trouble: machines.map((machine) => [`cooling:${cdu}`, `server:${machine.name}`] as const),
      },
      {
        row: ['cooling', `rdhx-${name}`, 'feeds', 'rack', name],
        group: 'cooling',
        trouble: machines.map((machine) => [`cooling:rdhx-${name}`, `server:${machine.name}`] as const),
      },
    ]),
  ]);
}

function network({ site }: Scene): Link[] {
  const links: Link[] = [];
  const add = (row: Row, trouble: Link['trouble']) => links.push({ row, group: 'network', trouble });
  const hasRails = site.jobs.length > 0;
  for (const row of site.rows) {
    for (const leaf of [row.tor, ...(hasRails ? row.leafs : [])])
      for (const spine of site.spines)
        add(['switch', spine, 'connects', 'switch', leaf], [[`switch:${spine}`, `switch:${leaf}`]]);
    for (const machine of row.racks.flatMap(({ machines }) => machines))
      for (let rail = 0; rail <= (machine.gpus > 0 && hasRails ? site.rails : 0); rail++) {
        const { device, port } = portOf(site, machine, rail);
        const nic = `${machine.name}/${nicName(rail)}`;
        add(
          ['switch', device, 'contains', 'port', `${device}/${port}`],
          [[`switch:${device}`, `port:${device}/${port}`]],
        );
        add(
          ['port', `${device}/${port}`, 'connects', 'nic', nic],
          [
            [`port:${device}/${port}`, nicKey(machine, rail)],
            [`switch:${device}`, `server:${machine.name}`],
          ],
        );
        add(['server', machine.name, 'contains', 'nic', nic], [[nicKey(machine, rail), `server:${machine.name}`]]);
      }
  }
  return links;
}

function inside({ site }: Scene): Link[] {
  return site.machines.flatMap((machine) =>
    Array.from(
      { length: machine.gpus },
      (_, gpu): Link => ({
        row: ['server', machine.name, 'contains', 'gpu', gpuId(machine, gpu)],
        group: 'inside',
        trouble: [[`gpu:${machine.name}/${gpu}`, `server:${machine.name}`]],
      }),
    ),
  );
}

function storage({ site }: Scene): Link[] {
  const users = [
    ...site.jobs.map(({ name }) => ['job', name] as const),
    ...site.services.filter(({ readsFiles }) => readsFiles).map(({ name }) => ['service', name] as const),
  ];
  return [...site.metadata, ...site.stores].flatMap(({ name }) =>
    users.map(
      ([kind, user]): Link => ({
        row: ['server', name, 'connects', kind, user],
        group: 'storage',
        trouble: [[`server:${name}`, `${kind}:${user}`]],
      }),
    ),
  );
}

function work({ site }: Scene): Link[] {
  const services = site.services.flatMap(({ name, hosts, calls }): Link[] => [
    ...[...new Set(hosts)].map(
      (machine): Link => ({
        row: ['service', name, 'runs_on', 'server', machine.name],
        group: 'work',
        trouble: [[`server:${machine.name}`, `service:${name}`]],
      }),
    ),
    ...calls.map(
      ({ to }): Link => ({
        row: ['service', name, 'calls', 'service', to],
        group: 'calls',
        trouble: [[`service:${to}`, `service:${name}`]],
      }),
    ),
  ]);
  const jobs = site.jobs.flatMap(({ name, machines }) =>
    machines.map(
      (machine): Link => ({
        row: ['job', name, 'runs_on', 'server', machine.name],
        group: 'work',
        trouble: [[`server:${machine.name}`, `job:${name}`]],
      }),
    ),
  );
  return [...services, ...jobs];
}
