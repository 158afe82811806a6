import { percent, readableType } from './evidence-text.ts';
import { defineKind } from './kind.ts';

/** Below this nothing known leads to the service. */
const NO_PATH = 0.05;

/** How surely a cause leads to the service: an event, what a silent device's effects report, or what was over later. */
export const path = defineKind<{
  readonly of: 'event' | 'effects' | 'endings';
  readonly service: string;
  readonly share: number;
}>({
  id: 'path',
  sign: 1,
  judgement: 0.6,
  least: 0.4,
  text: ({ of, service, share }) => {
    if (of === 'effects') return `what they report leads to ${service}`;
    if (of === 'endings') return `what had gone before harms ${service}`;
    return share < NO_PATH
      ? `nothing known leads from it to ${service}`
      : `leads to ${service} in ${percent(share)} of such cases, as far as mechanisms are known`;
  },
});

export const unconnected = defineKind<{ readonly service: string }>({
  id: 'bare',
  sign: -1,
  judgement: -1.5,
  least: 3,
  text: ({ service }) => `harms ${service} by what it brings about, of which nothing is recorded`,
});

/** Of "no physical cause": the best of the events leads to the impact so badly. */
export const lead = defineKind<{
  readonly service: string;
  readonly type: string;
  readonly device: string;
  readonly share: number;
}>({
  id: 'lead',
  sign: 1,
  judgement: 0.3,
  text: ({ service, type, device, share }) =>
    share < NO_PATH
      ? `nothing recorded is known to harm a service like ${service}`
      : `${readableType(type)} on ${device} may have harmed ${service}`,
});
