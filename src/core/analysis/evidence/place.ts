import { listed, type Names } from './evidence-text.ts';
import { defineKind } from './kind.ts';

/** Position of the suspect relative to the service, and its relation to other services. */

/**
 * In no labelled incident is a device that the topology does not link to the service its cause. The bound keeps such a device
 * from being accused by its time and type alone, whatever a world of incidents would allow.
 */
export const unmapped = defineKind<{
  readonly device: string;
  readonly service: string;
  /** It has other links: only the way to the service is missing. */
  readonly isKnown: boolean;
}>({
  id: 'unmapped',
  sign: -1,
  judgement: -4,
  least: 4,
  most: 5,
  text: ({ device, service, isKnown }) =>
    isKnown
      ? `the topology does not link ${device} to ${service}`
      : `${device} is not in the topology and not linked to ${service}`,
});

export const supposedFeed = defineKind<{
  readonly devices: Names;
  readonly events: number;
  readonly source: string;
}>({
  id: 'supposed_feed',
  sign: -1,
  judgement: -2,
  least: 1,
  text: ({ devices, source }) =>
    `only if ${source} feeds ${listed(devices)}, whose supplies are not all in the topology`,
});
