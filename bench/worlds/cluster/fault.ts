import type { Chance } from './chance.ts';
import { workingOf } from './simulate.ts';
import type { Site } from './site.ts';
import type { State, Subject } from './state.ts';

/** Where an incident began. */
export const clusterFamilies = [
  'utility_sag',
  'utility_outage',
  'ups_fault',
  'ups_dead_battery',
  'breaker_trip',
  'psu_failure',
  'cooling_failure',
  'fan_failure',
  'gpu_hot',
  'gpu_off_the_bus',
  'gpu_memory_error',
  'power_cap',
  'nvlink',
  'nic_flap',
  'switch_reboot',
  'congestion',
  'storage_stall',
  'disk_failure',
  'slow_checkpoint',
  'host_crash',
  'cloud_retirement',
  'node_eviction',
  'preemption',
  'noisy_neighbour',
  'oom',
  'bad_deploy',
  'slow_dependency',
  'traffic_surge',
  'slow_loader',
  'calm',
] as const;
export type ClusterFamily = (typeof clusterFamilies)[number];

/** What is to be found: a device (or whatever else can be pointed at), or the service whose software it was. */
export type Truth =
  | { readonly root: Subject; readonly same: readonly Subject[]; readonly service?: undefined }
  | { readonly service: string; readonly root?: undefined; readonly same?: undefined };

/** Something that goes wrong at a site, or only looks like it. */
export interface Fault {
  readonly family: ClusterFamily | 'scare';
  /** One line for a human. */
  readonly story: string;
  readonly from_s: number;
  readonly truth: Truth;
  /** A fresh copy: each run has its own. It is called at each step of the whole run, before the physics. */
  readonly start: () => (state: State) => void;
}

/** Sets what holds from one second to another, and does once what happens at an instant. */
export interface Script {
  readonly once?: readonly (readonly [at_s: number, act: (state: State) => void])[];
  readonly during?: readonly (readonly [from_s: number, to_s: number, act: (state: State) => void])[];
}

export const played =
  ({ once = [], during = [] }: Script): Fault['start'] =>
  () => {
    const left = once.toSorted(([a], [b]) => a - b);
    return (state) => {
      while (left[0] && left[0][0] <= state.at_s) left.shift()![1](state);
      for (const [from_s, to_s, act] of during) if (state.at_s >= from_s && state.at_s < to_s) act(state);
    };
  };

/** Where and when a fault is to strike. */
export interface Aim {
  readonly site: Site;
  readonly chance: Chance;
  readonly at_s: number;
}

export type Maker = (aim: Aim) => Fault | undefined;

/** A machine that has work; undefined: none that fits. */
export function workingServer(
  { site, chance }: Aim,
  fits: (server: number) => boolean = () => true,
): number | undefined {
  const found = workingOf(site).filter(fits);
  return found.length === 0 ? undefined : chance.pick(found);
}

export const serverSubject = (site: Site, server: number): Subject => ({
  kind: 'server',
  id: site.servers[server]!.name,
});
export const nodeSubject = (site: Site, server: number): Subject => ({ kind: 'node', id: site.servers[server]!.name });

export const minutes = (seconds: number): string => `${(seconds / 60).toFixed(1)} min`;
