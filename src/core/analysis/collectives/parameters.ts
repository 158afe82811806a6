import { parameters } from '../parameter.ts';

/** Which rank holds up a collective. */
export const collectives = parameters({
  recordedShare: {
    value: 0.5,
    meaning: 'Ranks without a recording are reported only if this share of the job was recorded',
  },
});
