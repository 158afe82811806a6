import { createRandom } from '../../src/main/demo/random.ts';

/** What is slow from the onset on. `rank`: the steps of one rank, for which no other waits within its own. */
export const slownesses = ['none', 'all', 'rank', 'loads', 'for a while'] as const;
export type Slowness = (typeof slownesses)[number];

/** A span of a generated job, in seconds after its beginning. */
export interface JobSpan {
  readonly rank: number;
  readonly name: string;
  readonly from_s: number;
  readonly to_s: number;
  /** It is within the span before it of the same rank that has none. */
  readonly isChild: boolean;
  readonly step: number | null;
}

/** A job, and what is true of it. */
export interface GeneratedJob {
  readonly spans: readonly JobSpan[];
  readonly ranks: number;
  readonly step_s: number;
  readonly slowness: Slowness;
  /** NaN of a calm job. */
  readonly onset_s: number;
  readonly factor: number;
  readonly slowRank: number;
  readonly shape: string;
}

const MOST_SPANS = 40_000;
const names = ['train_step', 'ProfilerStep#', 'iteration', 'training.step', 'forward_backward_step'] as const;
type Save = 'named' | 'unnamed' | 'none';
type Evaluation = Save | 'with steps';

interface Habits {
  readonly name: string;
  /** One span is around all steps. */
  readonly isInLoop: boolean;
  /** Steps have spans of what they do. */
  readonly hasParts: boolean;
  /** Steps are preceded by loads that are no part of them. */
  readonly hasLoads: boolean;
  readonly scatter: number;
  /** Of so many steps one takes longer. */
  readonly slowEach: number;
  readonly warm: number;
  readonly save: Save;
  readonly saveEach: number;
  readonly save_s: number;
  readonly evaluation: Evaluation;
  readonly evaluationEach: number;
  readonly evaluation_s: number;
}

/** A job of 150 to 2,000 steps of 0.2 to 40 s, with the habits that jobs have. */
export function generateJob(seed: number, slowness: Slowness): GeneratedJob {
  const random = createRandom(Math.imul(seed, 0x9e3779b1)).next;
  const between = (least: number, most: number): number => least * (most / least) ** random();
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const ranks = pick([2, 4, 8]);
  const step_s = between(0.2, 40);
  const habits: Habits = {
    name: pick(names),
    isInLoop: random() < 0.4,
    hasParts: random() < 0.3,
    hasLoads: slowness === 'loads' || random() < 0.3,
    scatter: between(0.005, 0.08),
    slowEach: pick([0, 0, 30, 100]),
    warm: pick([0, 1, 3, 10]),
    save: pick(['named', 'unnamed', 'none']),
    saveEach: Math.ceil(between(20, 200)),
    save_s: step_s * between(1, 12),
    evaluation: pick(['named', 'unnamed', 'with steps', 'none']),
    evaluationEach: Math.ceil(between(50, 300)),
    evaluation_s: step_s * between(4, 40),
  };
  const perStep = ranks * (1 + Number(habits.hasLoads) + 2 * Number(habits.hasParts));
  const steps = Math.min(Math.ceil(Math.max(between(150, 2000), 400 / step_s)), Math.floor(MOST_SPANS / perStep));
  const slow = {
    slowness,
    from: Math.floor(steps * (0.4 + 0.3 * random())),
    until: slowness === 'for a while' ? Math.floor(steps * 0.85) : steps,
    factor: between(1.4, 3),
    rank: Math.floor(random() * ranks),
  };
  const { spans, onset_s } = new Job(random, { ranks, step_s, steps, habits }, slow).run();
  const { isInLoop, hasLoads, save, evaluation } = habits;
  const shape = `${isInLoop ? 'in a loop, ' : ''}${hasLoads ? 'loads, ' : ''}saves ${save}, evaluation ${evaluation}`;
  const isCalm = slowness === 'none';
  return {
    ...{ spans, ranks, step_s, slowness, shape },
    onset_s: isCalm ? Number.NaN : onset_s,
    factor: isCalm ? 1 : slow.factor,
    slowRank: slowness === 'rank' ? slow.rank : -1,
  };
}

interface Size {
  readonly ranks: number;
  readonly step_s: number;
  readonly steps: number;
  readonly habits: Habits;
}

interface Slow {
  readonly slowness: Slowness;
  /** Steps. */
  readonly from: number;
  readonly until: number;
  readonly factor: number;
  readonly rank: number;
}

