import { randomOf, tailed } from './chance.ts';
import type { Engine, Hindrance } from './engine.ts';
import { nicKey, serverKey } from './plant.ts';
import type { Machine, Site } from './site.ts';
import type { CallPlan, ServicePlan } from './site-work.ts';

/** A call as its caller saw it; the one from outside has no caller. */
export interface Call {
  readonly id: number;
  readonly parent: number;
  readonly request: number;
  readonly service: string;
  /** What was asked of it, as its handler is called. */
  readonly route: string;
  readonly caller: string;
  readonly from_s: number;
  took_s: number;
  ok: boolean;
  /** When and where it was served; NaN: it did not get there. */
  served_s: number;
  served_until_s: number;
  servedOk: boolean;
  replica: string;
  machine: Machine | undefined;
  /** The event to blame where it was slow or failed; -1: none. */
  blame: number;
  /** How it failed: a status of HTTP. */
  status: number;
}

/** Serves calls of one service in one process. */
export interface Replica {
  readonly name: string;
  machine: Machine | undefined;
  /** The event that took the process; -1: it runs. */
  deadBy: number;
  inBalance: boolean;
  serve(work: Work): void;
  /** How many wait and are served. */
  pending(): number;
  /** What it held is lost. */
  drop(by: number): void;
}

/** What a call asks of a replica. */
export interface Work {
  readonly call: Call;
  /** Which of the site's calls of this request, so that its random numbers stay the same. */
  readonly callNumber: number;
  readonly finish: (ok: boolean, blame: number) => void;
}

/** Failures of one caller at one service. */
interface Breaker {
  failures: number;
  openUntil_s: number;
  by: number;
}

export const EXTRA = 1_000_000;
/** No handshake: the request is never served. */
export const REFUSED = 525;
const CONNECT_S = 1;
const BREAKS_AT = 8;
const OPEN_S = 15;
/** s of a call's way, and what each further unit of hindrance of the network adds. */
const WAY_S = 0.0004;
const PER_HINDRANCE_S = 0.004;

/** How calls find replicas, wait, fail and are tried again. */
export class Rpc {
  readonly calls: Call[] = [];
  readonly replicas = new Map<string, Replica[]>();
  /** Share of a service's requests that fail, by the event that made them. */
  readonly errors = new Map<string, { readonly share: number; readonly by: number; readonly status: number }>();
  /** When a cache lost what it held. */
  /** The event that brings requests beyond those of every day, whose numbers begin at {@link EXTRA}. */
  surgeBy = -1;
  readonly lostCaches = new Map<string, { readonly at_s: number; readonly by: number; readonly refill_s: number }>();
  readonly site: Site;
  readonly engine: Engine;
  readonly services: ReadonlyMap<string, ServicePlan>;
  private readonly numbers: ReadonlyMap<string, number>;
  private readonly breakers = new Map<string, Breaker>();

  constructor(site: Site, engine: Engine) {
    this.site = site;
    this.engine = engine;
    this.services = new Map(site.services.map((service) => [service.name, service]));
    this.numbers = new Map(site.services.map(({ name }, i) => [name, i]));
  }

  /** Calls a service, again and again where the plan says so. */
  call(
    plan: CallPlan,
    from: { readonly call: Call | undefined; readonly machine: Machine | undefined; readonly request: number },
    done: (ok: boolean, blame: number) => void,
    attempt = 0,
  ): void {
    const { engine } = this;
    const caller = from.call?.service ?? '';
    const breaker = plan.breaks ? this.breakerOf(`${caller}>${plan.to}`) : undefined;
    if (breaker && breaker.openUntil_s > engine.now) {
      engine.after(0.001, () => done(false, breaker.by));
      return;
    }
    const call = this.begun(plan.to, caller, from);
    let isSettled = false;
    const settle = (ok: boolean, blame: number, status: number): void => {
      if (isSettled) return;
      isSettled = true;
      call.took_s = engine.now - call.from_s;
      call.ok = ok;
      if (blame >= 0) call.blame = blame;
      if (!ok) call.status = status;
      if (breaker) this.counted(breaker, ok, blame);
      if (ok || attempt >= plan.retries) done(ok, call.blame);
      else engine.after(0.05 * 2 ** attempt, () => this.call(plan, from, done, attempt + 1));
    };
    this.send(call, plan, from.machine, attempt, settle);
  }

