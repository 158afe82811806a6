import { isObject, linksOf, objectOf, textOf } from './format.ts';
import type { RedfishEntity } from './redfish-entity.ts';
import type { Resource } from './resource-tree.ts';
import { each, excerpt, of, status, type Walk } from './walk.ts';

const power: Readonly<Record<string, number>> = { off: 0, on: 1, poweringon: 2, poweringoff: 2 };
const breaker: Readonly<Record<string, number>> = { normal: 1, tripped: 0, off: 0 };

/** PDUs and power shelves: outlets, branch circuits, mains, and their metrics. */
export function readEquipment(walk: Walk): void {
  for (const [{ id, doc }, now] of each(walk, 'PowerDistribution')) status(now, walk.machine.of(id), doc);
  for (const [{ id, doc }, now] of each(walk, 'PowerDistributionMetrics'))
    readElectrical(now, walk.machine.of(id), doc);
  for (const [{ id, doc }, now] of each(walk, 'Outlet', 'OutletGroup')) {
    const entity = walk.machine.of(id);
    status(now, entity, doc);
    state(now, entity, power, doc['PowerState']);
    readElectrical(now, entity, doc);
  }
  for (const [{ id, doc }, now] of each(walk, 'Circuit')) {
    const entity = walk.machine.of(id);
    status(now, entity, doc);
    state(now, entity, breaker, doc['BreakerState']);
    readElectrical(now, entity, doc);
  }
}

function state(walk: Walk, entity: RedfishEntity, codes: Readonly<Record<string, number>>, word: unknown): void {
  const value = codes[textOf(word).toLowerCase()];
  if (value === undefined) return;
  const { time_ns, place } = walk;
  walk.sampler.sample({ entity, quantity: of('hw.outlet.state', '1'), value, time_ns, place });
}

/** Totals, and the same by phase in `Poly…` members. */
function readElectrical(walk: Walk, entity: RedfishEntity, doc: Resource['doc']): void {
  const members = [
    ['PowerWatts', of('hw.power', 'W')],
    ['Voltage', of('hw.voltage', 'V')],
    ['CurrentAmps', of('hw.current', 'A')],
    ['EnergykWh', of('hw.energy', 'kW.h')],
    ['FrequencyHz', of('hw.frequency', 'Hz')],
    ['TemperatureCelsius', of('hw.temperature', 'Cel')],
    ['HumidityPercent', of('hw.humidity', '%')],
    ['PowerLoadPercent', of('hw.load', '%')],
  ] as const;
  for (const [member, quantity] of members) {
    excerpt(walk, entity, quantity, doc[member], { sure: true });
    for (const [phase, value] of Object.entries(
      objectOf(doc[`Poly${member === 'PowerWatts' ? 'PhasePowerWatts' : `Phase${member}`}`]),
    ))
      if (isObject(value)) excerpt(walk, entity, quantity, value, { sure: true, side: phase });
  }
  const total = objectOf(doc['PowerWatts']);
  excerpt(walk, entity, of('hw.power.apparent', 'VA'), total['ApparentVA']);
  excerpt(walk, entity, of('hw.power.reactive', 'var'), total['ReactiveVAR']);
  excerpt(walk, entity, of('hw.power.factor', '1'), total['PowerFactor']);
}

/** What an outlet feeds, if the tree states it. */
export const fedBy = (doc: Resource['doc']): readonly string[] => {
  const links = objectOf(doc['Links']);
  return [...linksOf(links['PowerSupplies']), ...linksOf(links['Chassis']), ...linksOf(links['PoweredEquipment'])];
};
