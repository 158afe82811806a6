import { print } from '../figures.ts';
import { options } from '../options.ts';
import { type FoundIncident, incidentsOf } from './job-case.ts';
import { type GeneratedJob, generateJob, type Slowness, slownesses } from './job-steps.ts';

const SEED = 1;
const EACH = 20;

/** Jobs that only their spans measure, calm ones and slow ones: which of them are incidents. */
export async function benchJobs(): Promise<void> {
  const from = Number(options.seed ?? SEED);
  const each = Number(options.each ?? EACH);
  for (const slowness of slownesses) {
    const judged: Judged[] = [];
    for (let seed = from; seed < from + each; seed++) {
      const job = generateJob(seed, slowness);
      const found = await incidentsOf(job);
      judged.push(judge(job, found));
      if (options.verbose) console.log(describeJob(seed, job, found));
    }
    printJudged(slowness, judged);
  }
}

interface Judged {
  readonly found: FoundIncident | undefined;
  readonly isSlowed: boolean;
  /** The true onset is where it is stated to be, but for one bucket more to each side. */
  readonly isTimed: boolean;
  /** Stated factor over the true one; NaN: none is stated. */
  readonly ratio: number;
  readonly isOfRank: boolean;
  readonly wrong: number;
}

function judge(job: GeneratedJob, all: readonly FoundIncident[]): Judged {
  const isAbout = ({ earliest_s, onset_s }: FoundIncident): boolean => {
    const width = Math.max(onset_s - earliest_s, 10);
    return earliest_s - width <= job.onset_s && job.onset_s <= onset_s + width;
  };
  const found = all.find(isAbout);
  return {
    found,
    isSlowed: found?.incident.harm === 'slowed',
    isTimed: found !== undefined && found.earliest_s <= job.onset_s && job.onset_s <= found.onset_s,
    ratio: (found?.incident.slowed_times ?? Number.NaN) / job.factor,
    isOfRank: found?.incident.affected_parts[0]?.name === `rank-${job.slowRank}`,
    wrong: all.length - Number(found !== undefined),
  };
}

function printJudged(slowness: Slowness, judged: readonly Judged[]): void {
  const count = (of: (one: Judged) => boolean): number => judged.filter(of).length;
  const wrong = judged.reduce((sum, one) => sum + one.wrong, 0);
  if (slowness === 'none') return print('jobs: calm', `${wrong} incidents`, `${judged.length} jobs`);
  const rank = slowness === 'rank' ? `, ${count(({ isOfRank }) => isOfRank)} of that rank` : '';
  const ratios = judged.map(({ ratio }) => ratio).filter((ratio) => !Number.isNaN(ratio));
  const near = ratios.filter((ratio) => Math.abs(Math.log(ratio)) <= Math.log(1.15)).length;
  print(
    `jobs: slow, ${slowness}`,
    `${count(({ found }) => found !== undefined)} of ${judged.length} found`,
    `${count(({ isSlowed }) => isSlowed)} slowed${rank}, ${count(({ isTimed }) => isTimed)} within the stated onset, ` +
      `factor of ${near} of ${ratios.length} within 15 %, ${wrong} other incidents`,
  );
}

function describeJob(seed: number, job: GeneratedJob, found: readonly FoundIncident[]): string {
  const whole = job.spans.reduce((last, { to_s }) => Math.max(last, to_s), 0);
  const incidents = found.map(
    ({ incident, earliest_s, onset_s }) =>
      `${incident.harm}${incident.affected_parts.map(({ name }) => ` ${name}`).join()} ${earliest_s}-${onset_s} x ${incident.slowed_times}`,
  );
  return `  ${seed} ${job.slowness} x ${job.factor.toFixed(2)} at ${job.onset_s.toFixed(0)} of ${whole.toFixed(0)} s, ${job.ranks} x ${job.step_s.toFixed(2)} s, ${job.shape}: ${incidents.join('; ') || 'none'}`;
}
