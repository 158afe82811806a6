import { nanoseconds } from '../../../../model/time.ts';
import type { CaseFacts, PatternEvent } from '../case-facts.ts';
import { type Episode, episodes, eventLines } from '../episodes.ts';
import { count, lengthText, nameList, secondsBetween } from '../finding-text.ts';
import { lacks, type Pattern, type Sign } from '../pattern.ts';
import { feedEvents, supplyEvents } from './feeds.ts';
import { facilityPatterns } from './parameters.ts';

export const feedFailover: Pattern = {
  id: 'feed-failover',
  detect: (facts) => {
    const supplies = supplyEvents(facts);
    return episodes(feedEvents(facts), undefined, facilityPatterns.failoverApartSeconds).flatMap(
      (episode) => toSign(facts, episode, supplies) ?? [],
    );
  },
};

/** undefined: the recorded machines rode through, as designed. */
function toSign(facts: CaseFacts, episode: Episode, supplies: readonly PatternEvent[]): Sign | undefined {
  const { events, entities, start_ns, end_ns } = episode;
  const [first] = events;
  const feed = entities[0] ?? -1;
  const graph = facts.at(start_ns);
  const reached = graph.machinesBelow(feed);
  const machines = [...reached].filter((key) => facts.isKind(key, 'server', 'instance', 'node'));
  const effects = supplies.filter(
    ({ entity, time_ns }) =>
      (graph.below(feed).has(entity) || reached.has(facts.machineOf(entity, start_ns))) &&
      time_ns >= start_ns - nanoseconds(facilityPatterns.failoverBeforeSeconds) &&
      time_ns <= end_ns + nanoseconds(facilityPatterns.failoverAfterSeconds),
  );
  const isMentioned = (machine: number) =>
    [...facts.machineWithParts(machine, start_ns)].some(
      (part) =>
        facts.isMeasured([part], ['hw.status', 'hw.power.input']) ||
        facts.of('psu_failover', 'psu_failure', 'psu_restored').some(({ entity }) => entity === part),
    );
  const silent = machines.filter((machine) => !isMentioned(machine));
  // A UPS on battery still supplies power, and outlets are switched on purpose: only lost supplies make a failover.
  const isBridged = facts.isKind(feed, 'ups') || events.every(({ type }) => type === 'outlet_off');
  if (effects.length === 0 && (isBridged || (machines.length > 0 && silent.length === 0))) return undefined;
  const hit = [...new Set(effects.map(({ entity }) => facts.machineOf(entity, start_ns)))];
  const what = `${first.device_id}: ${first.message || first.type.replaceAll('_', ' ')}`;
  const took =
    effects.length === 0
      ? 'effect on the machines unknown'
      : `${hit.length} of ${count(machines.length, 'machine')} lost a supply or failed over${within(start_ns, effects)} (${nameList(hit.map((key) => facts.name(key)))})`;
  return {
    headline: `${what}; ${took}.`,
    severity: effects.length > 0 ? 'high' : machines.length > 0 ? 'medium' : 'low',
    start_ns,
    end_ns: effects.reduce((last, { time_ns }) => (time_ns > last ? time_ns : last), end_ns),
    entities: [...entities, ...hit],
    evidence: [...eventLines(events), ...eventLines(effects)],
    missing: [
      ...lacks(machines.length > 0, 'topology', `the topology does not contain the entities fed by ${first.device_id}`),
      ...lacks(
        silent.length === 0,
        'server',
        `no PSU data of ${nameList(silent.map((key) => facts.name(key)))}: failover unknown`,
      ),
    ],
  };
}

function within(start_ns: bigint, effects: readonly PatternEvent[]): string {
  const last = Math.max(...effects.map(({ time_ns }) => secondsBetween(start_ns, time_ns)));
  return last > 0 ? ` within ${lengthText(last)}` : '';
}
