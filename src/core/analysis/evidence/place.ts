import { listed, type Names } from './evidence-text.ts';
import { defineKind } from './kind.ts';

/** Position of the suspect relative to the service, and its relation to other services. */

type Unmapped =
  | { readonly of: 'device'; readonly device: string; readonly service: string }
  | { readonly of: 'feeds'; readonly devices: Names; readonly events: number; readonly source: string };

export const unmapped = defineKind<Unmapped>({
  id: 'unmapped',
  sign: -1,
  judgement: -2,
  least: 2.5,
  most: 3,
  text: (parameters) =>
    parameters.of === 'device'
      ? `${parameters.device} is not in the topology and not linked to ${parameters.service}`
      : `only if ${parameters.source} feeds ${listed(parameters.devices)}, whose supplies are not all in the topology`,
});
