import type { CorrelateOptions, Report, TypedHypothesis } from '../../model/incident/incident.ts';
import type { WhatIf } from '../../model/incident/what-if.ts';
import { formatUtc, nanos } from '../../model/time.ts';
import type { Reader } from '../store/facts/reader.ts';
import { readBackground } from './causality/background.ts';
import { defaultMechanisms, type Mechanisms } from './causality/mechanisms.ts';
import { NO_MOVEMENTS, readMovements } from './causality/movements.ts';
import { RecordedEvents } from './causality/recorded-events.ts';
import type { FileClock } from './clocks/clock-estimate.ts';
import { type Conclusion, conclude, incidentId, type RankedImpact, rankImpact } from './conclude.ts';
import { readFailures, withFailures } from './impact/failed-jobs.ts';
import { type FoundImpacts, findAllImpacts, type ImpactWindow } from './impact/impact.ts';
import type { Measurements } from './impact/measurement-table.ts';
import { withParts } from './impact/part-impacts.ts';
import { asStalled, stalledJobs, withStalls } from './impact/stalled-jobs.ts';
import { withTraining } from './impact/training-harm.ts';
import { byOnset, covers, selectImpacts, stated } from './impact/wanted-impacts.ts';
import { readConditions } from './patterns/serving/read-conditions.ts';
import { shortlyBefore } from './ranking/candidates.ts';
import { fittedWeights, type Weights } from './ranking/weights.ts';
import { readWithHistory } from './software/history.ts';
import { mayBeSoftware, nameSoftware } from './software/name-software.ts';
import { software } from './software/parameters.ts';
import { restartsBefore } from './software/restarts.ts';
import type { SoftwareQuery } from './software/software-suspects.ts';
import { GraphsByTime } from './topology/graphs-by-time.ts';
import { lostRankWarnings } from './warnings/lost-ranks.ts';
import { measurementWarnings, usualHourWarnings } from './warnings/measurement-warnings.ts';
import type { Warning } from './warnings/warning.ts';
import { warningText } from './warnings/warning-text.ts';
import { supposedReader } from './what-if/what-if.ts';
import { writtenIncident } from './written-incident.ts';

export interface Investigation {
  readonly conclusions: readonly Conclusion[];
  readonly warnings: readonly Warning[];
  readonly eventsInCase: number;
  /** Estimated clock of each data source. */
  readonly clocks: readonly FileClock[];
}

/**
 * Measures every service, learns its baseline and finds impacts; brings all clocks together, gathers the events before each
 * window, ranks possible root causes, builds the chain and computes the cost. Reads only.
 * @throws ProblemError service.unknown, baseline.unknown, time.no_zone, time.unreadable, and those of {@link supposedReader}
 */
export async function investigate(
  rawReader: Reader,
  options: CorrelateOptions,
  { mechanisms = defaultMechanisms(), weights = fittedWeights(), whatIf, only }: Reasoning = {},
): Promise<Investigation> {
  const { reader, shifts } = whatIf
    ? await supposedReader(rawReader, whatIf)
    : { reader: rawReader, shifts: undefined };
  const entities = await reader.entities();
  const edges = await reader.edges();
  const graphs = new GraphsByTime(entities, edges);
  const { measurements: all, history, parts } = await readWithHistory(reader, options.baseline_of);
  // What callers measured may be the way to a service: it is a suspect by that, and has no impact of its own.
  const measurements = new Map([...all].filter(([, { from }]) => from !== 'callers'));
  const names = new Map(entities.filter((e) => e.entity_id === e.canonical_id).map((e) => [e.entity_id, e.id]));
  const selectedImpacts = selectImpacts(measurements, names, options);
  const found = [...measurements.values()].map((one) => findAllImpacts(one, options, history.get(one.service)));
  const impacts = await withJobs(reader, { found, measurements, graphs });
  const detected = withParts(impacts, parts, options)
    .filter((impact) => selectedImpacts.has(impact.service) && covers(impact, options.at))
    .sort(byOnset);
  const wanted = detected.length > 0 ? detected : stated(measurements, selectedImpacts, options);
  const background = await readBackground(reader);
  const recorded = await RecordedEvents.read(reader, {
    graphs,
    mechanisms,
    background,
    windows: wanted,
    options,
    shifts,
  });
  const examined = wanted.filter((window) => !only || only.has(incidentId(names.get(window.service) ?? '?', window)));
  const conditionsOf = await readConditions(reader, graphs, examined.length === 0 ? [] : wanted);
  const ranked: RankedImpact[] = [];
  const worst = new Set(worstOf(wanted, software.mostExamined));
  for (const window of examined) {
    const calls = await reader.calls(shortlyBefore(window, options), window.end_ns, await reader.callShare());
    const graph = graphs.at(window.onset_ns, calls);
    const events = await recorded.around(window);
    const movements = worst.has(window) ? await readMovements(reader, graph, window) : NO_MOVEMENTS;
    const beside = { background: recorded.habitsBeside(window, background), doubts: recorded.doubts };
    ranked.push(
      rankImpact({
        ...{ window, graph, events, options, mechanisms, weights, impacts, measurements, wanted },
        ...{ ...beside, movements, conditions: conditionsOf(window, graph) },
      }),
    );
  }
  const { deviceEvents } = background;
  // A job by its collectives is measured beside the service that it is, and would count twice.
  const services = new Map([...all].filter(([, { from }]) => from !== 'collectives'));
  const facts = { measurements: services, history, impacts, entities, edges };
  const named = await nameSuspects(reader, ranked, { ...facts, deviceEvents, worst });
  const [ended, conclusions] = splitEnded(
    ranked.map((one, i) => conclude(one, named[i]!)),
    options,
  );
  const warnings = [
    ...measurementWarnings(measurements, names, selectedImpacts),
    ...usualHourWarnings(found, names, selectedImpacts),
    ...(wanted.length > 0 ? [] : await lostRankWarnings(reader, { entities, edges })),
    ...ended.map(
      ({ service, window }): Warning => ({ kind: 'ended', service, at: formatUtc(nanos(window.onset_earliest_ns)) }),
    ),
    ...recorded.warnings(),
  ];
  return { conclusions, warnings, eventsInCase: background.eventsInCase, clocks: recorded.clocks };
}

