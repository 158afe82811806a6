import { parameters } from '../../parameter.ts';

/** Patterns of links and switches. */
export const networkPatterns = parameters({
  flapSeconds: {
    value: 600,
    meaning: 'A link that is down again within this time flaps; one down and up is a moved cable or a starting machine',
  },
  flapTimes: { value: 2, meaning: 'So many downs are a flap' },
  downSeconds: { value: 60, meaning: 'A link is down for less when a machine restarts or the link trains' },
});
