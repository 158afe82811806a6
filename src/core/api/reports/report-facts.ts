import type { JobView } from '../../../model/contract/index.ts';
import { entityKey } from '../../../model/entity.ts';
import type { Annotation } from '../../../model/incident/annotation.ts';
import type { Cost } from '../../../model/incident/cost.ts';
import { actionsOf, headingOf } from '../../../model/incident/follow-up.ts';
import type { Harm } from '../../../model/incident/incident.ts';
import { jobLossOf } from '../../../model/incident/job-loss.ts';
import { judgedVerdict } from '../../../model/incident/judged-verdict.ts';
import type { ReportDocument } from '../../../model/incident/report-document.ts';
import type { ReportTemplate } from '../../../model/incident/report-template.ts';
import type { Conclusion } from '../../analysis/conclude.ts';
import type { Investigation } from '../../analysis/correlate.ts';
import { type AffectedGpu, affectedGpus, type GpuWorld } from '../../analysis/costs/affected-gpus.ts';
import { incidentCost } from '../../analysis/costs/incident-cost.ts';
import type { Rates } from '../../analysis/costs/rates.ts';
import type { ServedInstant } from '../../analysis/costs/request-cost.ts';
import { measurementRef } from '../../analysis/impact/measurement-ref.ts';
import { findingsOfIncident } from '../../analysis/patterns/findings-of-incident.ts';
import type { Finding } from '../../analysis/patterns/pattern.ts';
import { thresholdText } from '../../analysis/patterns/thresholds.ts';
import { warningText } from '../../analysis/warnings/warning-text.ts';
import { draftReport } from '../../report/document.ts';
import type { DrawnMap } from '../../report/figures/topology-figure.ts';
import type { IncidentFacts, ReportInput } from '../../report/report-input.ts';
import { draftTemplate } from '../../report/templates/index.ts';
import { readAnnotations } from '../../store/case-file/annotations.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { createRunQuery } from '../../store/facts/run-query.ts';
import { queries } from '../../store/queries/index.ts';
import { type OpenCase, toClockView } from '../cases/open-case.ts';
import { type GpuNames, namedReport, namedView, readGpuNames } from '../gpus/gpu-names.ts';
import { readGpuWorld } from '../gpus/gpu-world.ts';
import { chainPath } from '../incidents/chain-path.ts';
import { toView } from '../incidents/incident-view.ts';
import { readAround } from '../incidents/unused-events.ts';
import { jobViews } from '../jobs/job-views.ts';
import { readSilences } from '../lanes/timeline.ts';
import { readParts } from '../parts/read-parts.ts';
import { readStages } from '../traces/trace-stages.ts';
import { withEvidence } from './report-evidence.ts';
import { drawnMap } from './report-map.ts';
import { requestsOf } from './report-requests.ts';
import { gpuStateOf, latencyOf, shownOf } from './report-series.ts';
import { readTimes } from './report-times.ts';

interface Writing {
  readonly rates: Rates | null;
  readonly version: string;
  readonly layout: ReportTemplate | 'whole';
}

/** All facts of a report, with the record behind every cited evidence id. */
export async function writeReport(
  opened: OpenCase,
  found: Pick<Investigation, 'conclusions' | 'warnings' | 'clocks'>,
  { rates, version, layout }: Writing,
): Promise<ReportDocument> {
  const annotations = await opened.withSession(readAnnotations);
  const world = await opened.reading((reader, session) => readGpuWorld(session, reader));
  const findings = await opened.findings();
  const names = await opened.withSession(readGpuNames);
  const info = await opened.info();
  const jobs = await jobsOf(opened, found.conclusions, rates);
  const incidents: IncidentFacts[] = [];
  for (const conclusion of found.conclusions)
    incidents.push(
      await incidentFacts(opened, conclusion, {
        rates,
        annotations,
        world,
        findings,
        jobs,
        last_ns: info.last_ns,
        names,
      }),
    );
  const input: ReportInput = {
    version,
    info,
    incidents,
    findings: findings.map(({ view }) => view),
    warnings: found.warnings.map(warningText),
    clocks: found.clocks.map(toClockView),
    annotations,
    silences: await opened.withSession(readSilences),
    mechanisms: (await opened.mechanisms.current()).origin,
    thresholds: (await opened.thresholds.current()).value.map(thresholdText),
  };
  if (layout === 'whole') return withEvidence(opened, namedReport(draftReport(input), names));
  const window = { start_ns: info.first_ns ?? 0n, end_ns: info.last_ns ?? 0n };
  const parts = layout === 'rma' ? await opened.withSession((session) => readParts(session, window)) : [];
  const draft = draftTemplate(input, { template: layout, parts });
  // To replace a part one needs what is printed on it.
  return withEvidence(opened, layout === 'rma' ? draft : namedReport(draft, names));
}

