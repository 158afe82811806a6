import { randomOf } from './chance.ts';
import type { Hindrance } from './engine.ts';
import { gpuKey, serverKey } from './plant.ts';
import { REFUSED, type Replica, type Rpc, type Work } from './rpc.ts';
import type { Machine } from './site.ts';
import type { ServicePlan } from './site-work.ts';

/** Tokens that one event of decoding stands for. */
const CHUNK = 16;
/** Prompt tokens per second, relative to one step of decoding. */
const PREFILL_PER_STEP = 400;
/** Tokens that fit in the memory of a replica, per place. */
const ROOM = 900;

interface Sequence {
  readonly work: Work;
  readonly prompt: number;
  left: number;
  readonly room: number;
}

/** A replica of a language model: requests join the running batch when its cache has room; each step gives each a token. */
export class Model implements Replica {
  readonly name: string;
  machine: Machine | undefined;
  deadBy = -1;
  inBalance = true;
  private readonly rpc: Rpc;
  private readonly plan: ServicePlan;
  private readonly firstGpu: number;
  private waiting: Sequence[] = [];
  private running: Sequence[] = [];
  private used = 0;
  private life = 0;
  private isStepping = false;
  private crowdedBy = -1;

  constructor(rpc: Rpc, plan: ServicePlan, name: string, machine: Machine) {
    this.rpc = rpc;
    this.plan = plan;
    this.name = name;
    this.machine = machine;
    this.firstGpu = 0;
  }

  pending(): number {
    return this.waiting.length + this.running.length;
  }

  drop(by: number): void {
    for (const { work } of [...this.waiting, ...this.running]) work.call.blame = by;
    this.waiting = [];
    this.running = [];
    this.used = 0;
    this.life++;
    this.isStepping = false;
    this.measure();
  }

  serve(work: Work): void {
    if (this.deadBy >= 0) {
      work.call.blame = this.deadBy;
      return;
    }
    const { call, callNumber } = work;
    call.served_s = this.rpc.engine.now;
    const prompt = Math.round(80 + 1200 * randomOf(call.request, callNumber, 11) ** 2);
    const answer = Math.round(30 + 300 * randomOf(call.request, callNumber, 12) ** 2);
    if (call.blame >= 0) this.crowdedBy = call.blame;
    else if (this.crowdedBy >= 0) call.blame = this.crowdedBy;
    this.waiting.push({ work, prompt, left: answer, room: prompt + answer });
    if (!this.isStepping) this.step();
  }

  private hindrance(): Hindrance {
    const { engine } = this.rpc;
    const machine = this.machine!;
    // All GPUs of a replica wait for the slowest.
    let worst = engine.along([`service:${this.plan.name}`, serverKey(machine)]);
    const base = worst.factor;
    for (let gpu = this.firstGpu; gpu < machine.gpus; gpu++) {
      const one = engine.hindranceOf(gpuKey(machine, gpu));
      if (one.factor * base > worst.factor) worst = { factor: one.factor * base, by: one.by };
    }
    return worst;
  }

  private step(): void {
    const { engine, errors } = this.rpc;
    let prefill = 0;
    const most = ROOM * this.plan.places;
    while (this.waiting[0] && this.running.length < this.plan.places && this.used + this.waiting[0].room <= most) {
      const one = this.waiting.shift()!;
      this.running.push(one);
      this.used += one.room;
      prefill += one.prompt;
    }
    this.measure();
    this.isStepping = this.running.length > 0;
    if (!this.isStepping) {
      this.crowdedBy = -1;
      return;
    }
    const { factor, by } = this.hindrance();
    if (factor > 1.12) this.blame(by);
    else if (this.waiting.length === 0) this.crowdedBy = -1;
    if (factor === Number.POSITIVE_INFINITY) {
      this.isStepping = false;
      return;
    }
    // A step takes longer with more sequences, and prompts are read between steps.
    const steps = CHUNK * (0.7 + 0.3 * (this.running.length / this.plan.places)) + prefill / PREFILL_PER_STEP;
    const { life } = this;
    engine.after(steps * this.plan.work_s * factor, () => {
      if (life !== this.life) return;
      const stated = errors.get(this.plan.name);
      const wrong = stated?.status === REFUSED ? undefined : stated;
      this.running = this.running.filter((one) => {
        one.left -= CHUNK;
        if (one.left > 0) return true;
        this.used -= one.room;
        const fails = wrong !== undefined && randomOf(one.work.call.request, one.work.callNumber, 2) < wrong.share;
        if (fails) one.work.call.status = wrong.status;
        one.work.finish(!fails, fails ? wrong.by : one.work.call.blame);
        return false;
      });
      this.step();
    });
  }

  private blame(by: number): void {
    this.crowdedBy = by;
    for (const { work } of [...this.running, ...this.waiting]) work.call.blame = by;
  }

  private measure(): void {
    const { engine } = this.rpc;
    engine.measure(`waiting:${this.name}`, this.waiting.length);
    engine.measure(`running:${this.name}`, this.running.length);
    engine.measure(`cache:${this.name}`, this.used / (ROOM * this.plan.places));
  }
}
