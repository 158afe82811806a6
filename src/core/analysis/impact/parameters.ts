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
  latestMeasurements: {
    value: 6,
    meaning: 'So many measurements show how long the requests take that begin near the end of a recording',
  },
  endedShare: {
    value: 0.8,
    meaning: 'There, fewer requests than this share of the latest usual number are those that had ended only',
  },
  differentRequestsShare: {
    value: 0.02,
    meaning: 'Steps whose counts differ by more are not of the same requests, and are not added up',
  },
  deviations: { value: 5, meaning: 'An anomaly is also this many robust deviations from the baseline' },
  precursorDeviations: { value: 4, meaning: 'A precursor is also this many robust deviations from the baseline' },
  errorFloorPercent: { value: 1, meaning: 'An error rate below this is never an impact' },
  leastNormalErrorPercent: { value: 0.2, meaning: 'Lowest error rate that a baseline is taken to have' },
  knownPoints: { value: 6, meaning: 'Fewer normal measurements give no spread' },
  lastingTimes: { value: 1.25, meaning: 'The mean of a lasting increase is this many times the baseline' },
  evenStepTimes: {
    value: 1.05,
    meaning: 'Each slow step of a job whose steps hardly differ takes so many times as long as usual, at least',
  },
  evenStepsTimes: { value: 1.08, meaning: 'A typical one of these takes so many times as long as usual, at least' },
  lastingDeviations: {
    value: 8,
    meaning: 'The mean of a lasting increase is this many robust deviations of such a mean from the baseline',
  },
  lastingReach: { value: 8, meaning: 'Measurements to each side that belong to a lasting increase, at most' },
  lastingIfMost: {
    value: 2,
    meaning: 'Length of a lasting increase in which most requests are slower, in measurements',
  },
  lastingIfSlowest: {
    value: 5,
    meaning: 'Length of a lasting increase in which only the slowest requests are slower, in measurements',
  },
  lastingIfSlowestLeast: {
    value: 3,
    meaning:
      'An increase of only the slowest requests may be as short as this if it is significant and as large in total',
  },
  lastingSeconds: {
    value: 120,
    meaning:
      'A shorter lasting increase spans this time: summaries cover the past, so one slow client may raise several short ones',
  },
  pauseMeasurements: { value: 4, meaning: 'A window of more measurements is no regular pause' },
  regularTimes: { value: 3, meaning: 'So many pauses in step are regular, at least' },
  regularShare: { value: 0.6, meaning: 'Share of the short windows of a service that are in step, at least' },
  regularTolerance: { value: 0.05, meaning: 'Regular pauses are in step within this share of their period' },
  evenShare: {
    value: 0.05,
    meaning: 'Latencies with a spread below this share of their median are even: few requests have a sure median',
  },
  usualDays: { value: 2, meaning: 'Other days at the same time that show what is usual then, at least' },
  usualDaysShare: {
    value: 0.6,
    meaning: 'A window that is no worse than this share of other days at the same time is usual',
  },
  usualCoverage: {
    value: 0.5,
    meaning: 'Another day shows what is usual with this share of the measurements of a window, at least',
  },
  leastUsualRows: {
    value: 12,
    meaning:
      'Within a window of so many measurements that is usual on the whole, single ones are compared with other days',
  },
  missedPeriods: {
    value: 1.5,
    meaning: 'Regular pauses begin and end within so many of their periods of the recording',
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
    meaning: 'With few requests, a row of so many measurements that are slower than any before is an anomaly',
  },
  rowTimes: { value: 1.25, meaning: 'Each measurement of a row with few requests is this many times the baseline' },
  longRowTimes: { value: 1.4, meaning: 'The mean of a long row with few requests is this many times the baseline' },
  rowTests: {
    value: 2,
    meaning:
      'A row that is slower than any before gets one part in so many of chanceWindows: there are two ways to be an anomaly',
  },
  longRowTests: {
    value: 10,
    meaning: 'A long row gets one part in so many of chanceWindows, because there are many rows',
  },
  chanceWindows: { value: 0.05, meaning: 'Windows that a recording has by chance from typical slowness, at most' },
  habitTimes: { value: 3, meaning: 'Slowness or low throughput is typical if it occurred so often before' },
  habitShare: {
    value: 0.05,
    meaning: 'Slowness or low throughput is typical if it occurred in more than this share of the measurements before',
  },
  mixedTimes: {
    value: 5,
    meaning: 'Quick and slow requests are mixed in a service if its 70th percentile is this many times the 30th',
  },
  fewForMedian: { value: 20, meaning: 'With fewer requests the median is not reliable in a lasting increase' },
  fewForOneMedian: {
    value: 40,
    meaning:
      'With fewer requests a single median is chance: half of twenty often take twice as long, half of forty hardly ever',
  },
  countChance: {
    value: 1e-6,
    meaning: 'So many errors, or so few requests, are significant if chance is below this, over thousands of intervals',
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
  mergeIntervals: { value: 1.5, meaning: 'Anomalies within so many measurement intervals are one window' },
  historySeconds: { value: 3600, meaning: 'Length of the history for the baseline' },
  historyIntervals: { value: 48, meaning: 'The history is longer for sparse measurements: so many intervals' },
  relearnHistories: {
    value: 1.5,
    meaning: 'After so many histories the baseline is learnt again, because a drift is not an incident',
  },
  normalShare: { value: 0.25, meaning: 'Share of sparse measurements that the baseline uses' },
  fewestNormalPoints: {
    value: 3,
    meaning: 'Measurements that the baseline uses, at least; fewer are a weak reference',
  },
  mostNormalPoints: {
    value: 10,
    meaning:
      'Sparse measurements that the baseline uses, at most: with three, one every five minutes had an impact every second hour',
  },
  goodShare: {
    value: 0.2,
    meaning:
      'The normal level is first looked for at this share from the good end: most of a short recording may be the incident',
  },
  wholePoints: {
    value: 8,
    meaning: 'A recording with fewer measurements does not show that it begins inside an incident',
  },
  beginsInsideTimes: {
    value: 1.5,
    meaning: 'A recording begins inside an incident if its start is so many times worse than the whole',
  },
  statedSeconds: {
    value: 300,
    meaning: 'Length of a window that the investigator specifies and that shows no impact, at least',
  },
  baselineSeconds: {
    value: 600,
    meaning: 'Length of the baseline that spans, logs and metrics of an impact are compared with',
  },
  memorySeconds: { value: 60, meaning: 'Error of a failure time from memory' },
  adjacentSeconds: {
    value: 3600,
    meaning:
      'Measurements of a service within this time are adjacent; an onset between others is unknown: they may be two recordings',
  },
  adjacentIntervals: { value: 3, meaning: 'Measurements of a service within so many usual intervals are adjacent' },
  edgeSeconds: {
    value: 120,
    meaning:
      'Parts of a recording that begin or end within this time do so because of their recorders; otherwise one came or went',
  },
  leastPartShare: {
    value: 0.02,
    meaning: 'A part with a smaller share of the requests is left out of the time in which all parts are recorded',
  },
  recordedPauseSeconds: {
    value: 60,
    meaning: 'A pause as long as this, or as the shortest bucket, ends a recorded range',
  },
  sameMachinesShare: {
    value: 0.8,
    meaning: 'A job and a service that share this part of the machines of both are the same work',
  },
  endedSeconds: {
    value: 60,
    meaning: 'Spans of work end this long before the recording, or at most so long from when its GPUs did nothing more',
  },
  mostStallSeconds: { value: 86_400, meaning: 'What is recorded later shows nothing about a stall' },
  leastStallSeconds: { value: 60, meaning: 'A job that completed no step for so long stalled; for less it was slower' },
  stallsApartSeconds: {
    value: 1800,
    meaning:
      'Waits of the ranks of one job within this time are one stall: watchdogs of all ranks time out one after the other',
  },
  widestSeconds: {
    value: 60,
    meaning: 'Collection intervals with few requests are joined up to this length',
  },
  silentLogSeconds: {
    value: 3600,
    meaning:
      'A log that goes on without requests shows for this time that there are none; later they may be logged elsewhere',
  },
  unknownIntervalSeconds: { value: 10, meaning: 'Interval of a histogram that was recorded only once' },
  singleMeasurementSeconds: { value: 60, meaning: 'A single measurement covers this time before it' },
  partTimes: {
    value: 3,
    meaning: 'A typical request of a part of a service takes so many times as long as before: a part has few requests',
  },
  partErrorPercent: { value: 20, meaning: 'Or this share of them fails, at least' },
  leastPartRequests: { value: 8, meaning: 'Fewer requests of a part while it is bad show nothing' },
  leastPartBefore: { value: 20, meaning: 'Fewer requests of a part before show no baseline' },
  mostPartShare: { value: 0.9, meaning: 'A part with a larger share of the requests is the service' },
  mostParts: {
    value: 50,
    meaning: 'Models, routes, tenants and replicas of a service that are compared, each at most',
  },
  mostPartSpans: { value: 100_000, meaning: 'Of more spans, parts are read from a share of the traces' },
  mostPartRows: { value: 500_000, meaning: 'Intervals of all parts that are read, at most' },
  leastSteps: { value: 20, meaning: 'Spans of fewer steps of a process are no training loop; a job warms up in fewer' },
  slowRankShare: {
    value: 0.25,
    meaning: 'If more of the other ranks of a job are slow meanwhile, the job is slow, not a rank',
  },
  mostProcesses: { value: 50, meaning: 'Processes of a training job that are compared, at most' },
  mostCounterPlaces: { value: 16, meaning: 'Places of one service that count its requests, at most' },
});
