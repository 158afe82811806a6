import { parameters } from '../parameter.ts';

/** How the evidence on a suspect is valued, and which hypotheses are listed. */
export const ranking = parameters({
  slowestSeconds: { value: 1800, meaning: 'Search window before the impact for slow causes such as cooling, at least' },
  latestSeconds: {
    value: 45,
    meaning: 'Causes after the first anomaly are searched within this time, at least: slow polls are late',
  },
  afterwardsSeconds: {
    value: 300,
    meaning:
      'Search window after the first anomaly for slow effects and causes that are reported when they end, at least',
  },
  callerReach: {
    value: 0.5,
    meaning: 'Share of the harm of an entity that reaches the service through another service that it calls',
  },
  siblingReach: {
    value: 0.3,
    meaning: 'Share of the harm of an entity of another service on the same machine that reaches the service',
  },
  brokenPathShare: {
    value: 0.4,
    meaning:
      'Value of an entity without a path to the service that the topology links to others: a link may be missing',
  },
  companyShare: {
    value: 0.4,
    meaning: 'Value of the unknown place of a service against devices if others degraded with it',
  },
  togetherReach: {
    value: 0.3,
    meaning:
      'Share of the harm of an entity that reaches a service of unknown place, if it carries one that degraded at the same time',
  },
  leastSiteShare: {
    value: 0.3,
    meaning: 'Share of the machines of a site from which an entity may lead to a service of unknown place',
  },
  unmappedReach: {
    value: 0.1,
    meaning: 'Share of the harm of an entity that is not in the topology that reaches the service',
  },
  soleSupplyHarm: {
    value: 0.8,
    meaning: 'Harm of the failure of the only supply that a machine has, as far as is known',
  },
  harmDecaySeconds: {
    value: 15,
    meaning: 'A direct harm decays by e with each such time outside its delay: records and onsets may be late',
  },
  stepFactor: {
    value: 0.9,
    meaning: 'With each step, an effect of an effect supports the first cause by this factor less',
  },
  mostSteps: { value: 6, meaning: 'Steps from a cause to its effects that are followed, at most' },
  mostCauseSteps: {
    value: 4,
    meaning: 'Steps from a suspect to its causes that are followed for unexplained harm, at most',
  },
  supposedMachines: {
    value: 2,
    meaning: 'Machines without faults that are added before the share behind a silent device is taken',
  },
  failedTogetherSeconds: {
    value: 2,
    meaning:
      'Of ranks of one job that end within so many seconds of each other, their times do not decide which was first; more by the doubts of two clocks',
  },
  failedAfterSeconds: {
    value: 900,
    meaning: 'A rank that ends with an error within so many seconds after another one of its job lost its peer',
  },
  partAlone: {
    value: 0.8,
    meaning:
      'With this share of the probability of all parts of a device that show the same, one part is named instead of it',
  },
  elsewhereRelevance: { value: 0.2, meaning: 'Relevance of an effect that does not lead to the service' },
  surePath: { value: 0.3, meaning: 'From this path probability on, an effect counts in full' },
  leadingPath: { value: 0.1, meaning: 'From this path probability on, an effect continues the chain of its cause' },
  leastPath: { value: 0.02, meaning: 'A path probability counts as no nearer to 0 or 1 than this' },
  shortestDelaySeconds: { value: 0.01, meaning: 'Shorter delays are as likely as this one' },
  likelyBelief: { value: 0.5, meaning: 'From this belief on, an event is likely an effect' },
  neutralSeconds: {
    value: 30,
    meaning: 'At this distance from the onset the time of an event is neither for nor against it',
  },
  slowShare: {
    value: 1 / 3,
    meaning: 'At this share of the time that the harm of an event may take, its distance is neither for nor against it',
  },
  nearSeconds: { value: 60, meaning: 'An event this long before the last normal measurement is no longer near' },
  uncheckedClockSeconds: {
    value: 10,
    meaning: 'Error of a clock that nothing confirms: half of them are wrong by more',
  },
  checkedClockSeconds: {
    value: 5,
    meaning: 'Error of a clock beyond what its check left open: half of them are wrong by more',
  },
  mostDistance: { value: 3, meaning: 'Bound of the value of the distance in time of an event before the onset' },
  aroundSeconds: {
    value: 900,
    meaning: 'An event that recurs this long before the impact belongs to it; earlier ones show a habit',
  },
  mostOccurrences: { value: 50, meaning: 'More occurrences of an event, or other devices with it, add no evidence' },
  elsewhereSeconds: { value: 120, meaning: 'Events on devices of other services within this time are simultaneous' },
  leastHarm: { value: 0.15, meaning: 'An event with less harm is harmless and needs no cause' },
  unrelatedPerHour: { value: 1, meaning: 'Effects of a type that occur on an entity for unrelated reasons, per hour' },
  severalServices: { value: 2, meaning: 'So many other services that degraded at the same time are no coincidence' },
  sameOnsetSeconds: { value: 30, meaning: 'Onsets of two services within this time are simultaneous' },
  mostSpared: {
    value: 1.5,
    meaning: 'More services that are well on the machine of an event add no evidence against it',
  },
  highSeverityValue: { value: 0.5, meaning: 'Value of a high severity; of critical 1, of medium 0' },
  lowSeverityValue: { value: -1, meaning: 'Value of a low severity' },
  unsupportedZonePenalty: {
    value: 1.5,
    meaning: 'Value of an assumed time zone that no other data source supports, instead of 1',
  },
  silentEffectShare: { value: 0.7, meaning: 'Probability that a silent cause brings about an effect' },
  silentPathShare: { value: 0.8, meaning: 'Probability that a silent cause harms the service as its effects do' },
  truncatedSeconds: { value: 1, meaning: 'Tolerance of the times of effects, because logs truncate them to seconds' },
  branchSeconds: {
    value: 5,
    meaning: 'At this distance of the first faults of branches, the value of a common cause is halved',
  },
  branchShare: {
    value: 2 / 3,
    meaning: 'Share of the branches that fail together: one may have a fault of its own, or report late',
  },
  kindWatchedValue: { value: 0.5, meaning: 'Value of the silence of a device if only others of its kind are recorded' },
  endingSeconds: {
    value: 10,
    meaning: 'Recoveries with a common cause come within seconds, or within one poll interval',
  },
  supposedShare: {
    value: 0.5,
    meaning: 'Effects over links that are not in the topology weigh this share of an unmapped entity, at most',
  },
  chanceTimes: {
    value: 3,
    meaning:
      'Latency ratio that a healthy service exceeds in one of a thousand measurements; noise never reaches a factor of ten',
  },
  mostTimesWorse: { value: 100, meaning: 'Low throughput counts as so many times worse, at most' },
  rolloutSeconds: { value: 900, meaning: 'A rollout this long before the first anomaly may be the cause' },
  rolloutNearSeconds: { value: 120, meaning: 'A rollout further back than this counts less, in proportion' },
  rolloutLateSeconds: {
    value: 15,
    meaning: 'An onset measured every ten seconds may precede the rollout that caused it by this much',
  },
  cancelledSeconds: {
    value: 120,
    meaning: 'A job cancelled this long before its last sign of life was missed may have ended by it',
  },
  cancelledLateSeconds: {
    value: 30,
    meaning: 'A scheduler may record this much after the onset that it cancelled a job, by its clock or its queue',
  },
  leastSurge: { value: 0.2, meaning: 'A smaller rise of the load is none, as a natural logarithm' },
  mostSurge: { value: 2, meaning: 'A higher rise of the load counts no more, as a natural logarithm' },
  outsideCorpusProbability: { value: 0.02, meaning: 'Residual probability of causes outside the corpus, by judgement' },
  insistentProbability: {
    value: 0.9,
    meaning: 'An event after the first anomaly is the root cause only from this probability on',
  },
  manySuspects: {
    value: 1000,
    meaning: 'From so many suspects of a sort on, those that are alike are weighed by their first and last one',
  },
  leastAlike: { value: 5, meaning: 'Suspects that are weighed by their first and last one, at least' },
  alikeLogOdds: {
    value: 0.1,
    meaning: 'Where the first and the last of suspects that are alike differ by more log-odds, each is weighed',
  },
  listed: { value: 10, meaning: 'Hypotheses that are listed, at most' },
  alwaysListed: { value: 3, meaning: 'So many hypotheses are listed however unlikely' },
  leastListedProbability: { value: 0.005, meaning: 'Less likely hypotheses are not listed' },
  leastShownWeight: { value: 0.02, meaning: 'Evidence with less weight is not listed' },
  roundingDifference: {
    value: 0.005,
    meaning: 'A smaller difference of a probability or weight between two rankings is rounding',
  },
});
