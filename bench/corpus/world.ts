import type { EdgeKind } from '../../src/model/topology.ts';
import type { Chance } from './chance.ts';
import type { EntityRef } from './label.ts';
import type { Named, RecordedEdge } from './recording.ts';
import { placeServices } from './services.ts';
import { EDGE_RACK, type Machine, machineRef, type Needs, pad, ref, type World } from './site.ts';

/** Naming schemes of sites; names must carry no information. */
const styles = [
  { server: 'gpu-node-', rack: 'rack-', pdu: 'PDU-', ups: 'UPS-', gpu: '/GPU-' },
  { server: 'dgx', rack: 'R', pdu: 'pdu-', ups: 'ups-', gpu: '/gpu' },
  { server: 'hgx-h100-', rack: 'row2-', pdu: 'rpp-', ups: 'UPS-room-', gpu: '-gpu-' },
  { server: 'compute', rack: 'cab', pdu: 'strip-', ups: 'usv-', gpu: '/accelerator-' },
] as const;
type Style = (typeof styles)[number];

/** Racks with two feeds each, or machines of a cloud; an edge site behind a switch that powers it; services on top. */
export function createWorld(chance: Chance, needs: Needs): World {
  const style = chance.pick(styles);
  const cloud = needs.cloud ?? false;
  const edge = needs.edge ?? (!cloud && chance.chance(0.25));
  const racks = cloud ? [] : Array.from({ length: chance.whole(2, 4) }, (_, i) => `${style.rack}${pad(i + 11)}`);
  const plant = createPlant(chance, style, racks, needs.breakers ?? chance.chance(0.3));
  const machines = cloud ? cloudMachines(chance) : rackMachines(chance, style, racks);
  if (edge) machines.push(...edgeMachines(chance, style));
  const switches = new Map(racks.map((rack) => [rack, `tor-${rack}`]));
  if (edge) switches.set(EDGE_RACK, `poe-switch-${chance.whole(1, 4)}`);
  const withLeaves = needs.leaves ?? (!cloud && chance.chance(0.7));
  const leaves = new Map(withLeaves ? racks.map((rack, i) => [rack, `ib-leaf-${pad((i >> 1) + 1)}`]) : []);
  const services = placeServices(chance, machines, needs);
  const world = { cloud, edge, racks, ...plant, switches, leaves, machines, services };
  return { ...world, edges: edgesOf(world), aliases: aliasesOf(chance, machines) };
}

type Plant = Pick<World, 'upses' | 'breakers' | 'pduUps' | 'cooling'>;

function createPlant(chance: Chance, style: Style, racks: readonly string[], withBreakers: boolean): Plant {
  const upses = racks.length === 0 ? [] : ['A', 'B'].map((feed) => `${style.ups}${feed}`);
  const pduUps = new Map<string, string>();
  const breakers = new Map<string, string>();
  const cooling = new Map<string, string>();
  // A coolant distribution unit per row, or an air handler per two racks.
  const perUnit = chance.pick([2, 4]);
  for (const [i, rack] of racks.entries()) {
    for (const [feed, letter] of ['A', 'B'].entries()) {
      const pdu = `${style.pdu}${letter}-${rack}`;
      pduUps.set(pdu, upses[feed]!);
      if (withBreakers) breakers.set(pdu, `breaker-${letter}-${rack}`);
    }
    cooling.set(rack, `${perUnit === 4 ? 'CDU' : 'CRAH'}-${Math.floor(i / perUnit) + 1}`);
  }
  return { upses, pduUps, breakers, cooling };
}

function rackMachines(chance: Chance, style: Style, racks: readonly string[]): Machine[] {
  const perRack = chance.whole(3, 5);
  const gpus = chance.pick([2, 4, 4, 8]);
  const knowsSupplies = chance.chance(0.4);
  return racks.flatMap((rack, r) =>
    Array.from({ length: perRack }, (_, i): Machine => {
      const number = r * perRack + i + 1;
      const id = `${style.server}${pad(number)}`;
      return {
        kind: 'server',
        id,
        rack,
        pdus: ['A', 'B'].map((letter) => `${style.pdu}${letter}-${rack}`),
        psus: knowsSupplies ? [`${id}/PSU-1`, `${id}/PSU-2`] : [],
        gpus: Array.from({ length: gpus }, (__, gpu) => `${id}${style.gpu}${gpu}`),
        nic: `${id}/mlx5_0`,
        node: `${id}.cluster.local`,
      };
    }),
  );
}

