import { Chance } from './chance.ts';
import type { JobPlan, ServicePlan } from './site-work.ts';
import { planWork } from './site-work.ts';

export interface Machine {
  readonly name: string;
  readonly index: number;
  readonly role: 'gpu' | 'cpu' | 'storage';
  readonly rack: Rack;
  readonly gpus: number;
  /** Supplies; the racks of one cord have machines with one. */
  readonly supplies: number;
  readonly address: string;
  /** At a provider. */
  readonly instance: string;
}

export interface Rack {
  readonly name: string;
  readonly row: Row;
  readonly phase: 'L1' | 'L2' | 'L3';
  readonly cords: readonly ('A' | 'B')[];
  readonly machines: Machine[];
}

export interface Row {
  readonly name: string;
  readonly racks: Rack[];
  readonly cdu: string;
  /** Switch of the front-end network. */
  readonly tor: string;
  /** One for each rail of the GPU network. */
  readonly leafs: readonly string[];
  readonly pdus: Readonly<Record<'A' | 'B', string>>;
}

/** Where a row PDU gets its power from. */
export type Source =
  | { readonly kind: 'bus'; readonly modules: readonly string[]; readonly needed: number }
  | { readonly kind: 'block'; readonly primary: string; readonly catcher: string }
  | { readonly kind: 'mains' };

export interface Site {
  readonly seed: number;
  readonly seconds: number;
  readonly start_ms: number;
  readonly isCloud: boolean;
  readonly isHpc: boolean;
  readonly scheduler: 'slurm' | 'kubernetes';
  readonly rows: readonly Row[];
  readonly racks: readonly Rack[];
  readonly machines: readonly Machine[];
  readonly rails: number;
  /** Operating system of the switches; `central`: SONiC by way of an rsyslog that writes its own stamp and drops the level. */
  readonly switches: 'sonic' | 'central' | 'eos' | 'nvos';
  readonly spines: readonly string[];
  readonly chiller: string;
  readonly sources: Readonly<Record<'A' | 'B', Source>>;
  /** Each UPS module. */
  readonly upses: readonly string[];
  readonly metadata: readonly Machine[];
  readonly stores: readonly Machine[];
  readonly services: readonly ServicePlan[];
  readonly jobs: readonly JobPlan[];
  /** Load of a row PDU's phase when the other side is gone, of what its breaker holds. */
  readonly failover: number;
  readonly spare: readonly Machine[];
  /** How the balancer before the services tells of requests; '': there is none, or nobody records it. */
  readonly edge: '' | 'spans' | 'histogram' | 'access log';
  /** Handlers have names of their own in spans, labels and paths. */
  readonly namesRoutes: boolean;
}

/** The balancer's name. */
export const EDGE = 'edge-lb';

export function buildSite(seed: number): Site {
  const chance = new Chance(seed, 'site');
  const isCloud = chance.is(0.2);
  const isHpc = chance.is(0.5);
  const size = Math.round(2 * (isHpc ? 250 : 30) ** chance.next());
  const rails = isHpc ? chance.pick([2, 4, 8]) : chance.pick([1, 2]);
  const rows = buildRows(chance, { size, rails, isCloud, isHpc });
  const racks = rows.flatMap((row) => row.racks);
  const machines = racks.flatMap((rack) => rack.machines);
  const storage = machines.filter(({ role }) => role === 'storage');
  const scheduler = isHpc && chance.is(0.7) ? 'slurm' : 'kubernetes';
  const sources = buildSources(chance);
  const base = {
    seed,
    seconds: 60 * chance.whole(32, 56),
    start_ms: Date.UTC(2026, chance.whole(0, 10), chance.whole(1, 28), chance.whole(0, 23), chance.whole(0, 59)),
    isCloud,
    isHpc,
    scheduler,
    rows,
    racks,
    machines,
    rails,
    switches: chance.pick(['sonic', 'central', 'eos', 'nvos'] as const),
    spines: size < 8 ? [] : Array.from({ length: chance.whole(2, 4) }, (_, i) => `spine${i + 1}`),
    chiller: chance.pick(['chiller-1', 'CH-01', 'chiller-roof-2']),
    sources,
    upses: [...new Set(Object.values(sources).flatMap(modulesOf))],
    metadata: storage.slice(0, 1),
    stores: storage.slice(1),
    edge: chance.pick(['', 'spans', 'histogram', 'access log'] as const),
    namesRoutes: chance.is(0.75),
    failover: chance.between(0.7, 1.35),
  } as const;
  const work = planWork(base, new Chance(seed, 'work'));
  return { ...base, ...work };
}

