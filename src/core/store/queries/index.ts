import clockLevels from './clocks/clock-levels.sql?raw';
import clockSources from './clocks/clock-sources.sql?raw';
import samplingFloors from './clocks/sampling-floors.sql?raw';
import collectiveProgress from './collectives/collective-progress.sql?raw';
import collectiveRecord from './collectives/collective-record.sql?raw';
import collectives from './collectives/collectives.sql?raw';
import lateRanks from './collectives/late-ranks.sql?raw';
import rankEntities from './collectives/rank-entities.sql?raw';
import stragglerSlices from './collectives/straggler-slices.sql?raw';
import differenceEventExamples from './differences/difference-event-examples.sql?raw';
import differenceEvents from './differences/difference-events.sql?raw';
import differenceHistograms from './differences/difference-histograms.sql?raw';
import differencePeers from './differences/difference-peers.sql?raw';
import differencePointCount from './differences/difference-point-count.sql?raw';
import differencePointSample from './differences/difference-point-sample.sql?raw';
import differencePoints from './differences/difference-points.sql?raw';
import differenceSample from './differences/difference-sample.sql?raw';
import differenceSpanCount from './differences/difference-span-count.sql?raw';
import differenceSpanExamples from './differences/difference-span-examples.sql?raw';
import differenceSpanNumbers from './differences/difference-span-numbers.sql?raw';
import differenceSpanValues from './differences/difference-span-values.sql?raw';
import eventCount from './events/event-count.sql?raw';
import eventKinds from './events/event-kinds.sql?raw';
import eventRecords from './events/event-records.sql?raw';
import eventRows from './events/event-rows.sql?raw';
import eventTimes from './events/event-times.sql?raw';
import eventTypes from './events/event-types.sql?raw';
import events from './events/events.sql?raw';
import eventsNamed from './events/events-named.sql?raw';
import eventsNear from './events/events-near.sql?raw';
import failureEvents from './events/failure-events.sql?raw';
import firstAlert from './events/first-alert.sql?raw';
import patternEvents from './events/pattern-events.sql?raw';
import recoveryEvents from './events/recovery-events.sql?raw';
import repairEvents from './events/repair-events.sql?raw';
import repeatedEvents from './events/repeated-events.sql?raw';
import reporters from './events/reporters.sql?raw';
import searchEvents from './events/search-events.sql?raw';
import stallEvents from './events/stall-events.sql?raw';
import stateEvents from './events/state-events.sql?raw';
import statedReadings from './events/stated-readings.sql?raw';
import trainingEvents from './events/training-events.sql?raw';
import gpuBuckets from './gpus/gpu-buckets.sql?raw';
import gpuCounters from './gpus/gpu-counters.sql?raw';
import gpuEvents from './gpus/gpu-events.sql?raw';
import gpuModels from './gpus/gpu-models.sql?raw';
import gpuSlots from './gpus/gpu-slots.sql?raw';
import gpuThrottledNow from './gpus/gpu-throttled-now.sql?raw';
import gpuThrottles from './gpus/gpu-throttles.sql?raw';
import gpuXids from './gpus/gpu-xids.sql?raw';
import hostGpus from './gpus/host-gpus.sql?raw';
import idleGpus from './gpus/idle-gpus.sql?raw';
import observers from './gpus/observers.sql?raw';
import { jobQueries } from './job-queries.ts';
import collectiveLanes from './lanes/collective-lanes.sql?raw';
import eventLanes from './lanes/event-lanes.sql?raw';
import histogramLanes from './lanes/histogram-lanes.sql?raw';
import laneCollectiveDensity from './lanes/lane-collective-density.sql?raw';
import laneCollectives from './lanes/lane-collectives.sql?raw';
import laneEventDensity from './lanes/lane-event-density.sql?raw';
import laneEvents from './lanes/lane-events.sql?raw';
import laneHistograms from './lanes/lane-histograms.sql?raw';
import laneLogs from './lanes/lane-logs.sql?raw';
import laneMetricRanges from './lanes/lane-metric-ranges.sql?raw';
import laneMetrics from './lanes/lane-metrics.sql?raw';
import laneSpanDensity from './lanes/lane-span-density.sql?raw';
import laneSpans from './lanes/lane-spans.sql?raw';
import laneStates from './lanes/lane-states.sql?raw';
import logLanes from './lanes/log-lanes.sql?raw';
import metricLanes from './lanes/metric-lanes.sql?raw';
import overview from './lanes/overview.sql?raw';
import overviewSpanCounts from './lanes/overview-span-counts.sql?raw';
import overviewSpans from './lanes/overview-spans.sql?raw';
import silences from './lanes/silences.sql?raw';
import spanLanes from './lanes/span-lanes.sql?raw';
import stateLanes from './lanes/state-lanes.sql?raw';
import statisticsCollectives from './lanes/statistics-collectives.sql?raw';
import statisticsEvents from './lanes/statistics-events.sql?raw';
import statisticsHistograms from './lanes/statistics-histograms.sql?raw';
import statisticsLogs from './lanes/statistics-logs.sql?raw';
import statisticsMetrics from './lanes/statistics-metrics.sql?raw';
import statisticsSpans from './lanes/statistics-spans.sql?raw';
import logAround from './logs/log-around.sql?raw';
import logBodies from './logs/log-bodies.sql?raw';
import logCount from './logs/log-count.sql?raw';
import logFacets from './logs/log-facets.sql?raw';
import logLines from './logs/log-lines.sql?raw';
import logRecord from './logs/log-record.sql?raw';
import logRecords from './logs/log-records.sql?raw';
import logRows from './logs/log-rows.sql?raw';
import logSearch from './logs/log-search.sql?raw';
import searchLogs from './logs/search-logs.sql?raw';
import traceGroupNames from './logs/trace-group-names.sql?raw';
import calledServices from './measurements/called-services.sql?raw';
import countedDurations from './measurements/counted-durations.sql?raw';
import countedRequests from './measurements/counted-requests.sql?raw';
import histogramSeries from './measurements/histogram-series.sql?raw';
import metricNames from './measurements/metric-names.sql?raw';
import metricShifts from './measurements/metric-shifts.sql?raw';
import processMinutes from './measurements/process-minutes.sql?raw';
import recentBlocks from './measurements/recent-blocks.sql?raw';
import requestCounters from './measurements/request-counters.sql?raw';
import sampleRecord from './measurements/sample-record.sql?raw';
import serviceGauges from './measurements/service-gauges.sql?raw';
import serviceHistograms from './measurements/service-histograms.sql?raw';
import serviceLogRequests from './measurements/service-log-requests.sql?raw';
import serviceParts from './measurements/service-parts.sql?raw';
import serviceSpans from './measurements/service-spans.sql?raw';
import servingDistributions from './measurements/serving-distributions.sql?raw';
import servingSamples from './measurements/serving-samples.sql?raw';
import workEnds from './measurements/work-ends.sql?raw';
import partCounters from './parts/part-counters.sql?raw';
import partEvents from './parts/part-events.sql?raw';
import partTimes from './parts/part-times.sql?raw';
import parts from './parts/parts.sql?raw';
import { withPeerNames } from './peer-name.ts';
import countersBegun from './samples/counters-begun.sql?raw';
import levelShifts from './samples/level-shifts.sql?raw';
import lostLoads from './samples/lost-loads.sql?raw';
import sampledEntities from './samples/sampled-entities.sql?raw';
import watchedChanges from './samples/watched-changes.sql?raw';
import watchedEntities from './samples/watched-entities.sql?raw';
import watchedEntitySeries from './samples/watched-entity-series.sql?raw';
import watchedLevels from './samples/watched-levels.sql?raw';
import watchedSeries from './samples/watched-series.sql?raw';
import watchedState from './samples/watched-state.sql?raw';
import recordedKinds from './sources/recorded-kinds.sql?raw';
import recordedLayers from './sources/recorded-layers.sql?raw';
import rejectReasons from './sources/reject-reasons.sql?raw';
import rejects from './sources/rejects.sql?raw';
import resources from './sources/resources.sql?raw';
import searchEntities from './sources/search-entities.sql?raw';
import sources from './sources/sources.sql?raw';
import aliases from './topology/aliases.sql?raw';
import calls from './topology/calls.sql?raw';
import countedEdges from './topology/counted-edges.sql?raw';
import edges from './topology/edges.sql?raw';
import entities from './topology/entities.sql?raw';
import entitiesIntroduced from './topology/entities-introduced.sql?raw';
import entityAliases from './topology/entity-aliases.sql?raw';
import judgedEdges from './topology/judged-edges.sql?raw';
import links from './topology/links.sql?raw';
import merges from './topology/merges.sql?raw';
import rackUnits from './topology/rack-units.sql?raw';
import relations from './topology/relations.sql?raw';
import statedEdges from './topology/stated-edges.sql?raw';
import affectedUsers from './traces/affected-users.sql?raw';
import lastCheckpoints from './traces/last-checkpoints.sql?raw';
import loadSlices from './traces/load-slices.sql?raw';
import measuredStages from './traces/measured-stages.sql?raw';
import namedSpans from './traces/named-spans.sql?raw';
import { oneTraceQueries } from './traces/one-trace-queries.ts';
import recordedSeconds from './traces/recorded-seconds.sql?raw';
import repairSpans from './traces/repair-spans.sql?raw';
import requestShares from './traces/request-shares.sql?raw';
import requestedTokens from './traces/requested-tokens.sql?raw';
import resourcePoints from './traces/resource-points.sql?raw';
import resourceSpans from './traces/resource-spans.sql?raw';
import retriedCalls from './traces/retried-calls.sql?raw';
import searchIds from './traces/search-ids.sql?raw';
import searchSpans from './traces/search-spans.sql?raw';
import serviceCalls from './traces/service-calls.sql?raw';
import serviceVersions from './traces/service-versions.sql?raw';
import servingParts from './traces/serving-parts.sql?raw';
import servingSpans from './traces/serving-spans.sql?raw';
import spanRecord from './traces/span-record.sql?raw';
import spanRows from './traces/span-rows.sql?raw';
import spanShifts from './traces/span-shifts.sql?raw';
import spanSteps from './traces/span-steps.sql?raw';
import spanTimes from './traces/span-times.sql?raw';
import spansBetween from './traces/spans-between.sql?raw';
import stageTimes from './traces/stage-times.sql?raw';
import statedLoads from './traces/stated-loads.sql?raw';
import toolCalls from './traces/tool-calls.sql?raw';
import traceExtent from './traces/trace-extent.sql?raw';
import traceGroupEvents from './traces/trace-group-events.sql?raw';
import traceGroupLinks from './traces/trace-group-links.sql?raw';
import traceGroupLogs from './traces/trace-group-logs.sql?raw';
import traceGroupSpans from './traces/trace-group-spans.sql?raw';
import traceHeads from './traces/trace-heads.sql?raw';
import traceSpanCount from './traces/trace-span-count.sql?raw';
import traceSpans from './traces/trace-spans.sql?raw';
import traceTags from './traces/trace-tags.sql?raw';
import traceValues from './traces/trace-values.sql?raw';
import trainingLoops from './traces/training-loops.sql?raw';
import windowEnd from './traces/window-end.sql?raw';

