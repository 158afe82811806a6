import { randomOf } from './chance.ts';
import { Control } from './control.ts';
import { Engine } from './engine.ts';
import type { Fault } from './fault.ts';
import { Model } from './inference.ts';
import { Plant } from './plant.ts';
import { type Call, EXTRA, type Replica, Rpc, Worker } from './rpc.ts';
import type { Site } from './site.ts';
import { Training } from './training.ts';

/** What one course of events left behind. */
export interface Run {
  readonly site: Site;
  readonly engine: Engine;
  readonly plant: Plant;
  readonly rpc: Rpc;
  readonly control: Control;
  readonly jobs: readonly Training[];
  readonly calls: readonly Call[];
  /** Event of each fault's beginning. */
  readonly begun: ReadonlyMap<Fault, number>;
}

/** What faults act on. */
export interface Stage extends Omit<Run, 'calls' | 'begun'> {
  /** Changes the rate of requests from outside. */
  surge: { factor: number; by: number };
}

/** Plays the site with these faults. The same requests come with the same needs, whatever happens. */
export function simulate(site: Site, faults: readonly Fault[]): Run {
  const engine = new Engine();
  const plant = new Plant(site, engine);
  const rpc = new Rpc(site, engine);
  for (const plan of site.services)
    rpc.replicas.set(
      plan.name,
      plan.hosts.length === 0
        ? [new Worker(rpc, plan, plan.name, undefined)]
        : plan.hosts.map((machine, i): Replica => {
            const name = `${plan.name}-${suffix(plan.name, i, site.seed)}`;
            return plan.kind === 'inference'
              ? new Model(rpc, plan, name, machine)
              : new Worker(rpc, plan, name, machine);
          }),
    );
  const spare = [...site.spare];
  const jobs = site.jobs.map((plan) => new Training(site, engine, plan, spare));
  const control = new Control(site, engine, rpc, jobs);
  const stage: Stage = { site, engine, plant, rpc, control, jobs, surge: { factor: 1, by: -1 } };
  arrivals(stage);
  for (const job of jobs) engine.at(randomOf(job.plan.id, 2, site.seed) * job.plan.step_s, () => job.begin());
  const begun = new Map<Fault, number>();
  for (const fault of faults)
    engine.at(fault.at_s, () => {
      const id = engine.note(fault.family, fault.subject, [], { fault: fault.family });
      begun.set(fault, id);
      fault.begin(stage, id);
    });
  engine.run(site.seconds);
  return { ...stage, calls: rpc.calls, begun };
}

const suffix = (name: string, i: number, seed: number): string => {
  const letters = 'bcdfghjklmnpqrstvwxz2456789';
  let text = '';
  for (let k = 0; k < 5; k++)
    text += letters[Math.floor(randomOf(seed * 31 + i, name.length * 7 + k, 21) * letters.length)];
  return text;
};

/** Requests from outside. More of them come in a surge; those of every day keep their numbers and times. */
function arrivals(stage: Stage): void {
  const { site, engine, rpc } = stage;
  for (const { name, rate } of site.services.filter((service) => service.rate > 0)) {
    const plan = { to: name, share: 1, timeout_s: 60, retries: 0, breaks: false };
    const send = (request: number): void =>
      rpc.call(plan, { call: undefined, machine: undefined, request }, () => undefined);
    const next = (number: number): void => {
      const gap_s = -Math.log(1 - randomOf(number, 17, site.seed)) / rate;
      engine.after(gap_s, () => {
        send(number);
        // The additional ones of a surge have numbers of their own.
        for (let k = 1; k < stage.surge.factor; k++)
          engine.after(randomOf(number, 18 + k, site.seed) / rate, () => send(EXTRA * k + number));
        next(number + 1);
      });
    };
    next(1);
  }
}
