import {
  detailsText,
  type EventDetails,
  type Qualifier,
  type StatedEvent,
} from '../../../model/telemetry/event-details.ts';
import { kubernetesWordings } from './kubernetes.ts';
import { machineWordings } from './machines.ts';
import { nvidiaWordings, readXid } from './nvidia.ts';
import { distributionTypes, feedNames, powerWordings, supplyNames } from './power.ts';
import { readReading } from './readings.ts';
import { MOST_TEXT, statedText, type Wording } from './wording.ts';

const wordings: readonly Wording[] = [...nvidiaWordings, ...powerWordings, ...machineWordings, ...kubernetesWordings];
const anywhere = wordings.filter(({ types }) => types === 'any');
const distribution: ReadonlySet<string> = new Set(distributionTypes);
const byType = new Map<string, readonly Wording[]>();

const wordingsOf = (type: string): readonly Wording[] => {
  const known = byType.get(type);
  if (known) return known;
  const own = wordings.filter(({ types }) => types !== 'any' && (types as readonly string[]).includes(type));
  if (own.length === 0) return anywhere;
  const all = [...own, ...anywhere];
  byType.set(type, all);
  return all;
};

/**
 * What an event states beside its type: by attributes that its importer or vendor wrote, and else by the vendor's own words. The
 * one place in which the text of an event is read for its meaning, for every container that can carry it.
 */
export function readDetails(event: StatedEvent): EventDetails {
  const found: Qualifier[] = [];
  let details: EventDetails = stated(event);
  for (const { words, of, means } of wordingsOf(event.type)) {
    const text = of ? of(event) : event.message;
    const match = text === '' ? null : words.exec(text.slice(0, MOST_TEXT));
    if (!match) continue;
    if (typeof means === 'string') found.push(means);
    else details = { ...means(match), ...details };
  }
  return found.length === 0 ? details : { qualifiers: found, ...details };
}

function stated(event: StatedEvent): EventDetails {
  const { type, attributes } = event;
  const xid = readXid(event);
  const reading = readReading(event);
  const isSupply = type === 'psu_failure' || type === 'psu_failover';
  const supply = isSupply ? statedText(attributes, ...supplyNames) : undefined;
  const feed = isSupply ? statedText(attributes, ...feedNames) : undefined;
  // As rows of a device's tables name them.
  const [breaker, phase] = distribution.has(type)
    ? [statedText(attributes, 'breaker'), statedText(attributes, 'phase')]
    : [];
  return {
    ...(breaker === undefined ? {} : { breaker }),
    ...(phase === undefined ? {} : { phase }),
    ...(xid === undefined ? {} : { xid }),
    ...(reading === undefined ? {} : { reading }),
    ...(supply === undefined ? {} : { supply }),
    ...(feed === undefined ? {} : { feed }),
  };
}

/** The same as the `details` column holds it, of an event whose importer writes its columns by itself. */
export const readDetailsText = (event: StatedEvent): string => detailsText(readDetails(event));
