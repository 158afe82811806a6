import { parameters } from '../parameter.ts';

/** In what a region differs from its baseline. */
export const differences = parameters({
  mostChance: { value: 0.05, meaning: 'Share of the reported differences that are chance, at most' },
  mostDifferences: { value: 500, meaning: 'Differences that are reported, at most' },
  leastFoldedRows: {
    value: 20,
    meaning: 'Values of fewer rows stay two differences, although their counts are equal: that may be chance',
  },
  thinGroups: { value: 10, meaning: 'A value of fewer groups is thin' },
  leastGroups: { value: 5, meaning: 'A value of fewer groups is not tested' },
  mostSpans: {
    value: 50_000,
    meaning: 'Spans of a side that are compared, at most; of more, a share of the traces, the same within a thousandth',
  },
  mostPoints: {
    value: 400_000,
    meaning: 'Samples of a side that are compared, at most; of more, a share of the times',
  },
  mostHistograms: { value: 300, meaning: 'Histograms whose quantiles are compared, at most' },
  histogramPoints: {
    value: 64,
    meaning: 'Points of a histogram and side, at most: as many show a shift as more would',
  },
  leastRegionPoints: {
    value: 3,
    meaning: 'A histogram with fewer points in the region is not compared, as difference-points.sql does with samples',
  },
  leastBaselinePoints: {
    value: 8,
    meaning:
      'A histogram with fewer points in the baseline is not compared, as difference-points.sql does with samples',
  },
  logSlices: {
    value: 200,
    meaning: 'Slices of the region in which log lines count together, because they come in bursts',
  },
  counterCorrelation: { value: 0.95, meaning: 'A number of spans with this correlation to time is a counter' },
  mostValues: { value: 20, meaning: 'An attribute with no more values is compared value by value' },
  distinctValuesShare: {
    value: 0.5,
    meaning: 'An attribute with no more values than this share of the traces is compared value by value',
  },
  distinctNumbersShare: {
    value: 0.9,
    meaning: 'A number with distinct values in a larger share of the traces is an identifier',
  },
  rangeSpreads: { value: 20, meaning: 'A baseline spreads by its range divided by this, at least' },
  leastSpreadShare: { value: 0.02, meaning: 'A baseline spreads by this share of its median, at least' },
});
