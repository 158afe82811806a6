import { parameters } from '../parameter.ts';

/** Which records belong to one fault and its repair. */
export const lifecycle = parameters({
  silenceSeconds: { value: 21_600, meaning: 'A detection after this long without events is a new fault' },
  beforeTraceSeconds: { value: 60, meaning: 'Events of a node this long before a trace belong to it' },
  afterTraceSeconds: { value: 600, meaning: 'Events of a node this long after a trace belong to it' },
  leastWaitSeconds: { value: 0.001, meaning: 'A shorter time between two steps is a handover, no wait' },
});
