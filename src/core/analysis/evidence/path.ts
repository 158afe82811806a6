import { percent, readableType } from './evidence-text.ts';
import { defineKind } from './kind.ts';

/** Below this, no known mechanism leads to the service. */
const NO_PATH = 0.05;
/** No recording shows that something happens always. */
const MOST_STATED = 0.99;

/** Probability that a cause leads to the service: of an event, of the effects of a silent device, or of faults that ended later. */
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
    if (of === 'effects') return `these effects are known to affect ${service}`;
    if (of === 'endings') return `the faults that ended are known to harm ${service}`;
    return share < NO_PATH
      ? `no known mechanism leads from it to ${service}`
      : `known mechanisms lead from it to ${service} in ${share > MOST_STATED ? `more than ${percent(MOST_STATED)}` : percent(share)} of cases`;
  },
});

export const unconnected = defineKind<{ readonly service: string }>({
  id: 'bare',
  sign: -1,
  judgement: -1.5,
  least: 3,
  text: ({ service }) => `harms ${service} only through effects, none of which is recorded`,
});

/** Of "no physical cause": even the best event explains the impact poorly. */
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
      ? `no recorded event is known to harm a service like ${service}`
      : `${readableType(type)} on ${device} may have harmed ${service}`,
});
