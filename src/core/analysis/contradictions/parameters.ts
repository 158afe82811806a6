import { parameters } from '../parameter.ts';

/** When samples contradict a reading that an event states. */
export const contradictions = parameters({
  aroundSeconds: {
    value: 10,
    meaning: 'All samples this close to an event are held against the reading that it states',
  },
  besideSeconds: {
    value: 60,
    meaning: 'A stated reading is judged only if there is a sample on each side of the event within this time',
  },
  kelvin: { value: 5, meaning: 'A stated temperature this close to the samples agrees with them' },
  share: {
    value: 0.03,
    meaning: 'Another stated reading this close to the samples, as a share of it, agrees with them',
  },
});
