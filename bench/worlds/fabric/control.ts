import type { Engine } from './engine.ts';
import { serverKey } from './plant.ts';
import { type Replica, type Rpc, Worker } from './rpc.ts';
import type { Machine, Site } from './site.ts';
import type { ServicePlan } from './site-work.ts';
import type { Training } from './training.ts';

const PROBE_S = 15;
const NOT_READY_S = 40;
const SCALE_S = 30;

/** What looks after processes: probes, moves, scales, and takes jobs from machines that are gone. */
export class Control {
  private readonly site: Site;
  private readonly engine: Engine;
  private readonly rpc: Rpc;
  private readonly jobs: readonly Training[];
  private readonly stopped = new Set<string>();
  private added = 0;

  constructor(site: Site, engine: Engine, rpc: Rpc, jobs: readonly Training[]) {
    this.site = site;
    this.engine = engine;
    this.rpc = rpc;
    this.jobs = jobs;
    for (const machine of site.machines) engine.watch(serverKey(machine), () => this.review(machine));
    for (const plan of site.services.filter(({ scales }) => scales)) this.scale(plan);
  }

  replicasOn(machine: Machine): readonly { readonly service: ServicePlan; readonly replica: Replica }[] {
    return this.site.services.flatMap((service) =>
      this.rpc.replicas
        .get(service.name)!
        .flatMap((replica) => (replica.machine === machine ? [{ service, replica }] : [])),
    );
  }

  /** A process ends and is started again. */
  kill(replica: Replica, by: number, back_s: number, type = 'process_killed'): number {
    const { engine } = this;
    const id = engine.note(type, `pod:${replica.name}`, [by], { machine: replica.machine?.name ?? '' });
    replica.drop(id);
    replica.deadBy = id;
    engine.after(PROBE_S * 0.4, () => {
      if (replica.deadBy === id) replica.inBalance = false;
    });
    engine.after(back_s, () => {
      if (replica.deadBy !== id) return;
      if (replica.machine && this.isStopped(replica.machine)) return;
      this.start(replica, id);
    });
    return id;
  }

  private start(replica: Replica, by: number): void {
    replica.drop(by);
    replica.deadBy = -1;
    replica.inBalance = true;
    this.engine.note('process_started', `pod:${replica.name}`, [by], { machine: replica.machine?.name ?? '' });
  }

  private isStopped(machine: Machine): boolean {
    return this.engine.hindranceOf(serverKey(machine)).factor === Number.POSITIVE_INFINITY;
  }

  private review(machine: Machine): void {
    const isStopped = this.isStopped(machine);
    if (isStopped === this.stopped.has(machine.name)) return;
    const { by } = this.engine.hindranceOf(serverKey(machine));
    if (isStopped) {
      this.stopped.add(machine.name);
      this.lost(machine, by);
    } else {
      this.stopped.delete(machine.name);
      this.engine.note('node_ready', `node:${machine.name}`, [by]);
      for (const { replica } of this.replicasOn(machine))
        if (replica.deadBy >= 0) this.engine.after(12, () => this.start(replica, -1));
    }
  }

  private lost(machine: Machine, by: number): void {
    const { engine } = this;
    for (const { replica } of this.replicasOn(machine)) {
      replica.drop(by);
      replica.deadBy = by;
      engine.after(PROBE_S, () => {
        if (replica.machine === machine && this.isStopped(machine)) replica.inBalance = false;
      });
    }
    engine.after(NOT_READY_S, () => {
      if (!this.isStopped(machine)) return;
      const id = engine.note('node_not_ready', `node:${machine.name}`, [by]);
      for (const job of this.jobs)
        if (job.machines.includes(machine)) engine.after(30, () => this.isStopped(machine) && job.end('node_fail', id));
      engine.after(60, () => this.move(machine, id));
    });
  }

  /** Processes of a machine that stays away start on others of its kind. */
  private move(machine: Machine, by: number): void {
    if (!this.isStopped(machine)) return;
    for (const { service, replica } of this.replicasOn(machine)) {
      const others = this.site.machines.filter(
        (one) =>
          one !== machine &&
          !this.isStopped(one) &&
          (service.kind === 'inference' ? this.site.spare.includes(one) : one.role === machine.role),
      );
      const next = others[(machine.index + replica.name.length) % Math.max(1, others.length)];
      if (!next || service.kind === 'database') continue;
      const id = this.engine.note('pod_moved', `pod:${replica.name}`, [by], { machine: next.name });
      replica.machine = next;
      this.engine.after(
        service.kind === 'inference' ? 120 : 20,
        () => !this.isStopped(next) && this.start(replica, id),
      );
    }
  }

  /** Adds a replica where calls wait. */
  private scale(plan: ServicePlan): void {
    const { engine, rpc } = this;
    engine.after(SCALE_S, () => {
      const replicas = rpc.replicas.get(plan.name)!;
      const pending = replicas.reduce((sum, replica) => sum + replica.pending(), 0);
      if (pending > replicas.length * plan.places && replicas.length < 2 * plan.hosts.length) {
        const machine = plan.hosts[this.added % plan.hosts.length]!;
        const id = engine.note('scaled_up', `service:${plan.name}`, [], { replicas: replicas.length + 1 });
        const one = new Worker(rpc, plan, `${plan.name}-x${++this.added}`, machine);
        engine.after(25, () => {
          if (this.isStopped(machine)) return;
          replicas.push(one);
          engine.note('process_started', `pod:${one.name}`, [id], { machine: machine.name });
        });
      }
      this.scale(plan);
    });
  }
}
