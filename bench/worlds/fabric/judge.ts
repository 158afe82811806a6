import type { Run } from './simulate.ts';
import type { Training } from './training.ts';

/** What a service or job did worse in one run than in another. */
export interface Harm {
  readonly name: string;
  readonly from_s: number;
  readonly to_s: number;
  /** Events that its slow and failed work blames. */
  readonly blames: ReadonlySet<number>;
}

/** Windows in which services and jobs are compared, s. */
const SERVICE_S = 20;
const JOB_S = 30;
/** Work that began this late may not end within the recording. */
const TAIL_S = 70;
/** An unanswered call counts as this long. */
const UNANSWERED_S = 60;

const ROUTES = ['handle', 'chat'] as const;

interface Window {
  calls: number;
  failed: number;
  seconds: number;
  blames: Set<number>;
}

/** By service and what was asked of it: quick requests that suffer are not hidden by slow ones. */
function windowsOf(run: Run): Map<string, Window[]> {
  const count = Math.floor((run.site.seconds - TAIL_S) / SERVICE_S);
  const all = new Map(
    run.site.services.flatMap(({ name }) =>
      ROUTES.map((route) => [
        `${name} ${route}`,
        Array.from({ length: count }, (): Window => ({ calls: 0, failed: 0, seconds: 0, blames: new Set() })),
      ]),
    ),
  );
  for (const call of run.calls) {
    const window = all.get(`${call.service} ${call.route}`)![Math.floor(call.from_s / SERVICE_S)];
    if (!window) continue;
    window.calls++;
    window.seconds += Number.isNaN(call.took_s) ? UNANSWERED_S : call.took_s;
    if (!call.ok) window.failed++;
    if (call.blame >= 0) window.blames.add(call.blame);
  }
  return all;
}

const order = ['fine', 'slight', 'bad', 'severe'] as const;
type Grade = (typeof order)[number];
const worse = (a: Grade, b: Grade): Grade => (order.indexOf(b) > order.indexOf(a) ? b : a);

function gradeOf(now: Window, before: Window): Grade {
  if (now.calls < 3) return 'fine';
  const usual_s = before.calls > 0 ? before.seconds / before.calls : 0;
  const is_s = now.seconds / now.calls;
  const times = usual_s > 0 ? is_s / usual_s : 1;
  const more_s = is_s - usual_s;
  const failures = now.failed / now.calls - (before.calls > 0 ? before.failed / before.calls : 0);
  if (now.calls >= 5 && ((times >= 3 && more_s > 0.005) || failures >= 0.2)) return 'severe';
  if ((times >= 1.5 && more_s > 0.003) || (failures >= 0.03 && now.failed - before.failed >= 2)) return 'bad';
  return times >= 1.12 && more_s > 0.0015 ? 'slight' : failures > 0.01 ? 'slight' : 'fine';
}

export interface Difference {
  readonly clear: readonly Harm[];
  /** Neither harmed nor as ever. */
  readonly slight: readonly string[];
}

/** What services and jobs did worse in a run than in another that differs by what was made to go wrong. */
export function difference(run: Run, without: Run): Difference {
  const clear: Harm[] = [];
  const slight: string[] = [];
  const put = (
    name: string,
    grades: readonly Grade[],
    size_s: number,
    blames: (i: number) => Iterable<number>,
  ): void => {
    const bad = grades.flatMap((grade, i) => (grade === 'bad' || grade === 'severe' ? [i] : []));
    if (bad.length >= 2 || grades.includes('severe'))
      clear.push({
        name,
        from_s: bad[0]! * size_s,
        to_s: (bad.at(-1)! + 1) * size_s,
        blames: new Set(bad.flatMap((i) => [...blames(i)])),
      });
    else if (grades.some((grade) => grade !== 'fine')) slight.push(name);
  };
  const before = windowsOf(without);
  const now = windowsOf(run);
  for (const { name } of run.site.services) {
    const routes = ROUTES.map((route) => `${name} ${route}`).map((key) => [now.get(key)!, before.get(key)!] as const);
    const grades = routes.map(([is, was]) => is.map((window, i) => gradeOf(window, was[i]!)));
    put(
      name,
      grades[0]!.map((_, i) => grades.map((one) => one[i]!).reduce(worse)),
      SERVICE_S,
      (i) => routes.flatMap(([is], k) => (grades[k]![i] === 'fine' ? [] : [...is[i]!.blames])),
    );
  }
  run.jobs.forEach((job, k) => {
    const done = progressOf(job, run.site.seconds);
    const usual = progressOf(without.jobs[k]!, run.site.seconds);
    const grades = done.map((steps, i): Grade => {
      const should = usual[i]!;
      if (should < 0.3) return 'fine';
      return steps * 1.35 < should ? 'bad' : steps * 1.08 < should ? 'slight' : 'fine';
    });
    put(job.plan.name, grades, JOB_S, (i) => blamesOfJob(run, job, i * JOB_S));
  });
  return { clear, slight };
}

/** Steps that a job did in each window, by share. */
function progressOf({ steps }: Training, seconds: number): number[] {
  const done = Array.from({ length: Math.floor((seconds - 15) / JOB_S) }, () => 0);
  for (const { from_s, took_s } of steps)
    for (let i = Math.floor(from_s / JOB_S); i * JOB_S < from_s + took_s && i < done.length; i++) {
      const part = Math.min(from_s + took_s, (i + 1) * JOB_S) - Math.max(from_s, i * JOB_S);
      done[i]! += part / took_s;
    }
  return done;
}

function blamesOfJob({ engine }: Run, { plan, steps }: Training, from_s: number): number[] {
  const own = engine.journal.filter(({ subject, at_s }) => subject === `job:${plan.name}` && at_s < from_s + JOB_S);
  const slow = steps.filter(
    (step) => step.from_s < from_s + JOB_S && step.from_s + step.took_s > from_s && step.blame >= 0,
  );
  return [...slow.map(({ blame }) => blame), ...(own.length > 0 ? [own.at(-1)!.id] : [])];
}

/** Services and jobs that were uneasy although nothing was made to happen. */
export function restless(run: Run): readonly string[] {
  return [...windowsOf(run)].flatMap(([key, windows]) => {
    const counted = windows.filter(({ calls }) => calls >= 5);
    const means = counted.map(({ seconds, calls }) => seconds / calls).sort((a, b) => a - b);
    const usual = means[Math.floor(means.length / 2)] ?? 0;
    const isSlow = counted.filter(({ seconds, calls }) => seconds / calls > 2.5 * usual + 0.002).length > 1;
    const fails = counted.some(({ failed, calls }) => failed / calls > 0.1);
    return isSlow || fails ? [key.split(' ')[0]!] : [];
  });
}
