import { parameters } from '../parameter.ts';

/** What counts as an impact, and what its baseline is. */
export const impact = parameters({
  timesWorse: {
    value: 2,
    meaning: 'A measurement this many times its baseline is an anomaly; of throughput, one this many times below it',
  },
  slightlyWorseTimes: {
    value: 1.15,
    meaning: 'Of a precursor and of each measurement in a lasting increase: at least this many times the baseline',
  },
  deviations: { value: 5, meaning: 'An anomaly is also this many robust deviations from the baseline' },
  precursorDeviations: { value: 4, meaning: 'A precursor is also this many robust deviations from the baseline' },
  errorFloorPercent: { value: 1, meaning: 'An error rate below this is never an impact' },
  leastNormalErrorPercent: { value: 0.2, meaning: 'Lowest error rate that a baseline is taken to have' },
  knownPoints: { value: 6, meaning: 'Fewer normal measurements give no spread' },
  lastingTimes: { value: 1.25, meaning: 'The mean of a lasting increase is this many times the baseline' },
  lastingDeviations: {
    value: 8,
    meaning: 'The mean of a lasting increase is this many robust deviations of such a mean from the baseline',
  },
  lastingReach: { value: 8, meaning: 'Measurements to each side that belong to a lasting increase, at most' },
  mostRequestsLast: { value: 2, meaning: 'Measurements of a lasting increase if most requests are slower' },
  slowestLast: { value: 5, meaning: 'Measurements of a lasting increase if only the slowest requests are slower' },
  slowestLastLeast: {
    value: 3,
    meaning: 'So many suffice if their total increase is as large as that of all, and significant',
  },
  lastingSeconds: {
    value: 120,
    meaning:
      'Fewer measurements span this much: summaries cover the past, so one slow client may raise several short ones',
  },
  driftSeconds: {
    value: 120,
    meaning: 'What precedes a lasting increase by this much shows whether it began as a step',
  },
  driftShare: {
    value: 0.5,
    meaning: 'A lasting increase of which this share (of its logarithm) was there before is a drift',
  },
  normalErrorChance: {
    value: 0.001,
    meaning: 'More errors than normal among few requests are not normal if chance gives them more rarely than this',
  },
  fewRequests: { value: 200, meaning: 'With fewer requests the p99 is a single request' },
  fewRequestsP95Times: { value: 1.5, meaning: 'With few requests the p95 is this many times its baseline, too' },
  rowLength: {
    value: 3,
    meaning: 'With few requests, so many measurements in a row, slower than any before, are an anomaly',
  },
  rowTimes: { value: 1.25, meaning: 'A measurement of such a row is this many times the baseline' },
  longRowTimes: { value: 1.4, meaning: 'The mean of a longer row, slower than most, is this many times the baseline' },
  rowTests: {
    value: 2,
    meaning: 'The short row gets one part in so many of the chance: an anomaly is slow alone or in a row',
  },
  longRowTests: {
    value: 10,
    meaning: 'The long row gets one part in so many of the chance, because there are many rows',
  },
  chanceWindows: { value: 0.05, meaning: 'Windows that a recording may have by chance from typical slowness' },
  habitTimes: { value: 3, meaning: 'Slowness or low throughput before, so often, is typical' },
  habitShare: { value: 0.05, meaning: 'Typical slowness is also more than this share of the measurements before' },
  fewForMedian: { value: 20, meaning: 'With fewer requests the median is not reliable in a lasting increase' },
  fewForOneMedian: {
    value: 40,
    meaning:
      'With fewer requests a single median is chance: half of twenty often take twice as long, half of forty almost never',
  },
  countChance: {
    value: 1e-6,
    meaning:
      'Chance of so many errors, or so few requests, below which they are significant over thousands of intervals',
  },
  countedTogether: {
    value: 5,
    meaning: 'Neighbours to each side whose errors are added, because few requests are weak evidence',
  },
  leastScatterShare: {
    value: 0.5,
    meaning: 'Values that scatter by less than this share of the square root of their number are no counts',
  },
  mergeSeconds: { value: 30, meaning: 'Anomalies within this distance are one window' },
  mergeIntervals: { value: 1.5, meaning: 'So are those within so many measurement intervals' },
  historySeconds: { value: 3600, meaning: 'Length of the history for the baseline' },
  historyIntervals: { value: 48, meaning: 'The history is longer for sparse measurements: so many intervals' },
  relearnHistories: {
    value: 1.5,
    meaning: 'After so many histories the baseline is learnt again, because a drift is not an incident',
  },
  normalShare: { value: 0.25, meaning: 'Share of sparse measurements that the baseline uses' },
  fewestNormalPoints: {
    value: 3,
    meaning: 'The baseline uses at least so many measurements; fewer are a weak reference',
  },
  mostNormalPoints: {
    value: 10,
    meaning:
      'The baseline uses no more sparse measurements than so many: with three, one every five minutes had an impact every second hour',
  },
  goodShare: {
    value: 0.2,
    meaning:
      'First guess of the normal level: the value at this share from the good end, so that most of a short recording may be the incident',
  },
  wholePoints: {
    value: 8,
    meaning: 'With so many measurements, the whole recording may show that it begins inside an incident',
  },
  beginsInsideTimes: {
    value: 1.5,
    meaning: 'A recording begins inside an incident if its start is so many times worse than the whole',
  },
  statedSeconds: {
    value: 300,
    meaning: 'Length of a window that the investigator specifies and no impact shows, at least',
  },
  baselineSeconds: {
    value: 600,
    meaning: 'Length of the baseline that spans, logs and metrics of an impact are compared with',
  },
  memorySeconds: { value: 60, meaning: 'Error of a failure time from memory' },
  adjacentSeconds: {
    value: 3600,
    meaning:
      'Measurements of a service within this time are adjacent; further apart they may be two recordings, with an unknown onset between',
  },
  adjacentIntervals: { value: 3, meaning: 'So are measurements within so many usual intervals' },
  edgeSeconds: {
    value: 120,
    meaning:
      'Parts of a recording that begin or end within this time do so because of their recorders; further apart, one came or went',
  },
  leastPartShare: {
    value: 0.02,
    meaning: 'Without a part with a smaller share of the requests, the rest is as good as all',
  },
  recordedPauseSeconds: {
    value: 60,
    meaning: 'A pause of this length, or of the shortest bucket, ends a recorded range',
  },
  unknownIntervalSeconds: { value: 10, meaning: 'Interval of a histogram that was recorded once' },
  singleMeasurementSeconds: { value: 60, meaning: 'How far a single measurement reaches back' },
  mostCounterPlaces: { value: 16, meaning: 'Places where a service counts its requests, at most' },
});