  private begun(
    service: string,
    caller: string,
    { call: parent, request }: { readonly call: Call | undefined; readonly request: number },
  ): Call {
    const call: Call = {
      id: this.calls.length,
      parent: parent?.id ?? -1,
      request,
      service,
      // What needs a model is asked for by another name.
      route: this.due(service, request).some(({ to }) => this.services.get(to)!.kind === 'inference')
        ? 'chat'
        : 'handle',
      caller,
      from_s: this.engine.now,
      took_s: Number.NaN,
      ok: false,
      served_s: Number.NaN,
      served_until_s: Number.NaN,
      servedOk: false,
      replica: '',
      machine: undefined,
      blame: request >= EXTRA ? this.surgeBy : -1,
      status: 200,
    };
    this.calls.push(call);
    return call;
  }

  /** The calls that a request makes of a service: the same ones when it is tried again. */
  due(service: string, request: number): readonly CallPlan[] {
    const salt = this.numbers.get(service)! * 16;
    return this.services.get(service)!.calls.filter(({ share }, i) => randomOf(request, salt + i, 7) < share);
  }

  private send(
    call: Call,
    plan: CallPlan,
    from: Machine | undefined,
    attempt: number,
    settle: (ok: boolean, blame: number, status: number) => void,
  ): void {
    const { engine } = this;
    const callNumber = this.numbers.get(plan.to)! * 16 + attempt;
    const replica = this.choose(plan.to, call.request + attempt);
    if (!replica) {
      const by = this.replicas.get(plan.to)!.find(({ deadBy }) => deadBy >= 0)?.deadBy ?? -1;
      engine.after(0.003, () => settle(false, by, 503));
      return;
    }
    call.replica = replica.name;
    call.machine = replica.machine;
    const way = this.way(from, replica.machine);
    const host = replica.machine ? engine.hindranceOf(serverKey(replica.machine)) : way;
    const stop =
      way.factor === Number.POSITIVE_INFINITY ? way : host.factor === Number.POSITIVE_INFINITY ? host : undefined;
    if (stop) {
      engine.after(Math.min(CONNECT_S, plan.timeout_s), () => settle(false, stop.by, 504));
      return;
    }
    if (replica.deadBy >= 0) {
      engine.after(0.002, () => settle(false, replica.deadBy, 503));
      return;
    }
    const refused = this.errors.get(plan.to);
    if (refused?.status === REFUSED && randomOf(call.request, callNumber, 2) < refused.share) {
      engine.after(0.003, () => settle(false, refused.by, REFUSED));
      return;
    }
    const slow =
      way.factor > 1 ? (way.factor - 1) * PER_HINDRANCE_S * (0.3 + 1.4 * randomOf(call.request, callNumber, 3)) : 0;
    const way_s = WAY_S + slow;
    engine.after(way_s, () =>
      replica.serve({
        call,
        callNumber,
        finish: (ok, blame) => {
          call.servedOk = ok;
          call.served_until_s = engine.now;
          const to = blame >= 0 ? blame : slow > 0.003 ? way.by : -1;
          engine.after(way_s, () => settle(ok, to, call.status === 200 ? 500 : call.status));
        },
      }),
    );
    engine.after(plan.timeout_s, () => {
      const own = Number.isNaN(call.served_s) ? -1 : engine.hindranceOf(`service:${plan.to}`).by;
      settle(false, call.blame >= 0 ? call.blame : Math.max(own, host.by, way.by), 504);
    });
  }

  /** The next replica that is in the balance, by turns. */
  private choose(service: string, turn: number): Replica | undefined {
    const all = this.replicas.get(service)!;
    for (let i = 0; i < all.length; i++) {
      const one = all[(turn + i) % all.length]!;
      if (one.inBalance) return one;
    }
    return undefined;
  }

  private way(from: Machine | undefined, to: Machine | undefined): Hindrance {
    if (!to || from === to) return this.engine.hindranceOf('network:nowhere');
    const stops = [nicKey(to, 0), `switch:${to.rack.row.tor}`];
    if (from) stops.push(nicKey(from, 0), serverKey(from));
    if (from && from.rack.row !== to.rack.row) stops.push(`switch:${from.rack.row.tor}`, 'network:spines');
    return this.engine.along(stops);
  }

  private breakerOf(key: string): Breaker {
    let one = this.breakers.get(key);
    if (!one) {
      one = { failures: 0, openUntil_s: 0, by: -1 };
      this.breakers.set(key, one);
    }
    return one;
  }

  private counted(breaker: Breaker, ok: boolean, blame: number): void {
    if (ok) breaker.failures = Math.max(0, breaker.failures - 1);
    else if (++breaker.failures >= BREAKS_AT) {
      breaker.failures = 0;
      breaker.openUntil_s = this.engine.now + OPEN_S;
      breaker.by = blame;
    }
  }

