import affectedUsers from './affected-users.sql?raw';
import aliases from './aliases.sql?raw';
import calls from './calls.sql?raw';
import clockLevels from './clock-levels.sql?raw';
import clockSources from './clock-sources.sql?raw';
import collectiveLanes from './collective-lanes.sql?raw';
import collectiveRecord from './collective-record.sql?raw';
import collectives from './collectives.sql?raw';
import countedEdges from './counted-edges.sql?raw';
import differenceEventExamples from './difference-event-examples.sql?raw';
import differenceEvents from './difference-events.sql?raw';
import differencePeers from './difference-peers.sql?raw';
import differencePointCount from './difference-point-count.sql?raw';
import differencePointSample from './difference-point-sample.sql?raw';
import differencePoints from './difference-points.sql?raw';
import differenceSample from './difference-sample.sql?raw';
import differenceSpanCount from './difference-span-count.sql?raw';
import differenceSpanExamples from './difference-span-examples.sql?raw';
import differenceSpanNumbers from './difference-span-numbers.sql?raw';
import differenceSpanValues from './difference-span-values.sql?raw';
import edges from './edges.sql?raw';
import entities from './entities.sql?raw';
import entitiesIntroduced from './entities-introduced.sql?raw';
import entityAliases from './entity-aliases.sql?raw';
import eventKinds from './event-kinds.sql?raw';
import eventLanes from './event-lanes.sql?raw';
import eventMoments from './event-moments.sql?raw';
import eventRecord from './event-record.sql?raw';
import eventRows from './event-rows.sql?raw';
import events from './events.sql?raw';
import eventsNamed from './events-named.sql?raw';
import firstAlert from './first-alert.sql?raw';
import gpuEvents from './gpu-events.sql?raw';
import gpuModels from './gpu-models.sql?raw';
import gpuThrottles from './gpu-throttles.sql?raw';
import judgedEdges from './judged-edges.sql?raw';
import laneCollectiveDensity from './lane-collective-density.sql?raw';
import laneCollectives from './lane-collectives.sql?raw';
import laneEventDensity from './lane-event-density.sql?raw';
import laneEvents from './lane-events.sql?raw';
import laneLogs from './lane-logs.sql?raw';
import laneMetricRanges from './lane-metric-ranges.sql?raw';
import laneMetrics from './lane-metrics.sql?raw';
import laneSpanDensity from './lane-span-density.sql?raw';
import laneSpans from './lane-spans.sql?raw';
import laneStates from './lane-states.sql?raw';
import lastCheckpoints from './last-checkpoints.sql?raw';
import lateRanks from './late-ranks.sql?raw';
import logBodies from './log-bodies.sql?raw';
import logLanes from './log-lanes.sql?raw';
import logLines from './log-lines.sql?raw';
import logRecord from './log-record.sql?raw';
import logRecords from './log-records.sql?raw';
import logRows from './log-rows.sql?raw';
import logSearch from './log-search.sql?raw';
import merges from './merges.sql?raw';
import metricLanes from './metric-lanes.sql?raw';
import metricShifts from './metric-shifts.sql?raw';
import namedSpans from './named-spans.sql?raw';
import overview from './overview.sql?raw';
import overviewSpanCounts from './overview-span-counts.sql?raw';
import overviewSpans from './overview-spans.sql?raw';
import patternEvents from './pattern-events.sql?raw';
import patternLogs from './pattern-logs.sql?raw';
import rackUnits from './rack-units.sql?raw';
import rankEntities from './rank-entities.sql?raw';
import recentBlocks from './recent-blocks.sql?raw';
import recordedKinds from './recorded-kinds.sql?raw';
import recordedLayers from './recorded-layers.sql?raw';
import recoveryEvents from './recovery-events.sql?raw';
import rejects from './rejects.sql?raw';
import relations from './relations.sql?raw';
import repairEvents from './repair-events.sql?raw';
import repairSpans from './repair-spans.sql?raw';
import repeatedEvents from './repeated-events.sql?raw';
import reporters from './reporters.sql?raw';
import resources from './resources.sql?raw';
import retriedCalls from './retried-calls.sql?raw';
import sampleRecord from './sample-record.sql?raw';
import samplingFloors from './sampling-floors.sql?raw';
import searchEvents from './search-events.sql?raw';
import searchLogs from './search-logs.sql?raw';
import searchSpans from './search-spans.sql?raw';
import searchThings from './search-things.sql?raw';
import serviceGauges from './service-gauges.sql?raw';
import serviceHistograms from './service-histograms.sql?raw';
import serviceSpans from './service-spans.sql?raw';
import serviceVersions from './service-versions.sql?raw';
import silences from './silences.sql?raw';
import sources from './sources.sql?raw';
import spanLanes from './span-lanes.sql?raw';
import spanMoments from './span-moments.sql?raw';
import spanRecord from './span-record.sql?raw';
import spanRows from './span-rows.sql?raw';
import spanShifts from './span-shifts.sql?raw';
import spanSteps from './span-steps.sql?raw';
import spansBetween from './spans-between.sql?raw';
import stateEvents from './state-events.sql?raw';
import stateLanes from './state-lanes.sql?raw';
import statisticsCollectives from './statistics-collectives.sql?raw';
import statisticsEvents from './statistics-events.sql?raw';
import statisticsLogs from './statistics-logs.sql?raw';
import statisticsMetrics from './statistics-metrics.sql?raw';
import statisticsSpans from './statistics-spans.sql?raw';
import storyEvents from './story-events.sql?raw';
import storyLinks from './story-links.sql?raw';
import storyLogs from './story-logs.sql?raw';
import storySpans from './story-spans.sql?raw';
import storyWords from './story-words.sql?raw';
import toldEvents from './told-events.sql?raw';
import traceExtent from './trace-extent.sql?raw';
import traceHeads from './trace-heads.sql?raw';
import traceRequests from './trace-requests.sql?raw';
import traceServices from './trace-services.sql?raw';
import traceSpans from './trace-spans.sql?raw';
import watchedChanges from './watched-changes.sql?raw';
import watchedEntities from './watched-entities.sql?raw';
import watchedLevels from './watched-levels.sql?raw';
import watchedSeries from './watched-series.sql?raw';
import watchedState from './watched-state.sql?raw';
import watchedThings from './watched-things.sql?raw';

