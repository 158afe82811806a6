import { parameters } from '../parameter.ts';

/** Which log templates are new or surge in a window. */
export const logs = parameters({
  mostRecords: {
    value: 1_000_000,
    meaning: 'Log records that are read, at most; of more, all errors and a share of the rest',
  },
  mostChance: { value: 0.05, meaning: 'A template is new or surges if its chance over all templates is below this' },
});
