import { parameters } from '../parameter.ts';

/** How far effects travel along the links of entities. */
export const topology = parameters({
  mostHops: { value: 6, meaning: 'Links from a supply to a GPU, or from a GPU to a service: no real chain is longer' },
  mostCalls: {
    value: 3,
    meaning: 'A slow service affects its callers over so many calls; beyond them the effect is too weak',
  },
  mostParts: {
    value: 200,
    meaning: 'An entity with more descendants than any machine is none, and its parts do not represent it',
  },
});
