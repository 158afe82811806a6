import type { EntityKind } from '../../../model/entity.ts';
import { CPU_TIME, PRESSURE } from '../../../model/telemetry/metric.ts';
import { trainingMetric } from '../../../model/telemetry/training-metrics.ts';
import { queries } from './index.ts';

/** Tables of recorded rows that a query may need. */
export type RecordedTable = 'collective' | 'distribution' | 'event' | 'log' | 'point' | 'span';

const ofLogs: readonly RecordedTable[] = ['log'];
const ofSpans: readonly RecordedTable[] = ['span'];
const ofPoints: readonly RecordedTable[] = ['point'];
const ofHistograms: readonly RecordedTable[] = ['distribution'];
const ofCollectives: readonly RecordedTable[] = ['collective'];

/**
 * Queries that answer nothing while all of these tables are empty. To prepare a long query takes 5 to 40 ms, even of an empty
 * case: most recordings have some tables only, and a live case asks again and again.
 */
const needed: Partial<Record<keyof typeof queries, readonly RecordedTable[]>> = {
  calledServices: ofSpans,
  calls: ['log', 'span'],
  checkpointLines: ofLogs,
  clockLevels: ofPoints,
  collectiveLanes: ofCollectives,
  collectiveProgress: ofCollectives,
  collectives: ofCollectives,
  levelShifts: ofPoints,
  countedDurations: ['distribution', 'point'],
  countedRequests: ofPoints,
  countedSteps: ofPoints,
  countersBegun: ofPoints,
  differenceEvents: ['event'],
  differenceHistograms: ofHistograms,
  differencePeers: ['distribution', 'point'],
  differencePoints: ['distribution', 'point'],
  eventLanes: ['event'],
  histogramLanes: ofHistograms,
  idleGpus: ofPoints,
  lastCheckpoints: ofSpans,
  lateRanks: ofCollectives,
  lineStepProcesses: ofLogs,
  lineStepReturns: ofLogs,
  loadSlices: ofSpans,
  logBodies: ofLogs,
  logLanes: ofLogs,
  lostLoads: ofPoints,
  metricShifts: ofPoints,
  metricStepProcesses: ['distribution', 'point'],
  namedSpans: ofSpans,
  patternEvents: ['event'],
  processMinutes: ofPoints,
  recentBlocks: ofPoints,
  repeatedEvents: ['event'],
  retriedCalls: ofSpans,
  serviceGauges: ofPoints,
  serviceHistograms: ofHistograms,
  serviceLogRequests: ofLogs,
  serviceLogRanks: ofLogs,
  serviceLogSteps: ofLogs,
  serviceMetricRanks: ['distribution', 'point'],
  serviceParts: ofSpans,
  serviceSpans: ofSpans,
  serviceSpanSteps: ofSpans,
  serviceVersions: ofSpans,
  requestedTokens: ofSpans,
  servingDistributions: ofHistograms,
  servingParts: ofSpans,
  servingSamples: ofPoints,
  servingSpans: ofSpans,
  spanLanes: ofSpans,
  spanShifts: ofSpans,
  stoppedRanks: ofPoints,
  spanStepProcesses: ofSpans,
  spanSteps: ofSpans,
  stageTimes: ofSpans,
  failureEvents: ['event'],
  stallEvents: ['event'],
  statedReadings: ofPoints,
  statedLoads: ['log', 'point'],
  stragglerSlices: ['distribution', 'point'],
  trainingEvents: ['event'],
  trainingRuns: ['log', 'span'],
  watchedChanges: ofPoints,
  watchedLevels: ofPoints,
  watchedState: ofPoints,
  workEnds: ofSpans,
};

/** Queries that answer nothing, whatever rows there are, while the case has no entity of these kinds. */
const kinds: Partial<Record<keyof typeof queries, readonly EntityKind[]>> = {
  clockLevels: ['gpu'],
  countersBegun: ['pod'],
  idleGpus: ['gpu'],
  levelShifts: ['cooling', 'server', 'node', 'instance', 'device'],
  lostLoads: ['psu', 'outlet', 'pdu'],
};

type IsMetric = (metric: string, unit: string) => boolean;
const like = (pattern: string): IsMetric => {
  const expression = new RegExp(pattern);
  return (metric) => expression.test(metric);
};
const isOfOperations = like('nccl|rccl|collective|cuda|(^|[._])hip[._]');

/** The same of metrics. */
const metrics: Partial<Record<keyof typeof queries, IsMetric>> = {
  clockLevels: like('^hw[.]gpu[.]clock[.]sm$'),
  countersBegun: like(CPU_TIME),
  idleGpus: like('^hw[.]gpu[.]utilization$'),
  levelShifts: like(`^hw[.](coolant[.]flow|temperature)$|${PRESSURE}`),
  lostLoads: like('^hw[.](power([.](in|out)put)?|current)$'),
  processMinutes: like('^ingero[.]operation[.]count$'),
  stragglerSlices: (metric, unit) =>
    isOfOperations(metric.toLowerCase(), unit) || trainingMetric(metric, unit)?.means === 'collective_time',
};

/** The same of events: the types that the query itself lists. */
const ofListedEvents: readonly (keyof typeof queries)[] = ['failureEvents', 'stallEvents', 'trainingEvents'];
const listedTypes = (sql: string): readonly string[] =>
  [.../ n[.]text in [(]([^)]+)/.exec(sql)![1]!.matchAll(/'(\w+)'/g)].map(([, type]) => type!);

const byText = <T>(entries: Readonly<Record<string, T>>): ReadonlyMap<string, T> =>
  new Map(Object.entries(entries).map(([name, entry]) => [queries[name as keyof typeof queries], entry]));

/** By text of the query. */
export const neededRows: ReadonlyMap<string, readonly RecordedTable[]> = byText(needed);
/** By text of the query. */
export const neededKinds: ReadonlyMap<string, readonly EntityKind[]> = byText(kinds);
/** By text of the query: which metrics, with their unit or '', are among those that it reads. */
export const neededMetrics: ReadonlyMap<string, IsMetric> = byText(metrics);
/** By text of the query: types of events. */
export const neededEvents: ReadonlyMap<string, readonly string[]> = new Map(
  ofListedEvents.map((name) => [queries[name], listedTypes(queries[name])]),
);