export const modulesOf = (source: Source): readonly string[] =>
  source.kind === 'bus' ? source.modules : source.kind === 'block' ? [source.primary, source.catcher] : [];

function buildSources(chance: Chance): Record<'A' | 'B', Source> {
  const name = (side: string, i: number | string) => `ups-${side.toLowerCase()}${i}`;
  const bus = (side: string): Source => {
    const needed = chance.whole(1, 3);
    return { kind: 'bus', needed, modules: Array.from({ length: needed + 1 }, (_, i) => name(side, i + 1)) };
  };
  const style = chance.pick(['bus', 'block', 'mixed', 'one'] as const);
  if (style === 'bus') return { A: bus('A'), B: bus('B') };
  if (style === 'block')
    return {
      A: { kind: 'block', primary: 'ups-a1', catcher: 'ups-catcher' },
      B: { kind: 'block', primary: 'ups-b1', catcher: 'ups-catcher' },
    };
  if (style === 'mixed') return { A: bus('A'), B: { kind: 'mains' } };
  return { A: { kind: 'bus', needed: 1, modules: ['ups-a1'] }, B: { kind: 'mains' } };
}

interface Shape {
  readonly size: number;
  readonly rails: number;
  readonly isCloud: boolean;
  readonly isHpc: boolean;
}

function buildRows(chance: Chance, shape: Shape): Row[] {
  const perRack = chance.whole(4, 8);
  const perRow = chance.whole(3, 6);
  const count = Math.max(1, Math.ceil(shape.size / perRack));
  const nodeName = nameStyle(chance, shape.isCloud);
  const isSingle = Array.from({ length: count }, () => chance.is(0.18));
  const gpus = shape.isHpc ? chance.pick([4, 8]) : chance.pick([1, 2, 4]);
  const stores = shape.size >= 8 ? 1 + chance.whole(2, Math.min(6, 2 + Math.floor(shape.size / 20))) : 0;
  const cpuShare = chance.between(0.25, 0.45);
  const rows: Row[] = [];
  let index = 0;
  for (let r = 0; r < count; r++) {
    if (r % perRow === 0) rows.push(newRow(rows.length + 1, shape.rails, chance));
    const row = rows.at(-1)!;
    const rack: Rack = {
      name: `rack-${String(r + 1).padStart(2, '0')}`,
      row,
      phase: (['L1', 'L2', 'L3'] as const)[r % 3]!,
      cords: isSingle[r] ? [chance.pick(['A', 'B'] as const)] : ['A', 'B'],
      machines: [],
    };
    row.racks.push(rack);
    for (let k = 0; k < perRack && index < shape.size; k++, index++) {
      // Services stand in one rack and the next, so that the last places are not all of one role.
      const role = index < stores ? 'storage' : index < stores + Math.max(1, shape.size * cpuShare) ? 'cpu' : 'gpu';
      rack.machines.push({
        name: nodeName(index),
        index,
        role,
        rack,
        gpus: role === 'gpu' || shape.size < 4 ? gpus : 0,
        supplies: rack.cords.length,
        address: `10.${20 + rows.length}.${Math.floor(index / 250)}.${(index % 250) + 2}`,
        instance: `i-0${new Chance(index, 'instance').hex(16)}`,
      });
    }
  }
  return rows;
}

function newRow(number: number, rails: number, chance: Chance): Row {
  const style = chance.pick(['pdu', 'rpp']);
  return {
    name: `row${number}`,
    racks: [],
    cdu: `cdu-row${number}`,
    tor: `tor-row${number}`,
    leafs: Array.from({ length: rails }, (_, k) => `leaf-r${number}-${k + 1}`),
    pdus: { A: `${style}-row${number}-a`, B: `${style}-row${number}-b` },
  };
}

function nameStyle(chance: Chance, isCloud: boolean): (index: number) => string {
  const number = (index: number, digits: number) => String(index + 1).padStart(digits, '0');
  if (isCloud)
    return chance.is(0.5)
      ? (i) => `ip-10-21-${Math.floor(i / 250)}-${(i % 250) + 2}`
      : (i) => `gpu-pool-${new Chance(i, 'pool').hex(4)}-${i}`;
  const style = chance.whole(0, 2);
  return (i) => (style === 0 ? `node${number(i, 4)}` : style === 1 ? `hpc-n${number(i, 3)}` : `gx${number(i, 3)}`);
}