interface Found {
  readonly found: readonly FoundImpacts[];
  readonly measurements: ReadonlyMap<number, Measurements>;
  readonly graphs: GraphsByTime;
}

/** With jobs that stalled, failed or diverged. */
async function withJobs(reader: Reader, { found, measurements, graphs }: Found): Promise<ImpactWindow[]> {
  const slowed = found.flatMap(({ impacts }) => impacts);
  const stalled = withStalls(slowed, await stalledJobs(reader, measurements), graphs);
  const trained = withTraining(stalled, await reader.trainingEvents(), measurements);
  const all = withFailures(trained, await readFailures(reader), { measurements, graphs });
  return all.map(asStalled);
}

/** Work that ended without a recorded reason may have been done: it is no incident, unless somebody asks for it. */
function splitEnded(
  conclusions: readonly Conclusion[],
  { service, at }: CorrelateOptions,
): [ended: Conclusion[], incidents: Conclusion[]] {
  const mayBeDone = ({ window, incident }: Conclusion): boolean =>
    window.harm === 'ended' && service === null && at === null && !incident.hypotheses[0]?.event_id;
  return [conclusions.filter(mayBeDone), conclusions.filter((one) => !mayBeDone(one))];
}

/** Severity and duration of an impact. */
const badness = ({ times_worse, end_ns, onset_earliest_ns }: ImpactWindow): number =>
  Math.log(Math.max(2, times_worse || 2)) * (1 + Number(end_ns - onset_earliest_ns) / 1e9);

const worstOf = (windows: readonly ImpactWindow[], most: number): ImpactWindow[] =>
  windows.toSorted((a, b) => badness(b) - badness(a)).slice(0, most);

interface SoftwareFacts extends Pick<SoftwareQuery, 'measurements' | 'history' | 'impacts' | 'entities' | 'edges'> {
  readonly deviceEvents: number;
  readonly worst: ReadonlySet<ImpactWindow>;
}

/** The hypotheses of each impact, with software by name. */
async function nameSuspects(
  reader: Reader,
  ranked: readonly RankedImpact[],
  { deviceEvents, worst, ...others }: SoftwareFacts,
): Promise<(readonly TypedHypothesis[])[]> {
  const named: (readonly TypedHypothesis[])[] = [];
  for (const { facts, ranking } of ranked) {
    const { window, graph, conditions, events } = facts;
    const isNamed = worst.has(window) && mayBeSoftware(ranking.hypotheses, deviceEvents);
    const restarts = isNamed ? restartsBefore(events, window.onset_ns, graph) : [];
    named.push(
      isNamed
        ? await nameSoftware(reader, ranking.hypotheses, { window, conditions, restarts, ...others })
        : ranking.hypotheses,
    );
  }
  return named;
}

/** Mechanisms and weights. */
export interface Reasoning {
  readonly mechanisms?: Mechanisms | undefined;
  readonly weights?: Weights | undefined;
  /** A what-if. */
  readonly whatIf?: WhatIf | undefined;
  /** Ids of the incidents to analyse; default: all. */
  readonly only?: ReadonlySet<string> | undefined;
}

/** The shape that scripts rely on (DESIGN section 6). */
export function toReport(investigation: Investigation, generated_at: bigint): Report {
  const incidents = investigation.conclusions.map(({ incident }) => writtenIncident(incident));
  return {
    generated_at: formatUtc(nanos(generated_at)),
    incidents,
    warnings: investigation.warnings.map(warningText),
    summary: {
      total_events_processed: investigation.eventsInCase,
      total_incidents_detected: incidents.length,
      total_unmapped_devices: new Set(incidents.flatMap((incident) => incident.unmapped_devices)).size,
      total_warnings:
        investigation.warnings.length + incidents.reduce((sum, incident) => sum + incident.warnings.length, 0),
    },
  };
}