/** The jobs of the case where an impact may be of one. */
const jobsOf = async (opened: OpenCase, conclusions: readonly Conclusion[], rates: Rates | null) =>
  conclusions.some(({ window }) => jobHarms.has(window.harm)) ? jobViews(opened, await opened.jobs(), rates) : [];
const jobHarms: ReadonlySet<Harm> = new Set(['stalled', 'failed', 'ended']);

interface ReportContext {
  readonly rates: Rates | null;
  readonly annotations: readonly Annotation[];
  readonly world: GpuWorld;
  readonly findings: readonly Finding[];
  readonly jobs: readonly Pick<JobView, 'name' | 'entity' | 'services' | 'since_ns' | 'lost'>[];
  /** Of the recording. */
  readonly last_ns: bigint | null;
  readonly names: GpuNames;
}

async function incidentFacts(
  opened: OpenCase,
  conclusion: Conclusion,
  { rates, annotations, world, findings, jobs, last_ns, names }: ReportContext,
): Promise<IncidentFacts> {
  const view = namedView(toView(conclusion, await readAround(opened, [conclusion])), names);
  const { window, service, graph, chain } = conclusion;
  const chained = chainPath(conclusion).steps.map((at) => chain.members[at]!.event.entity);
  const keyOf = (entity: number): string | null => {
    const node = graph.node(entity);
    return node ? entityKey(node.kind, node.id) : null;
  };
  const gpus = sufferedOn(world, conclusion);
  const shown = shownOf(view);
  const { users, cost } = await readCost(opened, conclusion, { rates, gpus, world });
  return {
    view,
    verdict: judgedVerdict(view.incident, annotations),
    heading: headingOf(annotations, view.incident.id),
    actions: actionsOf(annotations, view.incident.id),
    stepEntities: [...chained.map(keyOf), `service:${service}`],
    map: namedMap(
      drawnMap(world, { steps: view.steps, chained, service: window.service, at_ns: window.onset_ns }),
      names,
    ),
    latency: latencyOf(window.measurements, shown, view.onset_ref),
    gpuState: (await gpuStateOf(opened, { chained: chained.flatMap((one) => keyOf(one) ?? []), gpus, shown })).map(
      (series) => ({ ...series, name: names.of(series.name) ?? series.name }),
    ),
    shown,
    gpus,
    cost,
    hasRates: rates !== null,
    lost: jobLossOf(jobs, view),
    requests: requestsOf(window),
    users,
    stages: await opened.withSession((session) =>
      readStages(session, { from_ns: window.onset_earliest_ns, to_ns: window.end_ns }),
    ),
    ...(await readTimes(opened, conclusion, { annotations, last_ns })),
    findings: findingsOfIncident(conclusion, findings).map(({ view: finding }) => finding),
  };
}

const namedMap = (map: DrawnMap, { of }: GpuNames): DrawnMap => ({
  ...map,
  nodes: map.nodes.map((node) => ({ ...node, id: of(node.id) ?? node.id })),
});

/** The GPUs of the service during the impact, with other users. */
const sufferedOn = (world: GpuWorld, { window, service }: Conclusion): AffectedGpu[] =>
  affectedGpus(world, { start_ns: window.onset_ns, end_ns: window.end_ns })(service);

interface Use {
  readonly users: number | null;
  readonly checkpoints: readonly { readonly work: string; readonly ref: string; readonly end_ns: bigint }[];
}

