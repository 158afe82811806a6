import type { EntityRef } from '../../corpus/label.ts';
import type { Chance } from './chance.ts';
import { Chance as RandomStream } from './chance.ts';
import type { Stage } from './simulate.ts';
import type { Machine, Site } from './site.ts';

export const fabricFamilies = [
  'mains_lost',
  'ups_fault',
  'phase_breaker',
  'psu_failed',
  'rack_power',
  'cdu_pump',
  'cdu_valve',
  'chiller',
  'rear_door',
  'gpu_hot',
  'gpu_xid',
  'gpu_lost',
  'gpu_memory',
  'cable_flap',
  'congestion',
  'spine_lost',
  'switch_firmware',
  'store_slow',
  'disk_failed',
  'metadata_overload',
  'node_oom',
  'kernel_panic',
  'eviction',
  'preemption',
  'noisy_neighbour',
  'cloud_maintenance',
  'bad_deploy',
  'config_push',
  'certificate_expired',
  'slow_dependency',
  'cache_lost',
  'retry_storm',
  'surge',
  'job_killed',
  'job_slow',
] as const;
export type Family = (typeof fabricFamilies)[number] | 'scare';

/** Something that is made to go wrong. */
export interface Fault {
  readonly family: Family;
  /** `kind:id` of what its first event is about. */
  readonly subject: string;
  readonly at_s: number;
  readonly story: string;
  readonly truth: {
    /** As files name them, the most usual name first; empty for software. */
    readonly roots: readonly EntityRef[];
    readonly service?: string;
    /** Measurements that show it, as `what:kind:id`. */
    readonly measured?: readonly string[];
    /** A software cause that only this measurement shows. */
    readonly needs?: string;
  };
  readonly begin: (stage: Stage, id: number) => void;
}

/** What makes a fault; undefined: this site has nothing that it could happen to. */
export type Maker = (at: { readonly site: Site; readonly chance: Chance; readonly at_s: number }) => Fault | undefined;

const ref = (kind: EntityRef['kind'], id: string): EntityRef => ({ kind, id });

export const machineNames = ({ name, instance }: Machine, site: Site): readonly EntityRef[] => [
  ref('server', name),
  ref('node', name),
  ...(site.isCloud ? [ref('instance', instance)] : []),
];
/** Syslog names its sender only by the host. */
export const deviceNames = (kind: EntityRef['kind'], name: string): readonly EntityRef[] => [
  ref(kind, name),
  ref('server', name),
  ref('device', name),
];
export const gpuId = (machine: Machine, gpu: number): string => {
  const hex = new RandomStream(machine.index * 16 + gpu, `uuid ${machine.name}`).hex(32);
  return `GPU-${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};
export const pciOf = (gpu: number): string => `0000:${(0x1b + gpu * 0x10).toString(16).padStart(2, '0')}:00`;
export const gpuNames = (machine: Machine, gpu: number): readonly EntityRef[] => [
  ref('gpu', gpuId(machine, gpu)),
  ref('gpu', `${machine.name}/gpu${gpu}`),
  ref('gpu', `${machine.name}/pci-${pciOf(gpu)}`),
];
/** Rail 0 is Ethernet, the others are InfiniBand or RoCE cards. */
export const nicName = (rail: number): string => (rail === 0 ? 'eth0' : `mlx5_${rail - 1}`);
export const portName = ({ switches }: Site, place: number): string =>
  `${switches === 'nvos' ? 'swp' : 'Ethernet'}${place}`;
/** Where a machine's card is plugged in. */
export function portOf(site: Site, machine: Machine, rail: number): { readonly device: string; readonly port: string } {
  const { row } = machine.rack;
  const place = row.racks.flatMap(({ machines }) => machines).indexOf(machine) + 1;
  return { device: rail === 0 ? row.tor : row.leafs[rail - 1]!, port: portName(site, place) };
}
export function nicNames(site: Site, machine: Machine, rail: number): readonly EntityRef[] {
  const { device, port } = portOf(site, machine, rail);
  const interfaceName = rail === 0 ? `eth0` : `ibs${rail - 1}`;
  return [
    ref('nic', `${machine.name}/${interfaceName}`),
    ref('nic', `${machine.name}/${nicName(rail)}`),
    ref('port', `${device}/${port}`),
  ];
}
