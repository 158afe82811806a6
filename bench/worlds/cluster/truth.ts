import { layerOf } from '../../../src/model/entity.ts';
import type { Fault } from './fault.ts';
import type { Link, Scene } from './record/scene.ts';
import type { Happening, Subject } from './state.ts';

/** One box under several names. */
const machines = new Set(['server', 'node', 'instance', 'device']);
const keyOf = (kind: string, id: string): string => `${machines.has(kind) ? 'machine' : kind}:${id}`;
const keyOfText = (text: string): string => keyOf(text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1));

/** The root with whatever else names it: a pod that had to go is said to be preempted by the one that came. */
export function rootsOf({ truth }: Fault, journal: readonly Happening[]): readonly Subject[] {
  if (!truth.root) return [];
  const gone = journal.filter(
    ({ values }) => values?.['by'] !== undefined && truth.same.some(({ id }) => id === values['by']),
  );
  const victims = gone.flatMap(({ subject: { id } }): Subject[] => [
    { kind: 'pod', id },
    { kind: 'pod', id: `prod/${id}` },
  ]);
  return [truth.root, ...truth.same, ...victims];
}

/** Requests that must have been traced while it lasted, for anybody to see it. */
const ENOUGH_TRACES = 8;

/** Whether what was measured of requests shows so short a time at all. Jobs write a line per step. */
export const isSeen = (
  { traced, interval_s, run: { site } }: Scene,
  names: readonly string[],
  seconds: number,
): boolean =>
  site.jobs.some(({ name }) => names.includes(name)) ||
  traced * seconds >= ENOUGH_TRACES ||
  (interval_s > 0 && interval_s <= seconds);

/** Controllers of clusters and machines that start again report afterwards. */
const LATE_S = 600;

/**
 * Under which names a recorder kept anything of the root itself: an event, or readings that are out of the ordinary.
 * @returns keys of the root and of the machine whose record it is; none: it was not recorded
 */
export function shownAs(scene: Scene, fault: Fault, until_s: number): readonly string[] {
  const { site, gpus, journal } = scene.run;
  const keys = new Set(rootsOf(fault, journal).map(({ kind, id }) => keyOf(kind, id)));
  const found: string[] = [];
  for (const { happening, shown, machine } of scene.kept) {
    const { at_s, what } = happening;
    if (at_s > until_s + LATE_S || (at_s < fault.from_s - 5 && what !== 'cloud_notice')) continue;
    const key = keyOf(shown.kind, shown.id);
    if (keys.has(key)) found.push(key, ...(machine ? [keyOf(machine.kind, machine.id)] : []));
  }
  // A switch that is away reports nothing: all machines behind it lose their links at once.
  if (fault.family === 'switch_reboot') {
    const links = scene.kept.filter(
      ({ happening: { what, at_s } }) => what === 'link_down' && Math.abs(at_s - fault.from_s) < 1,
    );
    if (links.length >= 2) found.push(...keys);
  }
  if (!scene.gpus || fault.family === 'nvlink') return found;
  const from = Math.floor(fault.from_s / 5);
  for (const { server, gpu, flags } of gpus) {
    const key = `gpu:${site.servers[server]!.gpus[gpu]!.uuid}`;
    const odd = flags.subarray(from, Math.ceil(until_s / 5)).some((flag) => (flag & 11) > 0);
    if (odd && keys.has(key)) found.push(key);
  }
  return found;
}

/** Whether the recorded map leads from one of these to one of these services, in the direction in which harm spreads. */
export function isReached(links: readonly Link[], starts: readonly string[], services: readonly string[]): boolean {
  const next = new Map<string, string[]>();
  const add = (from: string, to: string) => {
    const known = next.get(keyOfText(from));
    if (known) known.push(keyOfText(to));
    else next.set(keyOfText(from), [keyOfText(to)]);
  };
  for (const { from, edge, to } of links) {
    if (edge === 'runs_on' || edge === 'calls') add(to, from);
    else add(from, to);
    if (edge === 'contains') add(to, from);
  }
  const wanted = new Set(services.map((name) => `service:${name}`));
  const seen = new Set(starts);
  for (const key of seen) {
    if (wanted.has(key)) return true;
    // A rack is a place, and a switch has many ports: what one in it suffers, the others need not.
    const parent = key.startsWith('rack:') || (key.startsWith('switch:') && !starts.includes(key));
    if (!parent) for (const one of next.get(key) ?? []) seen.add(one);
  }
  return false;
}

/** The root's layer, if nothing at all was recorded of it. */
export const withheldLayers = (scene: Scene, { truth }: Fault) => {
  if (!truth.root) return [];
  const layer = layerOf(truth.root.kind);
  return scene.kept.some(({ shown }) => layerOf(shown.kind) === layer) ? [] : [layer];
};
