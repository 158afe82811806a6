import { Chance } from './chance.ts';
import { placeJobs, placeServices } from './work.ts';

/** What is built where. Numbers refer to places in the lists of the site. */
export interface Site {
  readonly seed: number;
  readonly start_ms: number;
  readonly seconds: number;
  readonly feeds: readonly string[];
  readonly upses: readonly Ups[];
  readonly pdus: readonly Pdu[];
  readonly rows: readonly Row[];
  readonly leaves: readonly Leaf[];
  readonly servers: readonly Server[];
  readonly stores: readonly Store[];
  readonly services: readonly Service[];
  readonly jobs: readonly Job[];
}

export interface Ups {
  readonly name: string;
  readonly feed: number;
  /** 0: double conversion. Milliseconds without output while a line-interactive one transfers. */
  readonly transfer_ms: number;
  /** At full load. */
  readonly runtime_s: number;
  readonly vendor: 'rfc1628' | 'apc';
}

export interface Pdu {
  readonly name: string;
  readonly rack: number;
  readonly feed: number;
  /** null: on the utility feed without protection. */
  readonly ups: number | null;
  readonly rated_w: number;
  readonly vendor: 'apc' | 'raritan';
}

/** A row of racks that the same cooling units blow at. */
export interface Row {
  readonly name: string;
  readonly units: readonly string[];
  /** How many of them the heat needs. */
  readonly needed: number;
  readonly setpoint_c: number;
  /** Kelvin per minute by which the air warms without any cooling. */
  readonly warming: number;
}

export interface Leaf {
  readonly name: string;
  readonly uplink_gbps: number;
  readonly buffer_ms: number;
}

export interface Gpu {
  readonly uuid: string;
  readonly pci: string;
  readonly index: number;
}

export interface Server {
  readonly name: string;
  readonly rack: number;
  readonly row: number;
  readonly leaf: number;
  readonly port: number;
  /** PDU of each power supply. */
  readonly supplies: readonly number[];
  readonly supply_w: number;
  readonly hold_up_ms: number;
  readonly idle_w: number;
  readonly gpus: readonly Gpu[];
  readonly gpu_w: number;
  readonly boot_s: number;
  readonly controller: 'ilo' | 'idrac' | 'openbmc' | 'supermicro';
  readonly nic: string;
}

export interface Store {
  readonly name: string;
  readonly gbps: number;
  readonly base_ms: number;
}

export interface Replica {
  readonly pod: string;
  readonly server: number;
  /** Places in the server's list; none: it computes on the processor. */
  readonly gpus: readonly number[];
}

export interface Service {
  readonly name: string;
  readonly replicas: readonly Replica[];
  /** Own work of one request at full clock. */
  readonly work_ms: number;
  /** Requests that one replica works on at a time. */
  readonly slots: number;
  readonly calls: readonly number[];
  readonly store: number | null;
  readonly store_gbps: number;
  readonly start_s: number;
  readonly timeout_ms: number;
  /** Requests per second from outside; 0: only other services call it. */
  readonly rate: number;
}

export interface Job {
  readonly name: string;
  readonly ranks: readonly Replica[];
  readonly compute_s: number;
  readonly exchange_s: number;
  readonly load_s: number;
  readonly store: number | null;
  readonly checkpoint_every_s: number;
  readonly checkpoint_gb: number;
  readonly timeout_s: number;
  readonly restart_s: number;
}

const sizes: readonly (readonly [weight: number, range: readonly [number, number]])[] = [
  [34, [2, 6]],
  [34, [7, 20]],
  [20, [21, 64]],
  [9, [65, 300]],
  [3, [301, 2000]],
];

export function buildSite(seed: number): Site {
  const chance = new Chance(seed, 'site');
  const count = chance.whole(...chance.weighted(sizes));
  const perRack = chance.pick([2, 4, 4, 8]);
  const racks = Math.ceil(count / perRack);
  const gpus = chance.pick([0, 2, 4, 8, 8]);
  const power = buildPower(chance, racks);
  const rows = buildRows(chance, Math.ceil(racks / 6));
  const dualLeaves = Math.max(1, Math.ceil(racks / chance.pick([1, 2, 4])));
  const leaves = Array.from({ length: dualLeaves }, (_, i) => ({
    name: `${chance.is(0.5) ? 'leaf' : 'tor'}-${i + 1}`,
    uplink_gbps: chance.pick([100, 200, 400]),
    buffer_ms: chance.between(1, 6),
  }));
  const servers = buildServers(chance, { count, perRack, gpus, leaves: leaves.length, sides: power.sides });
  const pdus = power.pdus.map((pdu) => {
    const load_w = servers.filter(({ rack }) => rack === pdu.rack).length * mostWatts(servers[0]!);
    // Electricians size each side for the whole rack; some racks were filled up later.
    return {
      ...pdu,
      rated_w:
        load_w *
        (power.sides === 1
          ? 1.15
          : chance.weighted([
              [8, 1.1],
              [2, 0.74],
            ])),
    };
  });
  const stores = Array.from({ length: chance.pick([1, 1, 2]) }, (_, i) => ({
    name: `${chance.pick(['nas', 'filer', 'lustre-oss', 'ceph-gw'])}-${i + 1}`,
    gbps: chance.pick([20, 40, 80]),
    base_ms: chance.between(0.4, 3),
  }));
  const start_ms = Date.UTC(
    2026,
    chance.whole(0, 11),
    chance.whole(1, 28),
    chance.whole(0, 23),
    chance.whole(0, 59),
    7,
  );
  const site = {
    seed,
    start_ms,
    seconds: chance.whole(30, 44) * 60,
    feeds: power.feeds,
    upses: power.upses,
    pdus,
    rows,
  };
  const work = { chance: new Chance(seed, 'work'), servers, stores: stores.length };
  const services = placeServices(work);
  return { ...site, leaves, servers, stores, services, jobs: placeJobs(work, services) };
}

