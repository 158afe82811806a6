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
  most: 3,
  text: (parameters) =>
    parameters.of === 'device'
      ? `${parameters.device} is not in the topology and not linked to ${parameters.service}`
      : `only if ${parameters.source} feeds ${listed(parameters.devices)}, whose supplies are not all in the topology`,
});

export const sibling = defineKind<{ readonly device: string }>({
  id: 'sibling',
  sign: -1,
  judgement: -0.6,
  text: ({ device }) => `${device} is mapped to another service on the same machine`,
});

export const caller = defineKind<{ readonly service: string }>({
  id: 'caller',
  sign: -1,
  judgement: -0.3,
  text: ({ service }) => `reaches ${service} only through a service that it calls`,
});

export const calleeFine = defineKind<{ readonly callees: Names }>({
  id: 'callee_fine',
  sign: -1,
  judgement: -2,
  least: 1.5,
  text: ({ callees }) => `would act through ${listed(callees)}, with no degradation there`,
});

interface Called {
  readonly service: string;
  readonly callees: Names;
}

const calledText = ({ service, callees }: Called): string =>
  `${service} calls ${listed(callees)}, which degraded at the same time`;

export const calleeCovered = defineKind<Called>({
  id: 'callee_covered',
  sign: 1,
  judgement: 0.3,
  text: (called) => `${calledText(called)}, and it reaches them`,
});

export const calleeMissed = defineKind<Called>({
  id: 'callee_missed',
  sign: -1,
  judgement: -0.5,
  text: (called) => `${calledText(called)}, and it does not reach them`,
});

export const scope = defineKind<{
  readonly covered: number;
  readonly of: number;
  readonly service: string;
  readonly reached: Names;
}>({
  id: 'scope',
  sign: 1,
  judgement: 0.5,
  text: ({ covered, of, service, reached }) =>
    `reaches ${covered} of ${of} services that degraded too and do not call ${service}: ${listed(reached)}`,
});

export const scopeNone = defineKind<{ readonly of: number; readonly service: string }>({
  id: 'scope_none',
  sign: -1,
  judgement: -2,
  least: 1,
  text: ({ of, service }) => `reaches none of ${of} services that degraded too and do not call ${service}`,
});

interface Neighbours {
  readonly of: number;
  readonly count: number;
  readonly services: Names;
}

export const servicesBroke = defineKind<Neighbours>({
  id: 'services_broke',
  sign: 1,
  judgement: 0.5,
  text: ({ of, count, services }) =>
    `${count} of ${of} other services on the same device degraded at the same time: ${listed(services)}`,
});

export const servicesHealthy = defineKind<Neighbours>({
  id: 'services_healthy',
  sign: -1,
  judgement: -1,
  least: 3,
  text: ({ of, count, services }) =>
    `${count} of ${of} other services on the same device remained healthy: ${listed(services)}`,
});
