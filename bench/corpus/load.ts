import type { MachineEffect, Scenario, ServiceEffect } from './scenario.ts';
import type { Machine, Service } from './site.ts';

/** Some requests of a service take `median_ms`, log-normally with the state's sigma. */
interface Part {
  readonly share: number;
  readonly median_ms: number;
}

/** How a service does at one instant. */
export interface ServiceState {
  readonly rate: number;
  /** Share of requests that fail, 0 to 1. */
  readonly errors: number;
  readonly sigma: number;
  readonly parts: readonly Part[];
}

type Effects = Pick<Scenario, 'machineEffects' | 'serviceEffects'>;
const none: Effects = { machineEffects: [], serviceEffects: [] };

/** How far an effect has come at `at_s`, 0 to 1; it lets go as slowly as it came. */
function depth(effect: MachineEffect | ServiceEffect, at_s: number): number {
  if (at_s < effect.from_s) return 0;
  if (at_s <= effect.to_s) return effect.ramp_s <= 0 ? 1 : Math.min(1, (at_s - effect.from_s) / effect.ramp_s);
  return effect.ramp_s <= 0 ? 0 : Math.max(0, 1 - (at_s - effect.to_s) / effect.ramp_s);
}

/** Queueing at what is left when machines drop out: not in full proportion, because services have headroom. */
const HEADROOM = 0.8;
/** Share of its callee's requests that a caller's own request waits for, and of its errors that it passes on. */
const PASSED_ON = 0.85;
/** Clients of a slow service ask less often: closed loops, timeouts, back-off. */
const BACK_OFF = 0.2;

/** The services of a world over time, with the effects of a scenario. */
export class Load {
  private readonly byName: ReadonlyMap<string, Service>;
  private readonly effects: Effects;
  private readonly touched: ReadonlySet<string>;

  constructor(services: readonly Service[], effects: Effects = none) {
    this.byName = new Map(services.map((service) => [service.name, service]));
    this.effects = effects;
    const hit = new Set(effects.machineEffects.map(({ machine }) => machine));
    const direct = services.filter(
      ({ name, machines }) =>
        machines.some((machine) => hit.has(machine)) || effects.serviceEffects.some(({ service }) => service === name),
    );
    this.touched = new Set(direct.map(({ name }) => name));
  }

  /** The service as its clients see it, what it waits for at others included. */
  stateAt(name: string, at_s: number): ServiceState {
    const service = this.byName.get(name)!;
    const own = this.ownState(service, at_s);
    if (service.form !== 'online' || service.calls.length === 0) return own;
    let { parts, errors, rate } = own;
    for (const callee of service.calls) {
      const normal = this.normalMedian(callee);
      const state = this.stateAt(callee, at_s);
      parts = merged(
        parts.flatMap((part) => [
          { share: part.share * (1 - PASSED_ON), median_ms: part.median_ms + normal },
          ...state.parts.map((theirs) => ({
            share: part.share * PASSED_ON * theirs.share,
            median_ms: part.median_ms + theirs.median_ms,
          })),
        ]),
      );
      errors = 1 - (1 - errors) * (1 - PASSED_ON * Math.max(0, state.errors - NORMAL_ERROR_RATE));
    }
    const mean = parts.reduce((sum, part) => sum + part.share * part.median_ms, 0);
    rate /= 1 + BACK_OFF * Math.max(0, mean / this.normalMedian(name) - 1);
    return { parts, errors, rate, sigma: own.sigma };
  }

  private normalMedian(name: string): number {
    const service = this.byName.get(name)!;
    if (service.form !== 'online') return service.median_ms;
    return service.median_ms + service.calls.reduce((sum, callee) => sum + this.normalMedian(callee), 0);
  }

  /** Without what it waits for at others. */
  ownState(service: Service, at_s: number): ServiceState {
    const { name, median_ms, sigma, rate } = service;
    if (!this.touched.has(name)) return { rate, errors: NORMAL_ERROR_RATE, sigma, parts: [{ share: 1, median_ms }] };
    const state = service.form === 'training' ? this.synchronous(service, at_s) : this.balanced(service, at_s);
    return this.withServiceEffects(service, state, at_s);
  }

  private machineAt(machine: Machine, at_s: number): { slow: number; fail: number; ejected: boolean } {
    let slow = 1;
    let fail = 0;
    let ejected = false;
    for (const effect of this.effects.machineEffects) {
      if (effect.machine !== machine) continue;
      const deep = depth(effect, at_s);
      if (deep === 0) continue;
      slow = Math.max(slow, 1 + (effect.slow - 1) * deep);
      fail = Math.max(fail, effect.fail * deep);
      ejected ||= at_s >= effect.ejected_s && effect.fail > 0;
    }
    return { slow, fail, ejected };
  }

