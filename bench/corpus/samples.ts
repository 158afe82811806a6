import type { Chance } from './chance.ts';
import { Load } from './load.ts';
import type { SampleSeries } from './recording.ts';
import type { Outcome, Scenario } from './scenario.ts';
import { type Machine, machineRef, ref } from './site.ts';

interface Sampling {
  readonly scenario: Scenario;
  readonly outcome: Outcome;
  readonly chance: Chance;
  readonly length_s: number;
}

const rounded = (value: number): number => Math.round(value * 100) / 100;

/**
 * What exporters measure beside: power of machines, queues of services, and what a software cause itself moves. Most of
 * it follows from the incident and is no cause of it.
 */
export function samplesOf(sampling: Sampling): SampleSeries[] {
  const { scenario, outcome, chance, length_s } = sampling;
  const interval_s = chance.pick([10, 30, 60]);
  const every = (value: (at_s: number) => number) => {
    const rows: { at_s: number; value: number }[] = [];
    for (let at_s = chance.between(0, interval_s); at_s < length_s; at_s += interval_s)
      rows.push({ at_s, value: rounded(value(at_s)) });
    return rows;
  };
  const load = new Load(scenario.world.services, scenario);
  const machines = scenario.world.machines.map((machine): SampleSeries => {
    const normal_w = machine.gpus.length * chance.between(420, 680) + 900;
    const mine = scenario.machineEffects.filter((effect) => effect.machine === machine);
    const level = (at_s: number) =>
      mine.reduce(
        (left, { from_s, to_s, slow, fail }) => {
          if (at_s < from_s || at_s > to_s) return left;
          return Math.min(left, fail > 0 ? 1 - 0.6 * fail : 0.35 + 0.65 / slow);
        },
        busyness(scenario, machine, (name) => load.stateAt(name, at_s).rate),
      );
    const rows = every((at_s) => normal_w * level(at_s) * (1 + 0.02 * chance.normal()));
    return { entity: machineRef(machine), metric: 'hw.power', unit: 'W', rows };
  });
  const queues = scenario.world.services
    .filter(({ form }) => form === 'online')
    .map(({ name, median_ms }): SampleSeries => {
      const usual = chance.between(2, 9);
      const rows = every((at_s) => {
        const { parts } = load.stateAt(name, at_s);
        const mean = parts.reduce((sum, part) => sum + part.share * part.median_ms, 0);
        return Math.max(0, usual * (mean / median_ms) ** 1.5 * Math.exp(0.25 * chance.normal()));
      });
      return { entity: ref('service', name), metric: 'inference.queue.length', unit: '{request}', rows };
    });
  const moved = (outcome.moves ?? []).map(
    ({ service, metric, unit, normal: normal_w, during, from_s, to_s }): SampleSeries => {
      const rows = every(
        (at_s) => (at_s >= from_s && at_s <= to_s ? during : normal_w) * Math.exp(0.04 * chance.normal()),
      );
      return { entity: ref('service', service), metric, unit, rows };
    },
  );
  return [...machines, ...queues, ...moved];
}

/** A GPU that waits draws some two fifths of what it draws at work; more load than usual finds most of it drawn already. */
const [IDLE, MOST_BUSY] = [0.4, 1.25];

/** Power by the work that is there: all ranks of a job idle when one is waited for, and a surge is felt as power, too. */
function busyness(scenario: Scenario, machine: Machine, rateOf: (service: string) => number): number {
  const shares = scenario.servicesOn(machine).map(({ name, rate }) => rateOf(name) / rate);
  if (shares.length === 0) return 1;
  const work = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  return Math.min(MOST_BUSY, IDLE + (1 - IDLE) * work);
}
