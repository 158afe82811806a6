import type { Random } from '../random.ts';
import { GpuState } from './gpu-state.ts';
import type { Replica } from './site.ts';

/** What a fault changes of a replica at an instant. */
export interface Conditions {
  /** Share of the heat flow that the fans carry. */
  readonly cooling: number;
  /** Highest clock that the power supply allows, as a share. */
  readonly cap: number;
  /** Output tokens for which the engine reserves cache before it admits a request. */
  readonly max_tokens: number;
  /** Chance that the shared part of a prompt is in the prefix cache. */
  readonly hit_chance: number;
  readonly version: string;
  /** Prompts with more tokens of their own than this fail. */
  readonly longest_prompt: number;
}

export interface Request {
  readonly at_s: number;
  /** Tokens that differ from other prompts, beside {@link SHARED_TOKENS}. */
  readonly own_tokens: number;
  readonly wanted_tokens: number;
}

/** A request with the instants, in seconds, at which its stages began. */
export interface Served extends Request {
  readonly replica: Replica;
  readonly version: string;
  readonly max_tokens: number;
  queued_s: number;
  admitted_s: number;
  decoding_s: number;
  decoded_s: number;
  done_s: number;
  cached_tokens: number;
  prefill_left: number;
  output_tokens: number;
  depth: number;
  batch: number;
  utilization: number;
  failure: '' | 'timeout' | 'error';
}

/** State of a replica at the end of a second. */
export interface Second {
  readonly running: number;
  readonly waiting: number;
  readonly cache_use: number;
  readonly utilization: number;
  readonly temperature_c: number;
  readonly power_w: number;
  readonly clock: number;
  readonly hot: boolean;
  /** Held back by its power supplies. */
  readonly capped: boolean;
  readonly hot_us: number;
  /** Totals since the start. */
  readonly totals: Totals;
}
export interface Totals {
  readonly prompt: number;
  readonly output: number;
  readonly hits: number;
  readonly served: number;
  readonly failed: number;
}

export const SHARED_TOKENS = 3000;
export const MAX_BATCH = 32;
const CACHE_TOKENS = 36_000;
const PREPROCESS_S = 0.008;
const POSTPROCESS_S = 0.012;
/** Scheduling and sampling on the CPU between two steps of the GPUs. */
const HOST_S = 0.016;
const DECODE_S = 0.005;
const DECODE_EACH_S = 0.0005;
const PREFILL_EACH_S = 0.00008;
/** Prompt tokens of one step (chunked prefill). */
const PREFILL_BUDGET = 2048;
/** Clients give up on a request that was not admitted by then. */
const PATIENCE_S = 30;

const reserved = ({ own_tokens, max_tokens }: Served): number => own_tokens + max_tokens;

/**
 * A server of continuous batching: each step computes the next token of all running requests and a part of the prompts that
 * are new. A request is admitted when the batch has room and the cache holds its longest answer; others wait.
 */
export class Engine {
  readonly served: Served[] = [];
  readonly seconds: Second[] = [];
  private readonly gpu = new GpuState();
  private readonly waiting: Served[] = [];
  private running: Served[] = [];
  private now = 0;
  private busy_s = 0;
  private utilization = 0;
  private totals: { -readonly [K in keyof Totals]: Totals[K] } = {
    prompt: 0,
    output: 0,
    hits: 0,
    served: 0,
    failed: 0,
  };
  private readonly replica: Replica;
  private readonly conditions: (at_s: number) => Conditions;
  private readonly random: Random;

  constructor(replica: Replica, conditions: (at_s: number) => Conditions, random: Random) {
    this.replica = replica;
    this.conditions = conditions;
    this.random = random;
  }

  /** @param requests of this replica, by time */
  run(requests: readonly Request[], until_s: number): this {
    let next = 0;
    while (this.now < until_s) {
      for (; next < requests.length && requests[next]!.at_s + PREPROCESS_S <= this.now; next++)
        this.enter(requests[next]!);
      this.admit();
      if (this.running.length > 0) this.step();
      else this.pass(Math.min(until_s, (requests[next]?.at_s ?? until_s) + PREPROCESS_S + 1e-6) - this.now, 0);
    }
    return this;
  }