  /** Requests spread over the machines that the balancer believes in. */
  private balanced({ machines, median_ms, sigma, rate }: Service, at_s: number): ServiceState {
    const all = machines.map((machine) => this.machineAt(machine, at_s));
    const remaining = all.filter(({ ejected }) => !ejected);
    const active = remaining.length > 0 ? remaining : all;
    const crowded = 1 + HEADROOM * (all.length / active.length - 1);
    const share = 1 / active.length;
    const parts = merged(active.map(({ slow }) => ({ share, median_ms: median_ms * slow * crowded })));
    const errors = NORMAL_ERROR_RATE + active.reduce((sum, { fail }) => sum + share * fail, 0);
    const mean = parts.reduce((sum, part) => sum + part.share * part.median_ms, 0) / median_ms;
    return { parts, sigma, errors: Math.min(1, errors), rate: rate / (1 + BACK_OFF * (mean - 1)) };
  }

  /** Every step waits for the slowest rank; a rank that is gone stops the job. */
  private synchronous({ machines, median_ms, sigma, rate }: Service, at_s: number): ServiceState {
    const all = machines.map((machine) => this.machineAt(machine, at_s));
    const slow = Math.max(...all.map((one) => one.slow));
    const stopped = all.some(({ fail }) => fail > 0.05);
    return { parts: [{ share: 1, median_ms: median_ms * slow }], sigma, errors: 0, rate: stopped ? 0 : rate / slow };
  }

  private withServiceEffects(service: Service, state: ServiceState, at_s: number): ServiceState {
    let { parts, errors, rate } = state;
    for (const effect of this.effects.serviceEffects) {
      const deep = effect.service === service.name ? depth(effect, at_s) : 0;
      if (deep === 0) continue;
      const slow = 1 + (effect.slow - 1) * deep;
      parts = merged(
        parts.flatMap(({ share, median_ms }) => [
          { share: share * (1 - effect.share), median_ms },
          { share: share * effect.share, median_ms: median_ms * slow },
        ]),
      );
      errors = Math.min(1, errors + effect.fail * deep);
      rate *= 1 + (effect.demand - 1) * deep;
      if (service.form === 'training') rate /= 1 + (slow - 1) * effect.share;
    }
    return { ...state, parts, errors, rate };
  }
}

const NORMAL_ERROR_RATE = 0.0004;

/** Parts of nearly one median are one part. */
function merged(parts: readonly Part[]): Part[] {
  const groups = new Map<number, { share: number; sum: number }>();
  for (const { share, median_ms } of parts) {
    if (share < 1e-4) continue;
    const key = Math.round(Math.log2(median_ms) * 8);
    const group = groups.get(key) ?? { share: 0, sum: 0 };
    group.share += share;
    group.sum += share * median_ms;
    groups.set(key, group);
  }
  return [...groups.values()].map(({ share, sum }) => ({ share, median_ms: sum / share }));
}

/** Standard normal below x (Abramowitz and Stegun 26.2.17; error below 1e-7). */
function normalBelow(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const tail =
    0.3989422804014327 *
    Math.exp((-x * x) / 2) *
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return x >= 0 ? 1 - tail : tail;
}

/** Share of the requests of these states that take at most `ms`. */
export function shareBelow(states: readonly ServiceState[], ms: number): number {
  let below = 0;
  for (const { parts, sigma } of states)
    for (const { share, median_ms } of parts) below += share * normalBelow(Math.log(ms / median_ms) / sigma);
  return below / states.length;
}

const Z = { 0.5: 0, 0.99: 2.3263478740408408 } as const;

/** Milliseconds within which this share of the requests of several instants is answered. */
export function quantile(states: readonly ServiceState[], q: 0.5 | 0.99): number {
  const [first] = states;
  const [part] = first?.parts ?? [];
  if (!first || !part) return Number.NaN;
  const plain = states.every(({ parts }) => parts.length === 1 && parts[0]?.median_ms === part.median_ms);
  if (plain) return part.median_ms * Math.exp(Z[q] * first.sigma);
  let low = 0.01;
  let high = 1e7;
  for (let i = 0; i < 36; i++) {
    const middle = Math.sqrt(low * high);
    if (shareBelow(states, middle) < q) low = middle;
    else high = middle;
  }
  return high;
}
