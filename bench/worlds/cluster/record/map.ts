import { workingOf } from '../simulate.ts';
import { supplyId } from '../site.ts';
import type { Link, Scene } from './scene.ts';

/** The links of a site as an inventory has them. */
function allLinks(scene: Scene): Link[] {
  const { site } = scene.run;
  const links: Link[] = [];
  // Not every inventory knows which cable is in which port.
  const ports = scene.chance('ports').is(0.6);
  const link = (from: string, edge: string, to: string) => links.push({ from, edge, to });
  for (const { name, feed } of site.upses) link(`device:${site.feeds[feed]}`, 'feeds', `ups:${name}`);
  for (const { name, ups, feed } of site.pdus)
    link(ups === null ? `device:${site.feeds[feed]}` : `ups:${site.upses[ups]!.name}`, 'feeds', `pdu:${name}`);
  for (const server of site.servers) {
    const box = `server:${server.name}`;
    link(`rack:rack-${server.rack + 1}`, 'contains', box);
    server.supplies.forEach((pdu, k) => {
      link(`pdu:${site.pdus[pdu]!.name}`, 'feeds', box);
      link(box, 'contains', `psu:${supplyId(server, k)}`);
    });
    for (const unit of site.rows[server.row]!.units) link(`cooling:${unit}`, 'feeds', box);
    link(`switch:${site.leaves[server.leaf]!.name}`, 'connects', box);
    link(box, 'contains', `nic:${server.name}/${server.nic}`);
    if (ports) {
      const port = `port:${site.leaves[server.leaf]!.name}/swp${server.port}`;
      link(`switch:${site.leaves[server.leaf]!.name}`, 'contains', port);
      link(port, 'connects', `nic:${server.name}/${server.nic}`);
    }
    link(`node:${server.name}`, 'runs_on', box);
  }
  return [...links, ...linksOfWork(scene)];
}

function linksOfWork({ run: { site } }: Scene): Link[] {
  const links: Link[] = [];
  const link = (from: string, edge: string, to: string) => links.push({ from, edge, to });
  const mounts = (store: number | null, servers: readonly number[]) => {
    if (store !== null)
      for (const server of new Set(servers))
        link(`server:${site.stores[store]!.name}`, 'connects', `server:${site.servers[server]!.name}`);
  };
  for (const { name, replicas, store, calls } of site.services) {
    for (const { server } of replicas) link(`service:${name}`, 'runs_on', `node:${site.servers[server]!.name}`);
    for (const callee of calls) link(`service:${name}`, 'calls', `service:${site.services[callee]!.name}`);
    mounts(
      store,
      replicas.map(({ server }) => server),
    );
  }
  for (const { name, ranks, store } of site.jobs) {
    for (const { server } of ranks) link(`service:${name}`, 'runs_on', `node:${site.servers[server]!.name}`);
    mounts(
      store,
      ranks.map(({ server }) => server),
    );
  }
  return links;
}

/** A topology file with gaps: single links, whole layers, and all that has to be entered by hand. */
export function recordMap(scene: Scene): void {
  const chance = scene.chance('map');
  const missing = chance.weighted([
    [6, 0],
    [3, 0.05],
    [1, 0.2],
  ]);
  const without = new Set<string>();
  if (chance.is(0.1)) without.add('cooling');
  if (chance.is(0.08)) without.add('pdu').add('ups');
  if (chance.is(0.1)) without.add('switch');
  if (chance.is(0.4)) without.add('service');
  const working = new Set(workingOf(scene.run.site).map((i) => scene.server(i)));
  // Of large sites the export covers the machines that work, and their racks' power.
  const large = scene.run.site.servers.length > 200;
  const rows = [
    ...new Map(allLinks(scene).map((link) => [`${link.from} ${link.edge} ${link.to}`, link])).values(),
  ].filter(({ from, to }) => {
    if (without.has(from.split(':')[0]!) || chance.is(missing)) return false;
    const machine = /^(?:server|node):([^/]+)$/.exec(to) ?? /^(?:server|node):([^/]+)$/.exec(from);
    return (
      !large || !machine || working.has(machine[1]!) || scene.run.site.stores.some(({ name }) => name === machine[1])
    );
  });
  scene.links.push(...rows);
  const text = rows.map(({ from, edge, to }) => [...halves(from), edge, ...halves(to), '', ''].join(','));
  scene.files.set('topology.csv', `from_kind,from_id,edge,to_kind,to_id,valid_from,valid_to\n${text.join('\n')}\n`);
}

const halves = (key: string): readonly [string, string] => {
  const at = key.indexOf(':');
  return [key.slice(0, at), key.slice(at + 1)];
};