/** All ranks begin a step together, when the slowest has done the one before. */
class Job {
  private readonly random: () => number;
  private readonly size: Size;
  private readonly slow: Slow;
  private readonly spans: JobSpan[] = [];
  private now_s = 0;

  constructor(random: () => number, size: Size, slow: Slow) {
    this.random = random;
    this.size = size;
    this.slow = slow;
  }

  run(): { readonly spans: readonly JobSpan[]; readonly onset_s: number } {
    const { steps, habits } = this.size;
    let onset_s = 0;
    for (let step = 1; step <= steps; step++) {
      if (step === this.slow.from) onset_s = this.now_s;
      this.step(step);
      if (step % habits.saveEach === 0) this.pause('save_checkpoint', habits.save, habits.save_s);
      if (step % habits.evaluationEach === 0) this.evaluate();
    }
    if (!habits.isInLoop) return { spans: this.spans, onset_s };
    const loops = Array.from({ length: this.size.ranks }, (_, rank) =>
      spanOf({ rank, name: 'fit', from_s: 0, to_s: this.now_s }),
    );
    return { spans: [...loops, ...this.spans.map((span) => ({ ...span, isChild: true }))], onset_s };
  }

  private step(step: number): void {
    const { ranks, step_s, habits } = this.size;
    const { slowness, from, until, factor, rank: slowRank } = this.slow;
    const isSlow = slowness !== 'none' && step >= from && step < until;
    const warm = step <= habits.warm ? 2 + 10 * this.random() : 1;
    const odd = habits.slowEach > 0 && this.random() < 1 / habits.slowEach ? 1.5 + 2 * this.random() : 1;
    const load_s = habits.hasLoads ? step_s * (isSlow && slowness === 'loads' ? factor - 0.9 : 0.1) : 0;
    let end_s = this.now_s;
    for (let rank = 0; rank < ranks; rank++) {
      const isSlowed = isSlow && slowness !== 'loads' && (slowness !== 'rank' || rank === slowRank);
      const noise = 1 + habits.scatter * (this.random() + this.random() - 1);
      const from_s = this.now_s + load_s;
      const to_s = from_s + step_s * warm * odd * noise * (isSlowed ? factor : 1);
      if (load_s > 0) this.spans.push(spanOf({ rank, name: 'dataloader.next', from_s: this.now_s, to_s: from_s }));
      this.spans.push(spanOf({ rank, name: this.nameOf(step), from_s, to_s, step }));
      if (habits.hasParts) this.parts(rank, from_s, to_s);
      end_s = Math.max(end_s, to_s);
    }
    this.now_s = end_s + 0.01 * step_s;
  }

  private nameOf(step: number): string {
    const { name } = this.size.habits;
    return name.endsWith('#') ? `${name}${step}` : name;
  }

  private parts(rank: number, from_s: number, to_s: number): void {
    const middle_s = from_s + 0.4 * (to_s - from_s);
    this.spans.push(spanOf({ rank, name: 'forward', from_s, to_s: middle_s, isChild: true }));
    this.spans.push(spanOf({ rank, name: 'backward', from_s: middle_s, to_s, isChild: true }));
  }

  private pause(name: string, how: Save, length_s: number): void {
    if (how === 'none') return;
    const [from_s, to_s] = [this.now_s, this.now_s + length_s * (0.9 + 0.2 * this.random())];
    if (how === 'named')
      for (let rank = 0; rank < this.size.ranks; rank++) this.spans.push(spanOf({ rank, name, from_s, to_s }));
    this.now_s = to_s;
  }

  private evaluate(): void {
    const { evaluation, evaluation_s } = this.size.habits;
    if (evaluation !== 'with steps') return this.pause('evaluate', evaluation, evaluation_s);
    const from_s = this.now_s;
    this.pause('evaluate', 'named', evaluation_s);
    const length_s = this.now_s - from_s;
    for (let rank = 0; rank < this.size.ranks; rank++)
      for (let part = 0; part < 4; part++)
        this.spans.push(
          spanOf({
            ...{ rank, name: this.nameOf(part), isChild: true },
            from_s: from_s + (part / 4) * length_s,
            to_s: from_s + ((part + 0.99) / 4) * length_s,
          }),
        );
  }
}

const spanOf = (
  span: Pick<JobSpan, 'rank' | 'name' | 'from_s' | 'to_s'> & Partial<Pick<JobSpan, 'isChild' | 'step'>>,
): JobSpan => ({ isChild: false, step: null, ...span });