const readUse = (opened: OpenCase, { window, graph }: Conclusion, gpus: readonly AffectedGpu[]): Promise<Use> =>
  opened.withSession(async (session) => {
    const { service, onset_ns, end_ns } = window;
    const [row] = rowsOf<{ users: number | null }>(
      await session.query(queries.affectedUsers, [service, onset_ns, end_ns]),
    );
    const saved = await createRunQuery(session)<{ entity: number; trace_id: string; span_id: string; end_ns: bigint }>(
      queries.lastCheckpoints,
      [onset_ns],
    );
    const used = new Set(gpus.flatMap(({ work }) => work));
    const checkpoints = saved.flatMap((one) => {
      const node = graph.node(one.entity);
      const work = node ? entityKey(node.kind, node.id) : '';
      return used.has(work) ? [{ work, ref: `span:${one.trace_id}/${one.span_id}`, end_ns: one.end_ns }] : [];
    });
    return { users: row?.users ?? null, checkpoints };
  });

/** Cost of an incident, and affected users. */
async function readCost(
  opened: OpenCase,
  conclusion: Conclusion,
  {
    rates,
    gpus,
    world,
  }: { readonly rates: Rates | null; readonly gpus: readonly AffectedGpu[]; readonly world: GpuWorld },
): Promise<{ readonly users: number | null; readonly cost: Cost }> {
  const { users, checkpoints } = await readUse(opened, conclusion, gpus);
  const { incident, service, window } = conclusion;
  const { onset_ns, onset_earliest_ns, end_ns } = window;
  const requests = { normal: normalInstant(conclusion, world), worst: worstInstant(conclusion, world) };
  const costInput = {
    incident: incident.id,
    service,
    onset_ns,
    onset_earliest_ns,
    end_ns,
    gpus,
    // What it did again is measured, and part of the impact.
    checkpoints: window.harm === 'restarted' ? [] : checkpoints,
    requests,
  };
  return { users, cost: incidentCost(costInput, rates) };
}

const servedAt = (world: GpuWorld, { service }: Conclusion, time_ns: bigint) => ({
  time_ns,
  gpus: affectedGpus(world, { start_ns: time_ns, end_ns: time_ns })(service),
});

/** The usual throughput, on the GPUs of the last normal measurement. */
function normalInstant(conclusion: Conclusion, world: GpuWorld): ServedInstant {
  const { window, incident } = conclusion;
  const { throughput } = window.baseline;
  return {
    ...servedAt(world, conclusion, window.previous_ns),
    throughput_rps: Number.isFinite(throughput) ? throughput : null,
    refs: [`incident:${incident.id}`],
  };
}

/** The least throughput of the impact; where none was measured, its beginning. */
function worstInstant(conclusion: Conclusion, world: GpuWorld): ServedInstant {
  const { window, service } = conclusion;
  const { measurements, first, last } = window;
  const least = leastAt(measurements.throughput, first, last) ?? first;
  const time_ns = measurements.time_ns[least] ?? window.onset_ns;
  const throughput_rps = measurements.throughput[least] ?? Number.NaN;
  return {
    ...servedAt(world, conclusion, time_ns),
    throughput_rps: Number.isFinite(throughput_rps) ? throughput_rps : null,
    refs: [measurementRef(service, time_ns)],
  };
}

/** Where a column is least between two places; unknowns do not count. */
function leastAt(column: Float64Array, first: number, last: number): number | null {
  let least: number | null = null;
  for (let at = first; at <= last; at++)
    if (column[at]! < (least === null ? Number.POSITIVE_INFINITY : column[least]!)) least = at;
  return least;
}

/** For scripts that need only the figures. */
export async function readCosts(
  opened: OpenCase,
  conclusions: readonly Conclusion[],
  rates: Rates,
): Promise<{ readonly incident: string; readonly cost: Cost }[]> {
  const world = await opened.reading((reader, session) => readGpuWorld(session, reader));
  return Promise.all(
    conclusions.map(async (one) => ({
      incident: one.incident.id,
      cost: (await readCost(opened, one, { rates, gpus: sufferedOn(world, one), world })).cost,
    })),
  );
}