function buildPower(chance: Chance, racks: number) {
  const sides = chance.weighted([
    [5, 2],
    [5, 1],
  ]);
  const utilities = sides === 2 && chance.is(0.6) ? 2 : 1;
  const feeds = Array.from({ length: utilities }, (_, i) => `utility-${'ab'[i]}`);
  const letters = ['a', 'b'].slice(0, sides);
  const perHall = 24;
  const halls = Math.ceil(racks / perHall);
  const upses: Ups[] = [];
  const bySide = letters.map((letter, side) => {
    if (!chance.is(side === 0 ? 0.7 : 0.5)) return undefined;
    const first = upses.length;
    const transfer_ms = chance.weighted([
      [7, 0],
      [3, chance.between(2, 10)],
    ]);
    const vendor = chance.pick(['rfc1628', 'apc'] as const);
    for (let hall = 0; hall < halls; hall++)
      upses.push({
        name: `ups-${letter}${halls > 1 ? hall + 1 : ''}`,
        feed: Math.min(side, utilities - 1),
        transfer_ms,
        runtime_s: chance.between(240, 900),
        vendor,
      });
    return first;
  });
  const vendor = chance.pick(['apc', 'raritan'] as const);
  const pdus = Array.from({ length: racks }, (_, rack) =>
    letters.map((letter, side): Pdu => {
      const first = bySide[side];
      const ups = first === undefined ? null : first + Math.floor(rack / perHall);
      return { name: `pdu-r${rack + 1}${letter}`, rack, feed: Math.min(side, utilities - 1), ups, rated_w: 0, vendor };
    }),
  ).flat();
  return { feeds, upses, pdus, sides };
}

const buildRows = (chance: Chance, count: number): Row[] =>
  Array.from({ length: count }, (_, i) => {
    const needed = chance.whole(1, 3);
    const spare = chance.weighted([
      [4, 1],
      [6, 0],
    ]);
    return {
      name: `row-${i + 1}`,
      units: Array.from({ length: needed + spare }, (_unused, k) => `crac-${i + 1}-${k + 1}`),
      needed,
      setpoint_c: chance.between(18, 26),
      warming: chance.between(2, 8),
    };
  });

/** A machine that does all it can. */
const mostWatts = ({
  idle_w,
  gpu_w,
  gpus,
}: Pick<Server, 'idle_w' | 'gpu_w'> & { readonly gpus: { readonly length: number } }): number =>
  idle_w + 240 + gpus.length * gpu_w;

interface Racks {
  readonly count: number;
  readonly perRack: number;
  readonly gpus: number;
  readonly leaves: number;
  readonly sides: number;
}

function buildServers(chance: Chance, { count, perRack, gpus, leaves, sides }: Racks): Server[] {
  const gpu_w = gpus === 0 ? 0 : chance.pick([300, 400, 700]);
  const idle_w = gpus >= 4 ? 1400 : 260;
  const most = mostWatts({ idle_w, gpu_w, gpus: { length: gpus } });
  const supplies = sides === 1 ? chance.pick([1, 2]) : 2;
  // With spare supplies one is enough for all; without, the survivors are short and the board brakes.
  const spare = chance.is(0.5);
  const controller = chance.pick(['ilo', 'idrac', 'openbmc', 'supermicro'] as const);
  const stem = chance.pick(['gpu-node', 'node', 'hgx', 'dgx', 'compute']);
  const digits = String(count).length;
  return Array.from({ length: count }, (_, i) => {
    const rack = Math.floor(i / perRack);
    return {
      name: `${stem}-${String(i + 1).padStart(Math.max(2, digits), '0')}`,
      rack,
      row: Math.floor(rack / 6),
      leaf: Math.floor((rack * leaves) / Math.ceil(count / perRack)),
      port: (i % 48) + 1,
      supplies: Array.from({ length: supplies }, (_unused, k) => rack * sides + (k % sides)),
      supply_w: most * (supplies === 1 || spare ? 1.12 : 0.62),
      hold_up_ms: chance.between(11, 20),
      idle_w,
      gpus: Array.from({ length: gpus }, (_unused, index) => gpuOf(chance, index)),
      gpu_w,
      boot_s: chance.between(150, 330),
      controller,
      nic: chance.is(0.5) ? 'ens1f0' : 'eth2',
    };
  });
}

const buses = ['1b', '43', '52', '61', '9d', 'c3', 'd1', 'df'];
const gpuOf = (chance: Chance, index: number): Gpu => ({
  uuid: `GPU-${chance.hex(8)}-${chance.hex(4)}-${chance.hex(4)}-${chance.hex(4)}-${chance.hex(12)}`,
  pci: `0000:${buses[index]}:00`,
  index,
});

/** What a management controller calls its supplies. */
export const supplyName = (controller: Server['controller'], k: number): string =>
  ({ ilo: `${k + 1}`, idrac: `PSU.Slot.${k + 1}`, openbmc: `PSU_${k}`, supermicro: `PS${k + 1}` })[controller];

/** The supply as an entity: named by its machine and what the controller calls it. */
export const supplyId = ({ name, controller }: Server, k: number): string => `${name}/psu-${supplyName(controller, k)}`;
