import { parameters } from '../../parameter.ts';

/** Patterns of links and switches. */
export const networkPatterns = parameters({
  flapSeconds: {
    value: 600,
    meaning: 'A link that is down again within this time flaps; one down and up is a moved cable or a starting machine',
  },
  flapTimes: { value: 2, meaning: 'A link flaps if it goes down so many times' },
  downSeconds: { value: 60, meaning: 'A link that is down for less restarts with its machine, or trains' },
});
