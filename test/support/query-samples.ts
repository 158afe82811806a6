import type { SqlValue } from '../../src/model/storage/engine.ts';

/** What the questions about a region bind after its two times. */
const spanFilter = ['all', '[]', 0n, 1n, 'name', true, 1n, 1n] as const;
const bound: Readonly<Record<string, readonly SqlValue[]>> = {
  differenceSpanCount: spanFilter.slice(0, 6),
  differenceSpans: [...spanFilter, 5n],
  differenceHistograms: ['all', true, 64n, 10n],
  differencePeers: ['all', true, 1n, 1n],
  differencePoints: ['all', true, 1n, 1n],
  differenceEvents: ['all', true],
};
const whole: Readonly<Record<string, readonly SqlValue[]>> = {
  differenceSpanExamples: [0n, 10n, 'all', '[]', 0n, 1n, 'name', 0, 'key', 'value', 5n],
  differenceEventExamples: [0n, 10n, 'event type', 'value', 'all', 5n],
  differencePointCount: [0n, 10n, 0n, 10n, 'all', true],
  countersBegun: ['cpu', 2, 300],
  trainingRuns: ['', 'step'],
  countedDurations: ['[]', '1,2'],
  countedRequests: ['0', '', '1,2'],
  countedSteps: ['[]', '1,2'],
  affectedUsers: [1, 0n, 10n],
  firstAlert: [0n, 10n, '[]', '[]'],
  rejectReasons: [null, 5n],
  parts: ['["gpu"]'],
  partTimes: ['["gpu"]'],
  partEvents: ['["xid_error"]', 5n],
  partCounters: [0n, 10n, 5, '["hw.errors"]'],
  eventsNear: [0n, 5n],
  gpuCounters: [0n, 10n, '["hw.nvlink.errors"]'],
  gpuXids: [0n, 10n],
  gpuBuckets: [0n, 10n, 5n],
  searchEvents: ['x', 5, 79n],
  searchIds: ['1', '1', 5],
  logLines: [0n, 10n, 1n, 0n],
  logRecords: ['[]'],
  levelShifts: [1, 0.75, 5, 0.5, 'pressure', 0.2, 5],
  lostLoads: [1, 10, 0.1, 0.1],
  checkpointLines: ['checkpoint', 5n],
  jobOperations: [0n, 10n, 5, '[1]'],
  lifeSigns: ['[1]'],
  lineStepCells: ['', 0n, 10n, 5, '[]'],
  lineStepProcesses: [''],
  lineStepReturns: ['', 5n],
  rankWaitCells: [0n, 10n, 5, '[{"entity":1,"rank":"","job":"","place":"","row":0}]', 10n],
  rankWaitIntervals: [0n, 10n, 5, '[]', 10n],
  spanStepCells: ['step', 'load', 'eval', 'loader', 0n, 10n, 5, '[]'],
  spanStepProcesses: ['step', 'load', 'eval', 'loader'],
  loadSlices: ['step', 'load', 'eval', 'loader', 0.25, 1000n],
  namedSpans: ['step', 5n],
  processMinutes: ['loader', 5n],
  recoveryEvents: [1, 0n, 10n, '[]'],
  logAround: [1, 0n, 5n, 5n],
  logFacets: [0n, 10n, 'all', 0, '', '', 1n, 99, '/key', 'value', '', '', '', '', 1n, 5n, 5n],
  logSearch: [0n, 10n, 'all', 0, '', '', 5n, 99, '/key', 'value', '', '', '', ''],
  serviceHistograms: ['0,1'],
  serviceLogRequests: ['1,2'],
  serviceLogRanks: ['', 20n, 50n],
  serviceLogSteps: ['1,2'],
  serviceMetricRanks: ['[]', 20n, 50n],
  metricStepCells: ['[]', 0n, 10n, 5, '[]'],
  metricStepProcesses: ['[]', 60, 5],
  stoppedRanks: ['[]', 60n],
  serviceSpanSteps: ['step', 'load', 'eval', 'loader', 3n, 5n],
  serviceParts: ['model', 'http.route', 'tenant', 'x', 1n, 1n, 5n, 5n],
  servingParts: ['[]', 'x', 10n, 1n, 5n, 5n],
  servingDistributions: ['[]', 10n, 5n],
  servingSamples: ['[]', 10n, 5n],
  servingSpans: ['[]', 'model', 'x', 10n, 1n, 5n],
  stragglerSlices: [1n, 2, '[]'],
  statedLoads: ['[]', '(x)', '(y)', 0.25, 1000n, 'eval'],
  stateEvents: [0n, '[]'],
  statedReadings: ['1,2', 10, 60],
  eventRecords: ['1,2'],
  entityAliases: ['1,2'],
  sampleRecord: [0, 0n],
  traceGroupLinks: ['[]', 5n],
  traceGroupNames: ['[]', '[]'],
  recordedSeconds: [0n, 10n],
  requestShares: [0n, 10n],
  windowEnd: [10n],
  measuredStages: [0n, 10n, '[]', '[]', '[]', true],
  resourcePoints: [0n, 10n, '[]', '[]', 5n],
  resourceSpans: [0n, 10n, '[]', '[]', 5n, '[]'],
  stageTimes: [0n, 10n, '[]', '[]', '[]', '', 1n, '[]', 'tool.name', '[]', 'x'],
  requestedTokens: ['[]', 'model', 'tenant', 'x', 10n, 1n, 5n],
  toolCalls: ['x', '[]', 'tool.name', 10n, 1n, 5n],
  tracePlaces: ['0'],
  traceTags: [0n, 10n, 1n, 5n],
  traceTokenMarks: ['0', '[]', '[]', 5n],
  traceTokenRequests: ['0', '[]', '[]', 'x', 'x', '[]', 5n],
  traceEntityEvents: [0n, 10n, '[]', 5n],
  traceValues: [0n, 10n, 1n, 'any', '/key', 'x', 5n],
  serviceCalls: [0n, 10n, 1n],
  traceRequests: [0n, 10n, '[]', '0'],
};

/** Something that each parameter of a question may be, on an empty case. */
export function sampleValues(name: string, sql: string): readonly SqlValue[] {
  const parameters = new Set(sql.replaceAll(/--.*$/gm, '').match(/\$\d+/g) ?? []);
  // Window, then whatever the question's own comment names: an id, a limit, buckets or a list.
  const buckets = ['laneMetrics', 'laneMetricRanges', 'laneHistograms'].includes(name);
  const third = /^(lane|statistics|repair)/.test(name) && !buckets ? '[]' : 5n;
  // Baseline, window and a limit or rows from and to.
  const phases = ['spanShifts', 'spanSteps', 'logBodies', 'metricShifts'].includes(name);
  const regional = bound[name];
  const sample = whole[name] ?? (regional ? [0n, 10n, 0n, 10n, ...regional] : undefined);
  const samples: Record<string, SqlValue> = {
    $1: /^trace(Extent|Heads)/.test(name) ? '[]' : 0n,
    $2: 10n,
    $3: third,
    $4: (/^(lane|repair)/.test(name) && !buckets && name !== 'laneCollectives') || phases ? 5n : '[]',
    $5: buckets || name === 'laneEventDensity' ? '[]' : 1n,
    $6: /^lane(Event|Histograms)/.test(name) ? '[]' : 2n,
    $7: 3n,
  };
  const values = [...parameters].sort().map((parameter) => samples[parameter] as SqlValue);
  return sample ?? values;
}