function cloudMachines(chance: Chance): Machine[] {
  const gpus = chance.pick([4, 8]);
  return Array.from({ length: chance.whole(6, 12) }, (): Machine => {
    const id = `i-${chance.hex(17)}`;
    return {
      kind: 'instance',
      id,
      rack: '',
      pdus: [],
      psus: [],
      gpus: Array.from({ length: gpus }, (_, gpu) => `${id}/GPU-${gpu}`),
      nic: `${id}/eth0`,
      node: `ip-10-${chance.whole(0, 9)}-${chance.whole(0, 255)}-${chance.whole(1, 254)}`,
    };
  });
}

/** Small machines of one GPU that their switch port powers (IEEE 802.3bt, up to 71 W at the device). */
function edgeMachines(chance: Chance, style: Style): Machine[] {
  return Array.from({ length: chance.whole(3, 6) }, (_, i): Machine => {
    const id = `edge-${style.server}${pad(i + 1)}`;
    return {
      kind: 'server',
      id,
      rack: EDGE_RACK,
      pdus: [],
      psus: [],
      gpus: [`${id}${style.gpu}0`],
      nic: `${id}/eth0`,
      node: id,
    };
  });
}

type WorldWithoutTopology = Omit<World, 'edges' | 'aliases'>;

function edgesOf(world: WorldWithoutTopology): RecordedEdge[] {
  const edges: RecordedEdge[] = [];
  const link = (from: EntityRef, kind: EdgeKind, to: EntityRef) => edges.push({ from, kind, to });
  for (const [pdu, ups] of world.pduUps) {
    const breaker = world.breakers.get(pdu);
    if (breaker) link(ref('ups', ups), 'feeds', ref('breaker', breaker));
    link(breaker ? ref('breaker', breaker) : ref('ups', ups), 'feeds', ref('pdu', pdu));
  }
  for (const [rack, unit] of world.cooling) link(ref('cooling', unit), 'feeds', ref('rack', rack));
  for (const machine of world.machines) machineEdges(world, machine, link);
  for (const service of world.services) {
    for (const [i, machine] of service.machines.entries()) {
      const worker = service.workers[i];
      link(ref('service', service.name), 'runs_on', worker ?? machineRef(machine));
      if (worker) link(worker, 'runs_on', machineRef(machine));
      if (worker?.kind === 'rank') link(worker, 'member_of', ref('job', `${service.name}-job`));
    }
    for (const callee of service.calls) link(ref('service', service.name), 'calls', ref('service', callee));
  }
  return edges;
}

function machineEdges(
  world: WorldWithoutTopology,
  machine: Machine,
  link: (from: EntityRef, kind: EdgeKind, to: EntityRef) => void,
): void {
  const self = machineRef(machine);
  const { rack } = machine;
  if (rack !== '') link(ref('rack', rack), 'contains', self);
  for (const [i, pdu] of machine.pdus.entries()) {
    const psu = machine.psus[i];
    link(ref('pdu', pdu), 'feeds', psu ? ref('psu', psu) : self);
    if (psu) link(ref('psu', psu), 'feeds', self);
    if (psu) link(self, 'contains', ref('psu', psu));
  }
  const ethernet = world.switches.get(rack);
  if (ethernet) link(ref('switch', ethernet), 'connects', self);
  if (ethernet && rack === EDGE_RACK) link(ref('switch', ethernet), 'feeds', self);
  const leaf = world.leaves.get(rack);
  if (leaf) link(ref('switch', leaf), 'connects', ref('nic', machine.nic));
  link(self, 'contains', ref('nic', machine.nic));
  for (const gpu of machine.gpus) link(self, 'contains', ref('gpu', gpu));
  // Kubernetes speaks of a node; that it is this machine must be looked up in the topology.
  link(ref('node', machine.node), 'runs_on', self);
}

/** What the inventory knows machines and cards by: asset tags for management controllers, UUIDs for GPU exporters. */
function aliasesOf(chance: Chance, machines: readonly Machine[]): Named[] {
  const tags = chance.chance(0.35);
  const uuids = chance.chance(0.35);
  return machines.flatMap((machine) => {
    if (machine.kind !== 'server') return [];
    const tag = { kind: 'asset_tag', name: `SRV-${chance.hex(6)}` };
    const cards = machine.gpus.map((gpu) => ({
      entity: ref('gpu', gpu),
      alias: { kind: 'gpu_uuid', name: `GPU-${[8, 4, 4, 4, 12].map((digits) => chance.hex(digits)).join('-')}` },
    }));
    return [...(tags ? [{ entity: machineRef(machine), alias: tag }] : []), ...(uuids ? cards : [])];
  });
}
