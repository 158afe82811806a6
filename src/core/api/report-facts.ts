import type { Annotation } from '../../model/annotation.ts';
import { entityKey } from '../../model/entity.ts';
import { ProblemError } from '../../model/problem.ts';
import type { Cost, ReportDocument } from '../../model/report-document.ts';
import type { Conclusion, Investigation } from '../analysis/correlate.ts';
import { type AffectedGpu, incidentCost } from '../analysis/costs/incident-cost.ts';
import type { Rates } from '../analysis/costs/rates.ts';
import { workOf } from '../analysis/gpus/work-of.ts';
import { findingsOfIncident } from '../analysis/patterns/findings-of-incident.ts';
import type { Finding } from '../analysis/patterns/pattern.ts';
import { citedRefs, draftReport, toEvidence } from '../report/document.ts';
import type { IncidentFacts } from '../report/report-input.ts';
import { readAnnotations } from '../store/annotations.ts';
import { rowsOf } from '../store/case-file.ts';
import { questions } from '../store/questions/index.ts';
import { createReader, type EdgeFact, type EntityFact } from '../store/reader.ts';
import { readEvidence } from './evidence.ts';
import { toView } from './incident-view.ts';
import type { OpenCase } from './open-case.ts';
import { drawnMap } from './report-map.ts';
import { gpuStateOf, latencyOf, shownOf } from './report-series.ts';
import { readTimes } from './report-times.ts';
import { readSilences } from './timeline.ts';

interface Writing {
  readonly rates: Rates | null;
  readonly version: string;
}

/** Everything a report of these conclusions tells, with the record behind every evidence id that it cites. */
export async function writeReport(
  opened: OpenCase,
  found: Pick<Investigation, 'conclusions' | 'warnings' | 'clocks'>,
  { rates, version }: Writing,
): Promise<ReportDocument> {
  const annotations = await opened.withSession(readAnnotations);
  const world = await readWorld(opened);
  const findings = await opened.findings();
  const incidents: IncidentFacts[] = [];
  for (const conclusion of found.conclusions)
    incidents.push(await incidentFacts(opened, conclusion, { rates, annotations, world, findings }));
  const draft = draftReport({
    version,
    info: await opened.info(),
    incidents,
    findings: findings.map(({ view }) => view),
    warnings: found.warnings,
    clocks: found.clocks,
    annotations,
    silences: await opened.withSession(readSilences),
    mechanisms: (await opened.mechanisms.current()).origin,
  });
  const cited = citedRefs(draft);
  const records = await Promise.all([
    ...cited.facts.map((ref) => readEvidence(opened, ref)),
    ...cited.prose.map((ref) => readEvidence(opened, ref).catch(nothingThere)),
  ]);
  return { ...draft, evidence: records.flatMap((record) => (record ? [toEvidence(record)] : [])) };
}

/** A person may have cited what is not there any more: the link then leads nowhere, which is no reason to refuse the report. */
function nothingThere(error: unknown): null {
  if (error instanceof ProblemError) return null;
  throw error;
}

interface World {
  readonly entities: readonly EntityFact[];
  readonly edges: readonly EdgeFact[];
  readonly models: ReadonlyMap<number, string>;
}

const readWorld = (opened: OpenCase): Promise<World> =>
  opened.withSession(async (session) => {
    const reader = createReader(session);
    const models = rowsOf<{ entity: number; model: string }>(await session.query(questions.gpuModels));
    return {
      entities: await reader.entities(),
      edges: await reader.edges(),
      models: new Map(models.map(({ entity, model }) => [entity, model])),
    };
  });

interface Given {
  readonly rates: Rates | null;
  readonly annotations: readonly Annotation[];
  readonly world: World;
  readonly findings: readonly Finding[];
}

