import { parameters } from '../parameter.ts';

/** Limits in the texts of evidence. Its weights are in weights.yaml. */
export const evidence = parameters({
  knownPath: {
    value: 0.05,
    meaning: 'Below this path probability no known mechanism leads to the service, as a text',
  },
  explainedShare: { value: 0.1, meaning: 'Callees explain a change from this share on, as a text' },
});