  private enter(request: Request): void {
    const { version, max_tokens } = this.conditions(request.at_s);
    this.waiting.push({
      ...request,
      ...{ replica: this.replica, version, max_tokens, failure: '', depth: this.waiting.length },
      ...{ queued_s: request.at_s + PREPROCESS_S, admitted_s: 0, decoding_s: 0, decoded_s: 0, done_s: 0 },
      ...{ cached_tokens: 0, prefill_left: 0, output_tokens: 0, batch: 0, utilization: 0 },
    });
  }

  private admit(): void {
    let used = this.running.reduce((sum, one) => sum + reserved(one), 0);
    for (let first = this.waiting[0]; first; first = this.waiting[0]) {
      if (this.now - first.queued_s > PATIENCE_S) {
        this.end(this.waiting.shift()!, 'timeout');
        continue;
      }
      if (this.running.length >= MAX_BATCH || used + reserved(first) > CACHE_TOKENS) return;
      used += reserved(first);
      const hit = this.random.next() < this.conditions(this.now).hit_chance;
      first.admitted_s = this.now;
      first.cached_tokens = hit ? SHARED_TOKENS : 0;
      first.prefill_left = SHARED_TOKENS + first.own_tokens - first.cached_tokens;
      this.totals.prompt += SHARED_TOKENS + first.own_tokens;
      this.totals.hits += first.cached_tokens;
      this.running.push(this.waiting.shift()!);
      first.batch = this.running.length;
      first.utilization = this.utilization;
    }
  }

  private step(): void {
    let budget = PREFILL_BUDGET;
    const decoding = this.running.filter(({ prefill_left }) => prefill_left === 0);
    const filling = this.running.filter(({ prefill_left }) => prefill_left > 0);
    for (const one of filling) {
      const part = Math.min(budget, one.prefill_left);
      one.prefill_left -= part;
      budget -= part;
    }
    const work_s = DECODE_S + DECODE_EACH_S * decoding.length + PREFILL_EACH_S * (PREFILL_BUDGET - budget);
    const gpu_s = work_s / this.gpu.clock;
    this.pass(HOST_S + gpu_s, gpu_s);
    for (const one of filling) if (one.prefill_left === 0) one.decoding_s = this.now;
    for (const one of decoding) {
      one.output_tokens++;
      this.totals.output++;
      if (one.output_tokens < Math.min(one.wanted_tokens, one.max_tokens)) continue;
      one.decoded_s = this.now;
      this.end(one, one.own_tokens > this.conditions(one.at_s).longest_prompt ? 'error' : '');
    }
    this.running = this.running.filter(({ done_s }) => done_s === 0);
  }

  private end(request: Served, failure: Served['failure']): void {
    request.failure = failure;
    request.done_s = this.now + (failure === 'timeout' ? 0 : POSTPROCESS_S);
    if (failure === '') this.totals.served++;
    else this.totals.failed++;
    this.served.push(request);
  }

  /** Lets time pass, of which the GPUs worked a part, and notes each second that ends in it. */
  private pass(duration_s: number, gpu_s: number): void {
    const share = duration_s > 0 ? gpu_s / duration_s : 0;
    for (let left = duration_s; left > 0; ) {
      const part = Math.min(left, this.seconds.length + 1 - this.now);
      this.busy_s += part * share;
      this.now += part;
      left -= part;
      if (this.now >= this.seconds.length + 1 - 1e-9) this.endSecond();
    }
  }

  private endSecond(): void {
    const { gpu, running, waiting } = this;
    const { cooling, cap } = this.conditions(this.now);
    this.utilization = Math.min(1, this.busy_s);
    gpu.second(this.utilization, cooling, cap);
    this.busy_s = 0;
    const used = running.reduce((sum, one) => sum + one.own_tokens + one.output_tokens, SHARED_TOKENS);
    const { temperature_c, power_w, clock, isHot, hot_us } = gpu;
    this.seconds.push({
      ...{ running: running.length, waiting: waiting.length, utilization: this.utilization },
      ...{ cache_use: Math.min(1, used / (CACHE_TOKENS + SHARED_TOKENS)), hot: isHot, hot_us, capped: cap < 1 },
      ...{ temperature_c, power_w, clock, totals: { ...this.totals } },
    });
  }
}