/** Every question the core asks of a case, one file each; all are prepared in a test. */
export const questions = {
  affectedUsers,
  aliases,
  calls,
  clockLevels,
  clockSources,
  collectiveLanes,
  collectiveRecord,
  collectives,
  countedEdges: judgedEdges + countedEdges,
  differenceEventExamples,
  differenceEvents,
  differencePeers: differencePointSample + differencePeers,
  differencePointCount,
  differencePoints: differencePointSample + differencePoints,
  differenceSpanCount,
  differenceSpanExamples,
  differenceSpans: differenceSample + differenceSpanValues + differenceSpanNumbers,
  edges: judgedEdges + edges,
  entities,
  entitiesIntroduced,
  entityAliases,
  eventKinds,
  eventLanes,
  eventMoments,
  eventRecord,
  eventRows,
  events,
  eventsNamed,
  firstAlert,
  gpuEvents,
  gpuModels,
  gpuThrottles,
  laneCollectiveDensity,
  laneCollectives,
  laneEventDensity,
  laneEvents,
  laneLogs,
  laneMetricRanges,
  laneMetrics,
  laneSpanDensity,
  laneSpans,
  laneStates,
  lastCheckpoints,
  lateRanks,
  logBodies,
  logLanes,
  logLines,
  logRecord,
  logRecords,
  logRows,
  logSearch,
  merges,
  metricLanes,
  metricShifts,
  namedSpans,
  overview,
  overviewSpanCounts,
  overviewSpans,
  patternEvents,
  patternLogs,
  rackUnits,
  rankEntities,
  recentBlocks,
  recordedKinds,
  recordedLayers,
  recoveryEvents,
  rejects,
  relations,
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
  searchSpans,
  searchThings,
  serviceGauges,
  serviceHistograms,
  serviceSpans,
  serviceVersions,
  silences,
  sources,
  spanLanes,
  spanMoments,
  spanRecord,
  spanRows,
  spanShifts,
  spanSteps,
  spansBetween,
  stateEvents,
  stateLanes,
  statisticsCollectives,
  statisticsEvents,
  statisticsLogs,
  statisticsMetrics,
  statisticsSpans,
  storyEvents,
  storyLinks,
  storyLogs,
  storySpans,
  storyWords,
  toldEvents,
  traceExtent,
  traceHeads,
  traceRequests,
  traceServices,
  traceSpans,
  watchedChanges,
  watchedEntities,
  watchedLevels,
  watchedSeries,
  watchedState,
  watchedThings,
} as const;