async function incidentFacts(
  opened: OpenCase,
  conclusion: Conclusion,
  { rates, annotations, world, findings }: Given,
): Promise<IncidentFacts> {
  const view = toView(conclusion);
  const { window, service, graph, chain } = conclusion;
  const chained = chain.members.map(({ event }) => event.entity);
  const keyOf = (entity: number): string | null => {
    const node = graph.node(entity);
    return node ? entityKey(node.kind, node.id) : null;
  };
  const gpus = affectedGpus(world, conclusion);
  const shown = shownOf(view);
  const { users, cost } = await readCost(opened, conclusion, { rates, gpus });
  return {
    view,
    things: [...chained.map(keyOf), `service:${service}`],
    map: drawnMap(world, { steps: view.steps, chained, service: window.service, at_ns: window.onset_ns }),
    latency: latencyOf(window.measurements, shown, view.onset_ref),
    gpuState: await gpuStateOf(opened, { chained: chained.flatMap((one) => keyOf(one) ?? []), gpus, shown }),
    shown,
    gpus,
    cost,
    hasRates: rates !== null,
    users,
    ...(await readTimes(opened, conclusion, annotations)),
    findings: findingsOfIncident(conclusion, findings).map(({ view: finding }) => finding),
  };
}

/** The GPUs that the service ran on while it suffered, and whoever else did. */
function affectedGpus({ entities, edges, models }: World, { window, service }: Conclusion): AffectedGpu[] {
  const usedBy = workOf(entities, edges, { start_ns: window.onset_ns, end_ns: window.end_ns + 1n });
  return entities
    .filter(({ kind, entity_id, canonical_id }) => kind === 'gpu' && entity_id === canonical_id)
    .map(({ entity_id, kind, id }) => ({
      key: entityKey(kind, id),
      model: models.get(entity_id) ?? null,
      work: usedBy(entity_id),
    }))
    .filter(({ work }) => work.includes(`service:${service}`))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

interface Use {
  readonly users: number | null;
  readonly checkpoints: readonly { readonly work: string; readonly ref: string; readonly end_ns: bigint }[];
}

const readUse = (opened: OpenCase, { window, graph }: Conclusion, gpus: readonly AffectedGpu[]): Promise<Use> =>
  opened.withSession(async (session) => {
    const { service, onset_ns, end_ns } = window;
    const [row] = rowsOf<{ users: number | null }>(
      await session.query(questions.affectedUsers, [service, onset_ns, end_ns]),
    );
    const saved = rowsOf<{ entity: number; trace_id: string; span_id: string; end_ns: bigint }>(
      await session.query(questions.lastCheckpoints, [onset_ns]),
    );
    const used = new Set(gpus.flatMap(({ work }) => work));
    const checkpoints = saved.flatMap((one) => {
      const node = graph.node(one.entity);
      const work = node ? entityKey(node.kind, node.id) : '';
      return used.has(work) ? [{ work, ref: `span:${one.trace_id}/${one.span_id}`, end_ns: one.end_ns }] : [];
    });
    return { users: row?.users ?? null, checkpoints };
  });

/** What an incident cost, and who was met by it. */
async function readCost(
  opened: OpenCase,
  conclusion: Conclusion,
  { rates, gpus }: { readonly rates: Rates | null; readonly gpus: readonly AffectedGpu[] },
): Promise<{ readonly users: number | null; readonly cost: Cost }> {
  const { users, checkpoints } = await readUse(opened, conclusion, gpus);
  const { incident, service, window } = conclusion;
  const { onset_ns, onset_earliest_ns, end_ns } = window;
  const throughput = { normal: incident.impact.throughput_baseline_rps, worst: incident.impact.throughput_peak_rps };
  const question = {
    incident: incident.id,
    service,
    onset_ns,
    onset_earliest_ns,
    end_ns,
    gpus,
    checkpoints,
    throughput,
  };
  return { users, cost: incidentCost(question, rates) };
}

/** For scripts, that want the figures alone. */
export async function readCosts(
  opened: OpenCase,
  conclusions: readonly Conclusion[],
  rates: Rates,
): Promise<{ readonly incident: string; readonly cost: Cost }[]> {
  const world = await readWorld(opened);
  return Promise.all(
    conclusions.map(async (one) => ({
      incident: one.incident.id,
      cost: (await readCost(opened, one, { rates, gpus: affectedGpus(world, one) })).cost,
    })),
  );
}
