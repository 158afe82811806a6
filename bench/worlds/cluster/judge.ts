import type { Run } from './simulate.ts';

/** A time in which a service or job did worse than it would have done. */
export interface Harm {
  readonly name: string;
  readonly from_s: number;
  readonly to_s: number;
}

/** Clear: an incident. Slight: between clear and nothing, which is neither an incident nor calm. */
export interface Difference {
  readonly clear: readonly Harm[];
  readonly slight: readonly string[];
}

/** Seconds that the clear and the slight degrees need, by how bad they are. */
const LONG_S = 30;
const SHORT_S = 20;
const SLIGHT_S = 6;
const STEPS_S = 45;

/** What a run has that the other, of the same site and load, has not. */
export function difference(run: Run, without: Run): Difference {
  const clear: Harm[] = [];
  const slight: string[] = [];
  const add = (name: string, worse: Worse) => {
    if (worse.clear) clear.push({ name, from_s: worse.from_s, to_s: worse.to_s });
    else if (worse.slight) slight.push(name);
  };
  for (const [i, { name }] of run.site.services.entries()) add(name, servedWorse(run, without, i));
  for (const [i, { name }] of run.site.jobs.entries()) add(name, trainedWorse(run, without, i));
  return { clear, slight };
}

interface Worse {
  readonly clear: boolean;
  readonly slight: boolean;
  readonly from_s: number;
  readonly to_s: number;
}

function servedWorse(run: Run, without: Run, i: number): Worse {
  const [one, other] = [run.services[i]!, without.services[i]!];
  return worseOf(run.site.seconds, (second) => {
    const slower = (one.total_ms[second]! + 1) / (other.total_ms[second]! + 1);
    const failing = one.errors[second]! - other.errors[second]!;
    if (slower > 3 || failing > 0.2) return 3;
    if (slower > 1.5 || failing > 0.03) return 2;
    // Whoever is asked less because its callers fail is not harmed, but not calm either.
    const asked = one.rate[second]! / Math.max(0.1, other.rate[second]!);
    return slower > 1.1 || failing > 0.005 || Math.abs(asked - 1) > 0.1 ? 1 : 0;
  });
}

/** Steps per second at each second; a step that a regular checkpoint made longer counts without it. */
function paceOf({ site, steps }: Run, i: number, save_s: number): Float32Array {
  const pace = new Float32Array(site.seconds);
  for (const { from_s, to_s, save_s: saved_s } of steps[i]!) {
    const value = 1 / Math.max(0.1, to_s - from_s - Math.min(saved_s, save_s));
    pace.fill(value, Math.ceil(from_s), Math.min(site.seconds, Math.ceil(to_s)));
  }
  return pace;
}

function trainedWorse(run: Run, without: Run, i: number): Worse {
  const { checkpoint_gb, store } = run.site.jobs[i]!;
  const regular_s = store === null ? 0 : (1.3 * checkpoint_gb * 8) / (0.6 * run.site.stores[store]!.gbps) + 2;
  const [one, other] = [paceOf(run, i, regular_s), paceOf(without, i, regular_s)];
  // The last step may not have ended when the recording did.
  const end = without.steps[i]!.at(-1)?.to_s ?? 0;
  const worse = worseOf(run.site.seconds, (second) => {
    if (second > end) return 0;
    const slower = other[second]! / Math.max(1e-4, one[second]!);
    return slower > 3 ? 3 : slower > 1.35 ? 2 : slower > 1.1 ? 1 : 0;
  });
  return worse.to_s - worse.from_s >= STEPS_S ? worse : { ...worse, clear: false, slight: worse.clear || worse.slight };
}

/** Bad seconds count from where they become dense to where they thin out. */
const DENSE_S = 20;
const DENSE = 8;

function worseOf(seconds: number, degree: (second: number) => number): Worse {
  const degrees = Uint8Array.from({ length: seconds }, (_, second) => degree(second));
  const counts = [0, 0, 0, 0];
  for (const found of degrees) counts[found]!++;
  const [, some = 0, bad = 0, worst = 0] = counts;
  const clear = bad + worst >= LONG_S || worst >= SHORT_S;
  const dense = (from: number): boolean => {
    let count = 0;
    for (let second = Math.max(0, from); second < Math.min(seconds, from + DENSE_S); second++)
      count += Number(degrees[second]! > 1);
    return count >= DENSE;
  };
  const from_s = degrees.findIndex((found, second) => found > 1 && dense(second));
  const to_s = degrees.findLastIndex((found, second) => found > 1 && dense(second - DENSE_S + 1)) + 1;
  return { clear: clear && from_s >= 0, slight: some + bad + worst >= SLIGHT_S, from_s, to_s };
}

/** Services that were not steady even without any fault: they have no cause, and are not calm. */
export function restless(run: Run): string[] {
  return run.site.services.flatMap(({ name }, i) => {
    const sorted = run.services[i]!.total_ms.toSorted();
    const middle = sorted[Math.floor(sorted.length / 2)]!;
    return sorted[Math.floor(sorted.length * 0.99)]! > 1.35 * middle + 2 ||
      middle >= run.site.services[i]!.timeout_ms / 2
      ? [name]
      : [];
  });
}
