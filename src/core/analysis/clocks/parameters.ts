import { parameters } from '../parameter.ts';

/** How far the clocks of the data sources are off. */
export const clocks = parameters({
  unstatedSeconds: {
    value: 1,
    meaning: 'Error of an unchecked clock: machines with NTP are accurate to milliseconds, controllers are not',
  },
  reporterPairs: {
    value: 2,
    meaning: 'Linked pairs that make the clock of one of several reporters in a file doubtful, at least',
  },
  mostHintedSeconds: {
    value: 60,
    meaning: 'An unconfirmed shift up to this widens the uncertainty of a clock by its size',
  },
  unknownSeconds: {
    value: 86_400,
    meaning: 'Error of an unknown clock before its pairs are looked at: a day in both directions',
  },
  knownSeconds: { value: 0.001, meaning: 'A clock with less uncertainty is known' },
  agreeSeconds: { value: 2, meaning: 'Clocks this close agree, for the choice of a reference' },
  mostSources: {
    value: 800,
    meaning: 'Data sources that are solved together, at most; those with most pairs come first',
  },
  mostRepeats: {
    value: 32,
    meaning: 'Events of a type on an entity that are paired, at most: those after the longest pauses',
  },
  mostPairs: { value: 8_000, meaning: 'Pairs of two data sources, at most: those of rare types first' },
  resolutionTimes: {
    value: 4,
    meaning: 'So many distinct times show the resolution of a clock: one in ten lies on the finest by chance',
  },
  widestKindSeconds: { value: 120, meaning: 'A kind of pair with a wider range of delays supports any shift' },
  widestZoneKindSeconds: {
    value: 60,
    meaning: 'A kind of pair with a wider range of delays is no evidence on a time zone',
  },
  shortestDelaySeconds: { value: 0.001, meaning: 'Delays of a range that begins at zero are at least this long' },
  leastScatterSeconds: { value: 0.01, meaning: 'Delays of a kind scatter by at least this much' },
  clusterScatterShare: {
    value: 0.5,
    meaning: 'Devices of one cluster scatter by this share of what the range of the mechanism allows',
  },
  twinSeconds: { value: 1, meaning: 'Two records of one event are this close' },
  twinScatterSeconds: {
    value: 0.05,
    meaning: 'The distance of two records of one event scatters by this much, and one recorder is later by as much',
  },
  voteJitterSeconds: {
    value: 0.05,
    meaning: 'Tolerance of delay ranges while a shift is searched: rounding, and approximate ranges',
  },
  settleJitterSeconds: {
    value: 0.015,
    meaning: 'Tolerance of delay ranges while an accepted shift is refined: rounding, and approximate ranges',
  },
  nearSeconds: { value: 600, meaning: 'Largest clock error that no wrong time zone explains' },
  zoneToleranceSeconds: { value: 60, meaning: 'A clock in the wrong time zone may also be off by this much' },
  mostPeaks: { value: 6, meaning: 'Shifts with most support that are tested, at most' },
  fewestPairs: { value: 3, meaning: 'Fewer pairs do not show a shift' },
  shiftChance: {
    value: 0.01,
    meaning: 'Equally good shifts by chance, per two data sources, below which a shift is accepted',
  },
  clearerTimes: {
    value: 10,
    meaning: 'A second shift that is less than this many times likelier by chance makes the first one ambiguous',
  },
  rivalShare: {
    value: 0.8,
    meaning: 'A second shift that explains this share of the pairs makes the first one ambiguous',
  },
  burstSeconds: { value: 1, meaning: 'Pairs with causes closer than this may come from one burst each' },
  believedDeviations: { value: 2.5, meaning: 'Beyond so many standard deviations an observation counts less (Huber)' },
  outlierDeviations: {
    value: 3,
    meaning: 'Pairs of one kind further from their middle count as if they were this far',
  },
  dominantBlurTimes: {
    value: 4,
    meaning: 'Truncation or sampling so many times wider than the scatter of the delay dominates the error',
  },
  hiddenDelayShare: {
    value: 0.1,
    meaning: 'Truncation or sampling wider than this share of the delay range hides a delay',
  },
  wrongPairsShare: { value: 0.1, meaning: 'Share of pairs that may be wrong without moving the bounds of a clock' },
  searchDeviations: {
    value: 5,
    meaning: 'A clock is refined within so many standard deviations of its first estimate',
  },
  leastErrorSeconds: { value: 0.03, meaning: 'Standard deviation of a refined clock, at least' },
  estimateProbability: {
    value: 0.9,
    meaning: 'The estimate is the middle of the shortest interval with this probability',
  },
  sameModelScatter: { value: 0.2, meaning: 'Scatter of the natural logarithm of a delay among devices of one model' },
  clusterScatter: { value: 0.4, meaning: 'Scatter of the natural logarithm of a delay among similar devices' },
  mixedScatter: { value: 0.8, meaning: 'Scatter of the natural logarithm of a delay in a mixed fleet' },
  evenDelayProbability: {
    value: 0.8,
    meaning: 'Probability that delays are even over their range rather than of one of the three scatters',
  },
  driftPairs: { value: 8, meaning: 'Fewer pairs do not show a drift' },
  driftSpanSeconds: {
    value: 1800,
    meaning: 'Pairs over a shorter time do not show a drift: quartz drifts by 100 ms in 17 to 1700 minutes',
  },
  driftDeviations: { value: 4, meaning: 'A drift is so many standard deviations from none' },
  leastDriftSeconds: { value: 0.05, meaning: 'A drift that adds up to less over all pairs is none' },
  pollPhaseShare: { value: 0.02, meaning: 'Times within this share of a polling interval are of one poll cycle' },
  pollPhaseSeconds: { value: 0.3, meaning: 'Times within this distance are of one poll cycle' },
  polledShare: {
    value: 0.75,
    meaning: 'Share of the times of a data source that lie on its polling interval; retries and repeats do not',
  },
  pollChance: {
    value: 0.001,
    meaning: 'A data source is polled if the chance of so many times on an interval is below this',
  },
  pollTimes: { value: 4, meaning: 'Fewer times do not show polling' },
  typicalPollSeconds: {
    value: 10,
    meaning: 'Polling interval of a data source that does not show any: the least of common collectors',
  },
  overlapSeconds: {
    value: 900,
    meaning: 'Recordings with a smaller distance overlap: they end with a poll or a download',
  },
  zoneErrorSeconds: {
    value: 5,
    meaning: 'Clock error besides a supposed time zone, at most: beyond it one pair in ten fits some hour by chance',
  },
  zoneLateSeconds: { value: 15, meaning: 'Clock error besides a supposed time zone with the delay of polls, at most' },
  zoneHarm: { value: 0.3, meaning: 'An event with less harm may fit any onset by chance' },
  zoneHarmSeconds: { value: 300, meaning: 'Harm with a wider range of delays may fit any onset by chance' },
  zoneChance: {
    value: 0.15,
    meaning:
      'If events cover a larger share of an hour, no time zone is supposed: a correct clock would be suspected as often',
  },
  mostZoneFits: { value: 10_000, meaning: 'With more combinations of events and onsets, some hour always fits' },
});
