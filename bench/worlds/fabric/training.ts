import { randomOf } from './chance.ts';
import type { Engine, Hindrance } from './engine.ts';
import { gpuKey, nicKey, serverKey } from './plant.ts';
import type { Machine, Site } from './site.ts';
import type { JobPlan } from './site-work.ts';

/** One step of a job. */
export interface Step {
  readonly job: string;
  readonly number: number;
  readonly from_s: number;
  readonly took_s: number;
  readonly blame: number;
}

const RETRY_S = 3;

/** A distributed job: as fast as its slowest rank, and stopped by any that is. */
export class Training {
  readonly plan: JobPlan;
  readonly steps: Step[] = [];
  machines: Machine[];
  state: 'running' | 'stalled' | 'ended' = 'running';
  private readonly site: Site;
  private readonly engine: Engine;
  private readonly spare: Machine[];
  private number = 0;
  private life = 0;
  private stalledAt_s = Number.NaN;
  private sinceStart = 0;

  constructor(site: Site, engine: Engine, plan: JobPlan, spare: Machine[]) {
    this.site = site;
    this.engine = engine;
    this.plan = plan;
    this.machines = [...plan.machines];
    this.spare = spare;
    this.number = 1200 + Math.floor(5000 * randomOf(plan.id, 1, site.seed));
    this.engine.measure(`busy:${plan.name}`, 1);
  }

  begin(): void {
    const { life } = this;
    const { factor, by } = this.stepTime();
    if (factor === Number.POSITIVE_INFINITY) return this.stall(by);
    if (this.state === 'stalled') this.engine.note('job_resumed', `job:${this.plan.name}`, [by]);
    this.state = 'running';
    this.stalledAt_s = Number.NaN;
    const from_s = this.engine.now;
    this.engine.after(factor, () => {
      if (life !== this.life) return;
      const { worst } = this.interruption();
      // A step in which a rank went away never ends.
      if (worst.factor === Number.POSITIVE_INFINITY) return this.stall(worst.by);
      this.number++;
      this.sinceStart++;
      this.steps.push({
        job: this.plan.name,
        number: this.number,
        from_s,
        took_s: this.engine.now - from_s,
        blame: by,
      });
      this.begin();
    });
  }

  /** Seconds of the next step, and what makes them more than usual. */
  private stepTime(): Hindrance {
    const { plan, engine } = this;
    const { machines, network, storage, worst } = this.interruption();
    if (worst.factor === Number.POSITIVE_INFINITY) return worst;
    const own = engine.hindranceOf(`job:${plan.name}`);
    const saves = this.number % plan.checkpoint === 0 ? 2 * storage.factor : 0;
    const compute = 1 - plan.exchange - plan.loading;
    const shape = compute * machines.factor + plan.exchange * network.factor + plan.loading * storage.factor + saves;
    const noise = 0.97 + 0.06 * randomOf(plan.id, this.number, this.site.seed);
    return { factor: plan.step_s * shape * own.factor * noise, by: own.factor > 1.1 ? own.by : worst.by };
  }

  private interruption() {
    const { engine } = this;
    const none: Hindrance = { factor: 1, by: -1 };
    const more = (a: Hindrance, b: Hindrance): Hindrance => (b.factor > a.factor ? b : a);
    let machines = none;
    let network = none;
    const rows = new Set(this.machines.map(({ rack }) => rack.row));
    for (const machine of this.machines) {
      machines = more(machines, engine.hindranceOf(serverKey(machine)));
      for (let gpu = 0; gpu < machine.gpus; gpu++) machines = more(machines, engine.hindranceOf(gpuKey(machine, gpu)));
      if (this.machines.length > 1)
        for (let rail = 1; rail <= this.site.rails; rail++)
          network = more(network, engine.along([nicKey(machine, rail), `switch:${machine.rack.row.leafs[rail - 1]}`]));
    }
    if (rows.size > 1) network = more(network, engine.hindranceOf('network:spines'));
    const storage = this.site.stores.length > 0 ? engine.along(['storage:data', 'storage:metadata']) : none;
    return { machines, network, storage, worst: more(more(machines, network), storage) };
  }

  private stall(by: number): void {
    const { engine, plan, life } = this;
    if (Number.isNaN(this.stalledAt_s)) {
      this.stalledAt_s = engine.now;
      this.state = 'stalled';
      engine.note('job_stalled', `job:${plan.name}`, [by]);
    }
    if (engine.now - this.stalledAt_s > plan.timeout_s) {
      this.end('collective_timeout', engine.note('collective_timeout', `job:${plan.name}`, [by]));
      return;
    }
    engine.after(RETRY_S, () => {
      if (life === this.life) this.begin();
    });
  }

  /** The job's processes end; where the scheduler queues it again, it starts on machines that are whole. */
  end(reason: string, by: number, again = this.plan.requeues): void {
    if (this.state === 'ended') return;
    const { engine, plan } = this;
    this.life++;
    this.state = 'ended';
    this.stalledAt_s = Number.NaN;
    engine.measure(`busy:${plan.name}`, 0);
    const id = engine.note('job_ended', `job:${plan.name}`, [by], { reason });
    if (again) engine.after(60 + 120 * randomOf(plan.id, 3, this.site.seed), () => this.restart(id));
  }

  private restart(by: number): void {
    const { engine, plan } = this;
    const whole = (machine: Machine): boolean =>
      engine.hindranceOf(serverKey(machine)).factor !== Number.POSITIVE_INFINITY &&
      Array.from({ length: machine.gpus }, (_, gpu) => gpuKey(machine, gpu)).every(
        (key) => engine.hindranceOf(key).factor !== Number.POSITIVE_INFINITY,
      );
    const left = this.machines.filter(whole);
    while (left.length < this.machines.length) {
      const i = this.spare.findIndex(whole);
      if (i < 0) break;
      left.push(...this.spare.splice(i, 1));
    }
    if (left.length < this.machines.length) {
      engine.after(30, () => this.restart(by));
      return;
    }
    this.machines = left;
    this.state = 'running';
    this.number -= this.sinceStart % plan.checkpoint;
    this.sinceStart = 0;
    engine.measure(`busy:${plan.name}`, 1);
    engine.note('job_started', `job:${plan.name}`, [by]);
    // Libraries and files are loaded before the first step.
    engine.after(40, () => {
      if (this.state === 'running') this.begin();
    });
  }
}
