import { eventTypes } from '../../../model/telemetry/event-catalog.ts';
import { nanoseconds } from '../../../model/time.ts';
import type { CallFact, EdgeFact, Reader } from '../../store/facts/reader.ts';
import { readMeasurements } from '../impact/measurements.ts';
import { readServing, readServingParts } from '../serving/service-series.ts';
import { readTokenLatencies } from '../serving/token-latency.ts';
import { GraphsByTime } from '../topology/graphs-by-time.ts';
import { CaseFacts } from './case-facts.ts';
import { patternLimits, patterns } from './parameters.ts';
import { trainingPatterns } from './training/parameters.ts';
import { LOADER_PROCESS } from './training/starved-processes.ts';
import { loopNames, SAVES } from './training/training-spans.ts';

/** Facts for detectors; undefined if no row of the case has a time. */
export async function readFacts(reader: Reader): Promise<CaseFacts | undefined> {
  const range = await reader.recordedRange();
  if (!range) return undefined;
  const slice = (range.to_ns - range.from_ns) / BigInt(Math.round(patterns.slices));
  const least_ns = nanoseconds(patterns.leastSliceSeconds);
  const slice_ns = slice > least_ns ? slice : least_ns;
  const edges = await reader.edges();
  const entities = await reader.entities();
  const serving = await readServing(reader, new GraphsByTime(entities, edges).at(range.to_ns));
  const rows = {
    entities,
    observers: await reader.observers(),
    events: await reader.patternEvents(eventTypes, patternLimits.mostEvents),
    layers: await reader.recordedLayers(),
    saves: await reader.namedSpans(SAVES, patternLimits.mostSpans),
    loadSlices: await reader.loadSlices(loopNames, trainingPatterns.stalledShare, patternLimits.mostLoadSlices),
    processMinutes: await reader.processMinutes(LOADER_PROCESS, patternLimits.mostMinutes),
    lateRanks: await reader.lateRanks(nanoseconds(trainingPatterns.lateSeconds)),
    stragglerSlices: await reader.stragglerSlices(slice_ns, trainingPatterns.longerTimes),
    clocks: await reader.clockLevels(slice_ns),
    slice_ns,
    calls: await reader.retriedCalls(),
    versions: await reader.serviceVersions(),
    measurements: await readMeasurements(reader),
    serving,
    servingParts: await readServingParts(reader, serving),
    tokenLatencies: await readTokenLatencies(reader),
    last_ns: range.to_ns,
    sources: new Map(
      (await reader.clockSources()).map(({ source_id, last_ns, clock_offset_ns }) => [
        source_id,
        (last_ns ?? range.from_ns) + clock_offset_ns,
      ]),
    ),
  };
  const hasChange =
    new Set(rows.versions.map(({ service }) => service)).size < rows.versions.length ||
    rows.events.some(({ details }) => details.replica_set !== undefined);
  // The call graph is a join of all spans, so it is read only if there is a change.
  const calls = hasChange ? await reader.calls(range.from_ns, range.to_ns, await reader.callShare()) : [];
  return new CaseFacts({ ...rows, edges: [...edges, ...calls.map(toEdge)] });
}

const toEdge = ({ caller, callee }: CallFact): EdgeFact => ({
  from_id: caller,
  kind: 'calls',
  to_id: callee,
  valid_from_ns: -(2n ** 63n),
  valid_to_ns: 2n ** 63n - 1n,
});
