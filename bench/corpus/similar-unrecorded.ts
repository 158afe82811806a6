import { layerOf } from '../../src/model/entity.ts';
import type { EntityRef } from './label.ts';
import type { Happening, Outcome, Scenario } from './scenario.ts';
import { ref, type World } from './site.ts';

/** Devices on the one path of power from a silent root to what spoke. */
export function sameChain(
  own: readonly Happening[],
  { root, outcome }: { readonly root: EntityRef; readonly outcome: Outcome },
): EntityRef[] {
  const sagging = own.filter(({ entity, cause }) => entity.kind === 'pdu' && cause === outcome.event);
  // One sagging PDU behind a silent UPS is all that anybody could name.
  const recordedSags = sagging.filter(({ recorded }) => recorded);
  if (root.kind === 'ups') return recordedSags.length === 1 ? recordedSags.map(({ entity }) => entity) : [];
  // Behind a silent breaker its PDU cannot be distinguished from it.
  if (root.kind === 'breaker') return uniqueRefs(sagging.map(({ entity }) => entity));
  return [];
}

/**
 * Without recordings of the power layer, events of machines identify the feed at most: a PDU cannot be distinguished from its
 * breaker, or from the UPS of which only it failed.
 */
export function alikeUnrecorded(scenario: Scenario, own: readonly Happening[], { root, event }: Outcome): EntityRef[] {
  if (!root || !event || layerOf(root.kind) !== 'power') return [];
  const failed = own.flatMap(({ entity, cause }) => (entity.kind === 'pdu' && cause === event ? [entity.id] : []));
  const pdus = [...new Set(root.kind === 'pdu' ? [root.id] : failed)];
  const onPath = pdus.length === 1 ? pdus.flatMap((pdu) => [ref('pdu', pdu), ...breakerOf(pdu, scenario.world)]) : [];
  const alike = onPath.filter(({ kind, id }) => kind !== root.kind || id !== root.id);
  return [...alike, ...otherFeeds(own, [root, ...alike], scenario)];
}

const uniqueRefs = (refs: readonly EntityRef[]): EntityRef[] => [
  ...new Map(refs.map((one) => [`${one.kind} ${one.id}`, one])).values(),
];

/**
 * Machines behind one feed are behind the other as well. The one that failed silently is identified by its own parts, or by a BMC
 * that names the PSU without input together with an inventory of its feed; otherwise the two are equivalent. To be called when
 * the recorded data is known.
 */
export function otherFeeds(own: readonly Happening[], silent: readonly EntityRef[], { world }: Scenario): EntityRef[] {
  const known = world.machines.some(({ psus }) => psus.length > 0);
  const isSimilar = ({ entity, type }: Happening): boolean =>
    entity.kind === 'pdu' ||
    entity.kind === 'breaker' ||
    (known && (type === 'psu_failover' || type === 'psu_failure'));
  if (own.some((one) => one.recorded && isSimilar(one))) return [];
  const twins = (pdu: string) =>
    world.machines.flatMap(({ pdus }) => (pdus.includes(pdu) ? pdus.filter((other) => other !== pdu) : []));
  return [...new Set(silent.filter(({ kind }) => kind === 'pdu').flatMap(({ id }) => twins(id)))]
    .flatMap((pdu) => [ref('pdu', pdu), ...breakerOf(pdu, world)])
    .concat(silent.some(({ kind }) => kind === 'ups') ? world.upses.map((ups) => ref('ups', ups)) : []);
}

export const breakerOf = (pdu: string, { breakers }: World): EntityRef[] => {
  const breaker = breakers.get(pdu);
  return breaker === undefined ? [] : [ref('breaker', breaker)];
};