  /** Whether a cache knows the answer. */
  isHit(cache: string, request: number): boolean {
    const lost = this.lostCaches.get(cache);
    const filled = lost ? 1 - Math.exp(-(this.engine.now - lost.at_s) / lost.refill_s) : 1;
    return randomOf(request, 991, this.numbers.get(cache) ?? 0) < 0.85 * filled;
  }
}

/** A replica of a service that works, calls others, and answers. */
export class Worker implements Replica {
  readonly name: string;
  machine: Machine | undefined;
  deadBy = -1;
  inBalance = true;
  private readonly rpc: Rpc;
  private readonly plan: ServicePlan;
  private queue: Work[] = [];
  private serving = 0;
  /** Calls of an earlier life do not count. */
  private life = 0;
  /** What made this one slow last, while calls wait for it. */
  private crowdedBy = -1;

  constructor(rpc: Rpc, plan: ServicePlan, name: string, machine: Machine | undefined) {
    this.rpc = rpc;
    this.plan = plan;
    this.name = name;
    this.machine = machine;
  }

  pending(): number {
    return this.queue.length + this.serving;
  }

  drop(by: number): void {
    const { queue } = this;
    this.queue = [];
    this.serving = 0;
    this.life++;
    for (const { call } of queue) call.blame = by;
  }

  serve(work: Work): void {
    if (this.deadBy >= 0) {
      work.call.blame = this.deadBy;
      return;
    }
    work.call.served_s = this.rpc.engine.now;
    if (this.serving < this.plan.places) this.begin(work);
    else {
      if (this.crowdedBy >= 0) work.call.blame = this.crowdedBy;
      this.queue.push(work);
    }
  }

  private begin(work: Work): void {
    const { engine, errors } = this.rpc;
    const { call, callNumber } = work;
    this.serving++;
    const { life } = this;
    const hindrance = this.hindrance();
    if (call.blame >= 0) this.crowdedBy = call.blame;
    if (hindrance.factor > 1.15) this.crowdedBy = call.blame = hindrance.by;
    if (hindrance.factor === Number.POSITIVE_INFINITY) return;
    const stated = errors.get(this.plan.name);
    const wrong = stated?.status === REFUSED ? undefined : stated;
    const seconds = this.plan.work_s * tailed(randomOf(call.request, callNumber, 1)) * hindrance.factor;
    engine.after(seconds, () => {
      if (life !== this.life) return;
      if (wrong && randomOf(call.request, callNumber, 2) < wrong.share) {
        call.status = wrong.status;
        this.end(work, life, false, wrong.by);
      } else this.callOn(work, life);
    });
  }

  private hindrance(): Hindrance {
    const { engine } = this.rpc;
    const keys = [`service:${this.plan.name}`];
    if (this.machine) keys.push(serverKey(this.machine));
    if (this.plan.readsFiles) keys.push('storage:data', 'storage:metadata');
    return engine.along(keys);
  }

  private callOn(work: Work, life: number): void {
    const { call } = work;
    const { rpc } = this;
    const from = { call, machine: this.machine, request: call.request };
    const due = rpc.due(this.plan.name, call.request);
    let ok = true;
    let left = due.length;
    const one = (plan: CallPlan, then: () => void): void => {
      const direct = (): void =>
        rpc.call(plan, from, (fine, by) => {
          if (by >= 0) call.blame = by;
          if (!fine) ok = false;
          then();
        });
      if (plan.behind === undefined) return direct();
      const cache = plan.behind;
      rpc.call({ ...plan, to: cache, timeout_s: 0.25, retries: 0, breaks: false }, from, (fine, by) => {
        if (fine && rpc.isHit(cache, call.request)) return then();
        const lost = rpc.lostCaches.get(cache);
        if (fine && lost) call.blame = lost.by;
        else if (by >= 0) call.blame = by;
        direct();
      });
    };
    const finished = (): void => this.end(work, life, ok, call.blame);
    if (left === 0) finished();
    else if (this.plan.inParallel)
      for (const plan of due)
        one(plan, () => {
          if (--left === 0) finished();
        });
    else {
      const next = (i: number): void => (i >= due.length || !ok ? finished() : one(due[i]!, () => next(i + 1)));
      next(0);
    }
  }

  private end(work: Work, life: number, ok: boolean, blame: number): void {
    if (life !== this.life) return;
    this.serving--;
    work.finish(ok, blame);
    if (blame >= 0) this.crowdedBy = blame;
    const next = this.queue.shift();
    if (next) this.begin(next);
    else if (this.serving < this.plan.places / 2) this.crowdedBy = -1;
  }
}
