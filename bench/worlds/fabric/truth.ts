import { layerOf } from '../../../src/model/entity.ts';
import type { EntityRef } from '../../corpus/label.ts';
import type { WorldLabel } from '../world.ts';
import { type Occurrence, originsOf } from './engine.ts';
import type { Fault } from './fault.ts';
import type { Harm } from './judge.ts';
import type { Scene } from './record/scene.ts';
import { EDGE } from './site.ts';

/** A fault with what would not have happened without it. */
export interface Cause {
  readonly fault: Fault;
  readonly harm: readonly Harm[];
  /** Another cause harmed the same services at the same time. */
  readonly meets: readonly Fault[];
}

/** Reports of a root that come this long after the harm still show it, s. */
const LATE_S = 60;
/** Traces below which a service's trouble is a guess. */
const FEWEST = 8;
/** Layers whose recorders can show that no device was at fault. */
const DEVICE_RECORDERS = [
  'kernel',
  'kubernetes',
  'prometheus',
  'switches',
  'facility',
  'controllers',
  'telegraf',
  'slurm',
];

export function labelOf(scene: Scene, cause: Cause): WorldLabel {
  const { fault, harm, meets } = cause;
  const isSoftware = fault.truth.service !== undefined;
  const names = suffering(
    scene,
    harm.map(({ name }) => name),
  );
  const from_s = Math.max(fault.at_s, Math.min(...harm.map((one) => one.from_s)));
  const to_s = Math.max(...harm.map((one) => one.to_s));
  const starts = isSoftware ? [] : startsOf(scene, fault, to_s);
  const isShown = isSoftware || starts.length > 0;
  const isMixed = meets.some((other) => (other.truth.service !== undefined) !== isSoftware);
  const [root, ...same] = [...rootsOf(scene, fault), ...meets.flatMap((other) => rootsOf(scene, other))];
  const isBlamed = harm.some(({ blames }) =>
    [...blames].some((id) => originsOf(scene.run.engine.journal, id).has(scene.run.begun.get(fault) ?? -1)),
  );
  return {
    ...emptyLabel(scene, fault.family),
    root: isSoftware ? null : (root ?? null),
    root_equivalents: isSoftware ? [] : same,
    guilty_service: fault.truth.service ?? null,
    affected_services: names,
    onset_ns: nanosAt(scene, from_s),
    end_ns: nanosAt(scene, to_s),
    withheld_layers: isShown || !root ? [] : [layerOf(root.kind)],
    expected: isSoftware ? 'no_physical_cause' : isShown ? 'device' : 'insufficient_evidence',
    inferable:
      isBlamed &&
      !isMixed &&
      isMeasured(scene, names, to_s - from_s) &&
      (isSoftware
        ? (fault.truth.needs === undefined
            ? scene.measured.has(fault.truth.service!)
            : scene.measurements.has(fault.truth.needs)) &&
          DEVICE_RECORDERS.filter((one) => scene.recorders.has(one)).length >= 3
        : isShown && isReached(scene, starts, names)),
  };
}

export const nanosAt = ({ site }: Scene, at_s: number): bigint =>
  BigInt(site.start_ms) * 1_000_000n + BigInt(Math.round(at_s * 1e9));

/** Names of those that suffered; the balancer shows what its services do to requests. */
function suffering({ measured, site }: Scene, names: readonly string[]): readonly string[] {
  const isEntry = site.services.some(({ name, rate }) => rate > 0 && names.includes(name));
  return isEntry && measured.has(EDGE) ? [...names, EDGE] : names;
}

/** Names of what failed, and of the pods that were preempted by it. */
function rootsOf({ run }: Scene, fault: Fault): readonly EntityRef[] {
  const id = run.begun.get(fault) ?? -1;
  const pods = run.engine.journal
    .filter(
      ({ id: at, type }) =>
        type === 'pod_preempted' && fault.family === 'preemption' && originsOf(run.engine.journal, at).has(id),
    )
    .map(({ subject }): EntityRef => ({ kind: 'pod', id: `prod/${subject.slice('pod:'.length)}` }));
  return [...fault.truth.roots, ...pods];
}

/** What of the root the files report, by the keys of the plant. */
function startsOf({ run, shown, measurements }: Scene, fault: Fault, until_s: number): readonly string[] {
  const keys = new Set([fault.subject, ...fault.truth.roots.map(({ kind, id }) => `${kind}:${id}`)]);
  const begun = run.begun.get(fault) ?? -1;
  // A pod's eviction is told with the node that it had to leave.
  const isAbout = ({ subject, type }: Occurrence): boolean =>
    keys.has(subject) || (fault.family === 'eviction' && type === 'pod_evicted');
  const told = run.engine.journal
    .filter((one) => shown.has(one.id) && isAbout(one) && one.at_s <= until_s + LATE_S)
    .filter(({ id }) => originsOf(run.engine.journal, id).has(begun))
    .map(({ subject }) => (keys.has(subject) ? subject : fault.subject));
  const seen = (fault.truth.measured ?? [])
    .filter((one) => measurements.has(one))
    .map((one) => one.slice(one.indexOf(':') + 1));
  return [...new Set([...told, ...seen])];
}

function isReached({ links }: Scene, starts: readonly string[], names: readonly string[]): boolean {
  const goals = new Set(names.flatMap((name) => [`service:${name}`, `job:${name}`]));
  const seen = new Set(starts);
  const left = [...starts];
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    if (goals.has(one)) return true;
    for (const next of links.get(one) ?? [])
      if (!seen.has(next)) {
        seen.add(next);
        left.push(next);
      }
  }
  return false;
}

/** Whether enough was measured of one that suffered, while it did. */
function isMeasured({ measured, run }: Scene, names: readonly string[], seconds: number): boolean {
  return names.some((name) => {
    const how = measured.get(name);
    if (!how) return false;
    if (how.interval_s > 0) return seconds >= 2 * how.interval_s;
    const job = run.jobs.find(({ plan }) => plan.name === name);
    if (job) return seconds >= 3 * job.plan.step_s;
    const calls =
      run.calls.filter(({ service, caller }) => (name === EDGE ? caller === '' : service === name)).length /
      run.site.seconds;
    return calls * seconds * how.sampled >= FEWEST;
  });
}

export const emptyLabel = (scene: Scene, family: string): WorldLabel => ({
  id: `fabric-${scene.site.seed}-${family}`,
  seed: scene.site.seed,
  split: 'check',
  family,
  hard: [...scene.offsets.values()].some((offset_s) => Math.abs(offset_s) > 5),
  variants: [],
  root: null,
  root_equivalents: [],
  alike: 0,
  guilty_service: null,
  root_event_id: null,
  chain: [],
  repeats: {},
  affected_services: [],
  onset_ns: nanosAt(scene, 0),
  end_ns: nanosAt(scene, scene.site.seconds),
  withheld_layers: [],
  clock_offsets_s: Object.fromEntries(scene.offsets),
  expected: 'none',
  inferable: true,
});
