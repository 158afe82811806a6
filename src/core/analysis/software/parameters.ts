import { parameters } from '../parameter.ts';

/** Which service, span, log template or metric is the cause if no device is. */
export const software = parameters({
  mostExamined: {
    value: 5,
    meaning: 'Incidents of which software suspects are named, the worst ones, at most: comparing takes seconds',
  },
  leastSoftwareProbability: {
    value: 0.1,
    meaning: 'Software suspects are named from this probability of "no physical cause" on',
  },
  statedReasonOdds: {
    value: 4,
    meaning:
      'Log-odds of a service whose new log lines of failure state a reason in software, settings or credentials, by judgement',
  },
  worstTimeChance: {
    value: 0.05,
    meaning: 'A service without an impact has a worst time if chance gives such a one more rarely than this',
  },
  worstTimeBlocks: {
    value: 12,
    meaning: 'Length of a worst time, in stretches of five minutes or measurements, at most',
  },
  leastNamedOdds: {
    value: -2,
    meaning: 'Software suspects with lower log-odds receive no share of the probability',
  },
  mostNamed: { value: 5, meaning: 'Software suspects that share the probability, at most' },
  namedLines: { value: 4, meaning: 'Lines of evidence of a named suspect, at most' },
  listed: { value: 20, meaning: 'Software suspects that are listed, at most' },
  leastBaselineSeconds: { value: 60, meaning: 'A shorter baseline is replaced by the time after the window' },
  baselineIntervals: { value: 12, meaning: 'The baseline is longer for sparse measurements: so many intervals' },
  sampleSeconds: {
    value: 60,
    meaning:
      'The first sample after the window belongs to it up to this distance, because it covers the time before it',
  },
  furtherLayerShare: {
    value: 0.5,
    meaning: 'Each further layer counts by this share of the one before: layers see the same requests',
  },
  unrelatedOdds: { value: -1.5, meaning: 'Log-odds of a suspect without calls from or to the affected service' },
  responsibleOdds: {
    value: 2,
    meaning: 'Log-odds of a suspect in which most of the degradation of the affected service begins',
  },
  responsibleShare: {
    value: 0.5,
    meaning: 'Share of the degradation of the affected service that counts as most of it',
  },
  slightShare: {
    value: 0.05,
    meaning: 'Share of the degradation of the affected service below which hardly any begins in a suspect',
  },
  slightOdds: {
    value: -1.5,
    meaning: 'Log-odds of a suspect in which hardly any of the degradation of the affected service begins',
  },
  leastServices: { value: 2, meaning: 'Services among which the prior is divided, at least' },
  mostOdds: { value: 5, meaning: 'Bound of the log-odds of one change of measurements or spans' },
  mostMetricOdds: { value: 2.5, meaning: 'Bound of the log-odds of a change of another metric' },
  mostFailureLogOdds: { value: 4, meaning: 'Bound of the log-odds of a template of error messages' },
  mostOtherLogOdds: { value: 2, meaning: 'Bound of the log-odds of a template of other log lines' },
  mostServingOdds: {
    value: 6,
    meaning: 'Bound of the log-odds of a change in the serving of a model, which is a cause and no symptom',
  },
  furtherConditionShare: {
    value: 0.5,
    meaning: 'Each further change in the serving of a model counts by this share of the one before',
  },
  restartSeconds: { value: 120, meaning: 'A start of software this long before an onset may be its cause' },
  restartLateSeconds: { value: 15, meaning: 'A start may be recorded this much after an onset that it caused' },
  restartNearSeconds: { value: 30, meaning: 'Starts nearer to an onset than this are no nearer' },
  leastRestartRecordSeconds: { value: 600, meaning: 'How often software starts is judged over this time at least' },
  mostRestartOdds: { value: 4, meaning: 'Bound of the log-odds of a start shortly before an onset' },
  restartReachShare: {
    value: 0.8,
    meaning:
      'Share of the change of a service that a restart explains of one that it calls, or that its callers call too',
  },
  mostStepOdds: { value: 3, meaning: 'Bound of the log-odds of a skipped step, which has many possible reasons' },
  leastSpreadShare: {
    value: 0.05,
    meaning: 'Spread of a baseline as a share of its level, at least: few values underestimate it',
  },
  leastHistory: { value: 20, meaning: 'Fewer measurements of normal days give no spread' },
  mostOldLevelOdds: {
    value: 0.4,
    meaning:
      'Bound of the log-odds of a change from the level of normal days, where none was measured before the incident',
  },
  leastSpreadShareOfOne: {
    value: 0.25,
    meaning: 'Spread of a baseline of a single value as a share of its level, at least',
  },
  leastRatio: { value: 1.2, meaning: 'A smaller change of a latency or metric is not relevant, however significant' },
  leastThroughputRatio: { value: 1.3, meaning: 'A smaller change of the throughput is not relevant' },
  leastErrorRisePercent: { value: 0.5, meaning: 'A smaller rise of the error rate of a service is not relevant' },
  notableOdds: { value: 0.5, meaning: 'A change with lower log-odds explains nothing' },
  sureOdds: { value: 2, meaning: 'From these log-odds on, a callee is surely slow or failing' },
  loadedTimes: { value: 2, meaning: 'So many times the requests explain all that they can explain' },
  mostLoadShare: { value: 0.9, meaning: 'Share of the degradation of a service that more requests explain, at most' },
  timeoutShare: {
    value: 0.7,
    meaning: 'Share of the errors of its callers that a slow callee explains, by their timeouts',
  },
  retryShare: {
    value: 0.5,
    meaning: 'Share of the latency of its callers that a failing callee explains, by their retries',
  },
  goneShare: { value: 0.9, meaning: 'Share of the errors and latency of its callers that a missing callee explains' },
  mostThroughputOdds: {
    value: 1,
    meaning: 'Bound of the log-odds of a change of the throughput, which alone rarely makes a service the cause',
  },
  explainsOdds: { value: 0.5, meaning: 'Log-odds of a suspect for each doubling of the services that it explains' },
  mostExplainsOdds: { value: 1.5, meaning: 'Bound of the log-odds for the services that a suspect explains' },
  leastJointMeasurements: {
    value: 4,
    meaning: 'Two series with fewer measurements at the same times show no likeness',
  },
  believedOdds: {
    value: 0.01,
    meaning: 'Log-odds of a rise at the affected service that chance may explain: hardly any',
  },
  unlikeShare: {
    value: 0.3,
    meaning: 'Share of the log-odds of a change that counts if the affected service moves differently',
  },
  unlikeBelowShare: {
    value: 0.75,
    meaning: 'A change that counts by a smaller share has a line of evidence on it',
  },
  sameMove: { value: 0.8, meaning: 'Correlation of two series from which they move as one' },
  sameRiseTimes: { value: 2, meaning: 'Two rises of which one is at most so many times the other may be one rise' },
  leastNeighbourShare: { value: 0.2, meaning: 'A neighbour explains a degradation from this share on' },
  explainedShare: { value: 0.5, meaning: 'A degradation counts as explained from this share on' },
  errorPercentOfFold: {
    value: 10,
    meaning:
      'So much of the error rate counts like a latency that is e times higher, between services that call each other',
  },
  supposedTimes: {
    value: 1.5,
    meaning:
      'So many times as far from its baseline is a service that may be behind another one, whose calls could not be recorded',
  },
  supposedLikeness: { value: 0.5, meaning: 'A service that moves less like that one is not behind it' },
  mostHops: { value: 12, meaning: 'Calls along which the share of a degradation is followed, at most' },
  leastFollowedShare: { value: 0.001, meaning: 'A smaller share of a degradation is not followed' },
  mostUnmeasured: { value: 3, meaning: 'Unmeasured services between two measured ones, at most' },
  leastSpans: { value: 5, meaning: 'Fewer spans are no reference, and no quantile' },
  leastSelfTimeRatio: { value: 1.3, meaning: 'A rise of the self time by a smaller factor is not relevant' },
  leastSelfTimeMilliseconds: { value: 1, meaning: 'A rise of the self time by less is not relevant' },
  fullTimeShare: {
    value: 0.33,
    meaning: 'Share of all added span time from which a suspect counts in full; below, in proportion',
  },
  leastTimeShare: { value: 0.02, meaning: 'A smaller share of all added span time is not relevant' },
  leastErrorRiseShare: { value: 0.005, meaning: 'A smaller rise of the share of spans that fail is not relevant' },
  unansweredShare: {
    value: 0.5,
    meaning: 'Share of the calls answered before that are not answered any more if the callee is gone',
  },
  answeredBeforeShare: {
    value: 0.5,
    meaning: 'A callee that answered a smaller share of the calls before cannot be gone',
  },
  ownTimeShare: {
    value: 0.5,
    meaning: 'A service is slow in general if this share of the added request time is its own',
  },
  slowNamesShare: { value: 0.5, meaning: 'A service is slow in general if this share of its span names is slower' },
  leastSpanNames: { value: 3, meaning: 'A service with fewer span names cannot be slow in general' },
  surgeTimes: { value: 2, meaning: 'A template surges at this many times its expected lines' },
  leastLines: { value: 2, meaning: 'A template with fewer lines is no evidence' },
  furtherTemplateShare: {
    value: 0.25,
    meaning: 'Share of the weight of the further templates of a service: they are usually redundant',
  },
  mostFindings: { value: 3, meaning: 'Templates, series or steps of one suspect, at most' },
  mostTallies: { value: 50_000, meaning: 'Templates of all services, at most; lines of others are left out' },
  mostSeries: { value: 2000, meaning: 'Series that are compared, at most' },
  calleeSkipsShare: {
    value: 0.25,
    meaning: 'Share of a skipped step that counts if a callee skips steps, too: its response was probably unusual',
  },
  leastRuns: { value: 5, meaning: 'Fewer runs of a span do not show a skipped step' },
  minerDepth: { value: 2, meaning: 'Tokens of a log line that lead down the tree of templates' },
  minerSimilarityShare: { value: 0.5, meaning: 'Share of equal tokens from which a line belongs to a template' },
  minerChildren: { value: 100, meaning: 'Children of a node of the tree before the rest share one' },
  minerTemplates: { value: 5000, meaning: 'Templates of one index or window, at most; further lines fit none' },
  minerTokens: { value: 80, meaning: 'Tokens of a line, at most; the rest is cut' },
});
