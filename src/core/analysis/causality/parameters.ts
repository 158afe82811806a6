import { parameters } from '../parameter.ts';

/** Which events may have brought about which. */
export const causality = parameters({
  goesOnSeconds: {
    value: 120,
    meaning: 'What was recorded during an impact goes on after it while it recurs within this time',
  },
  afterwardsSeconds: { value: 900, meaning: 'Events are read for so long after the last impact' },
  repeatSeconds: { value: 30, meaning: 'Events of one type on an entity within this time are one fault' },
  delaySpan: { value: 30, meaning: 'A delay range that begins at zero counts from its maximum divided by this' },
  leastHidden: {
    value: 0.15,
    meaning:
      'Harm by an effect in a layer that nobody recorded that counts: a redundant feed that sags rarely does any',
  },
  togetherSeconds: { value: 6, meaning: 'Effects of one supply are recorded within seconds or a poll interval' },
  togetherMostSeconds: {
    value: 30,
    meaning: 'Effects of one supply are recorded within this time even with slow polls and uncertain clocks',
  },
  leastTogether: { value: 2, meaning: 'One reaction is a coincidence, so many at the same time are a pattern' },
  fewMachines: { value: 3, meaning: 'A share of fewer machines is no evidence' },
  recordedShare: {
    value: 0.6,
    meaning: 'Share of expected effects that show and are recorded: effects count as complete from here on',
  },
  reactedShare: {
    value: 0.8,
    meaning: 'If this share of the machines behind a supply reacted, the others may have another supply',
  },
  mostContrast: {
    value: 4,
    meaning: 'Bound of the log-odds ratio of machines behind and elsewhere: one comparison is never conclusive',
  },
  effectSeconds: {
    value: 60,
    meaning: 'The same effect elsewhere counts if it is this close in time, or as close as the mechanism allows',
  },
  effectMostSeconds: { value: 300, meaning: 'The same effect elsewhere counts only if it is this close in time' },
  reliableStrength: { value: 0.5, meaning: 'A missing effect of a weaker mechanism is no evidence' },
  applicationHarmShare: { value: 0.4, meaning: 'Share of the usual harm of an Xid that applications cause' },
  consequenceHarmShare: { value: 0.15, meaning: 'Share of the usual harm of an Xid that follows from another' },
  informationHarmShare: { value: 0.1, meaning: 'Share of the usual harm of an Xid for information' },
  driverHarmShare: { value: 0.7, meaning: 'Share of the usual harm of an Xid of the driver' },
  trimmingHarmShare: {
    value: 0.6,
    meaning: 'Share of the usual harm of a software thermal slowdown: it trims the clocks, the hardware halves them',
  },
  harmlessHarmShare: { value: 0.15, meaning: 'Share of the usual harm of a record that itself reports no fault' },
  mildCapShare: { value: 0.1, meaning: 'A limit lowered by less than this share is normal power policy' },
  movementWindowSeconds: {
    value: 60,
    meaning: 'Length of the window in which metrics of machines are compared, at least',
  },
  mostSeries: { value: 5000, meaning: 'Series of machines that are compared, at most' },
  stoppedShare: {
    value: 0.5,
    meaning: 'A series with a smaller share of the points of others has stopped: it does not show that nothing changed',
  },
  leastChangeShare: { value: 0.08, meaning: 'A smaller change of a metric is negligible, however significant' },
  movementChance: {
    value: 0.01,
    meaning: 'A change of a metric is significant if its chance over all machines is below this',
  },
  leastPeers: { value: 2, meaning: 'Fewer peers give no reference' },
  movedDeviations: {
    value: 3,
    meaning: 'An unchanged metric so many robust deviations from its baseline moved with its peers',
  },
  fewEvents: { value: 100_000, meaning: 'Up to so many events are read at once, and their clocks compared' },
  crowdedLateSeconds: {
    value: 15,
    meaning: 'With more events than fewEvents, causes after the first anomaly are searched within this time',
  },
});