/** Every query of the core, one file each; all are prepared in a test. */
export const queries = {
  ...jobQueries,
  affectedUsers,
  aliases,
  calledServices: withPeerNames(calledServices),
  calls: withPeerNames(calls),
  clockLevels,
  clockSources,
  collectiveLanes,
  collectiveRecord,
  collectives,
  collectiveProgress,
  failureEvents,
  stallEvents,
  trainingEvents,
  idleGpus,
  observers,
  workEnds,
  countedEdges: links + judgedEdges + countedEdges,
  statedEdges: links + statedEdges + countedEdges,
  differenceEventExamples,
  differenceEvents,
  differenceHistograms,
  differencePeers: differencePointSample + differencePeers,
  differencePointCount,
  differencePoints: differencePointSample + differencePoints,
  differenceSpanCount,
  differenceSpanExamples,
  differenceSpans: differenceSample + differenceSpanValues + differenceSpanNumbers,
  edges: links + judgedEdges + edges,
  edgesAsStated: links + statedEdges + edges,
  entities,
  entitiesIntroduced,
  entityAliases,
  eventsNear,
  eventCount,
  eventKinds,
  eventLanes,
  eventTimes,
  eventRecords,
  eventRows,
  events,
  eventsNamed,
  firstAlert,
  gpuBuckets,
  gpuEvents,
  gpuModels,
  hostGpus,
  gpuThrottledNow,
  gpuThrottles,
  laneCollectiveDensity,
  laneCollectives,
  laneEventDensity,
  laneEvents,
  laneLogs,
  laneMetricRanges,
  laneHistograms,
  laneMetrics,
  laneSpanDensity,
  laneSpans,
  laneStates,
  lastCheckpoints,
  stragglerSlices,
  lateRanks,
  logAround,
  logBodies: withPeerNames(logBodies),
  levelShifts,
  lostLoads,
  logCount,
  logFacets,
  logLanes,
  logLines,
  logRecord,
  logRecords,
  logRows,
  logSearch,
  merges,
  histogramLanes,
  metricLanes,
  metricNames,
  metricShifts,
  countedDurations,
  countedRequests,
  processMinutes,
  requestCounters,
  loadSlices: trainingLoops + loadSlices,
  statedLoads,
  namedSpans,
  overview,
  overviewSpanCounts,
  overviewSpans,
  patternEvents,
  rackUnits,
  rankEntities,
  recentBlocks,
  recordedKinds,
  recordedLayers,
  recoveryEvents,
  rejectReasons,
  rejects,
  relations,
  gpuCounters,
  gpuSlots,
  gpuXids,
  partCounters,
  partEvents,
  parts,
  partTimes,
  repairEvents,
  repairSpans,
  repeatedEvents,
  reporters,
  resources,
  retriedCalls,
  sampleRecord,
  samplingFloors,
  searchEvents,
  searchLogs,
  searchIds,
  searchSpans,
  searchEntities,
  serviceGauges,
  histogramSeries,
  serviceHistograms,
  serviceLogRequests,
  countersBegun,
  serviceParts,
  serviceSpans,
  servingParts,
  servingDistributions,
  servingSamples,
  servingSpans,
  serviceVersions,
  silences,
  sources,
  spanLanes,
  spanTimes,
  spanRecord,
  spanRows,
  spanShifts: withPeerNames(spanShifts),
  spanSteps,
  spansBetween,
  stateEvents,
  statedReadings,
  stateLanes,
  statisticsCollectives,
  statisticsEvents,
  statisticsLogs,
  statisticsHistograms,
  statisticsMetrics,
  statisticsSpans,
  traceGroupEvents,
  traceGroupLinks,
  traceGroupLogs,
  traceGroupSpans,
  traceGroupNames,
  eventTypes,
  traceTags,
  ...oneTraceQueries,
  traceValues,
  traceSpanCount,
  serviceCalls,
  traceExtent,
  traceHeads,
  recordedSeconds,
  requestShares,
  windowEnd,
  measuredStages,
  resourcePoints,
  resourceSpans,
  stageTimes,
  requestedTokens,
  toolCalls,
  traceSpans,
  watchedChanges,
  sampledEntities,
  watchedEntities,
  watchedLevels,
  watchedSeries,
  watchedState,
  watchedEntitySeries,
} as const;
