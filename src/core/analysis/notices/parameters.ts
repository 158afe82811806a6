import { parameters } from '../parameter.ts';

/** Which metrics head for their limit. */
export const notices = parameters({
  newTrendSeconds: { value: 120, meaning: 'Length of a new trend; the shortest length that shows a trend is used' },
  youngTrendSeconds: { value: 300, meaning: 'Length of a young trend' },
  lastingTrendSeconds: { value: 900, meaning: 'Length of a lasting trend' },
  slowTrendSeconds: { value: 3600, meaning: 'Length of a slow trend' },
  leastScore: {
    value: 3.3,
    meaning: 'Mann-Kendall score of a trend: by chance one in a thousand sequences of twelve medians rises as steadily',
  },
  mostReach: {
    value: 4,
    meaning: 'A limit is forecast, and fluctuations are looked for, over so many lengths of the trend',
  },
  fluctuationShare: {
    value: 0.25,
    meaning: 'A value this share of the present change away was there before: a fluctuation is no trend',
  },
  leastValues: { value: 8, meaning: 'Fewer values show no trend' },
});
