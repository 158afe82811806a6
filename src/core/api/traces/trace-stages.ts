import type { CallContext, Parsed, Stages } from '../../../model/contract/index.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { createReader } from '../../store/facts/reader.ts';
import { queries } from '../../store/queries/index.ts';
import type { Workspace } from '../workspace.ts';
import {
  aboutBaseline,
  baselineOf,
  compareStages,
  metricTimes,
  type StageTime,
  spanTimes,
  type TimeRange,
} from './stage-times.ts';
import { padded } from './trace-group-rows.ts';

const nothing: Stages = { stages: [], baseline: null, incident: null };

/** Stages of requests: of one trace, and of all services in a time, against those of the same services before. */
export const traceStageHandlers = (workspace: Workspace) => ({
  'trace.stages': async (input: Parsed<'trace.stages'>, { signal }: CallContext): Promise<Stages> => {
    const opened = workspace.required();
    const { conclusions } = await opened.conclusions();
    const around = conclusions
      .filter(({ window }) => window.onset_earliest_ns <= input.end_ns && window.end_ns >= input.start_ns)
      .map(({ window }) => window);
    return opened.withSession((session) => readTraceStages(session, { input, around, signal }));
  },
  'stages.list': (window: Parsed<'stages.list'>, { signal }: CallContext): Promise<Stages> =>
    workspace.required().withSession((session) => readStages(session, window, signal)),
});

interface Asked {
  readonly input: Parsed<'trace.stages'>;
  /** Impacts at the time of the trace. */
  readonly around: readonly { readonly service: number; readonly onset_earliest_ns: bigint; readonly end_ns: bigint }[];
  readonly signal: AbortSignal | undefined;
}

async function readTraceStages(session: Session, { input, around, signal }: Asked): Promise<Stages> {
  const trace = padded(input.trace_id);
  const rows = rowsOf<{ service: number }>(await session.query(queries.tracePlaces, [trace], signal));
  const services = [...new Set(rows.map(({ service }) => service))];
  const reader = createReader(session, signal);
  const range = await reader.recordedRange();
  if (!range || services.length === 0) return nothing;
  const asked = { services, share: await reader.callShare(), signal };
  const impacts = around.filter(({ service }) => services.includes(service));
  const start = { from_ns: input.start_ns, to_ns: input.end_ns };
  const incident = impacts.length > 0 ? incidentOf(impacts, input.start_ns) : null;
  const ofMetrics = metricTimes(session, asked);
  const found = await spanTimes(session, asked, trace)(start);
  const measured = showsParts(found) ? [] : await ofMetrics(incident ?? start);
  const own = measured.length > 0 ? [] : found;
  const source = own.length > 0 ? ('spans' as const) : ('metrics' as const);
  const timesOf = source === 'spans' ? spanTimes(session, asked) : ofMetrics;
  const ofSpans = incident && source === 'spans' ? await timesOf(incident) : [];
  const during = source === 'spans' ? ofSpans : measured;
  const baseline = await baselineOf(timesOf, {
    onset_ns: incident?.from_ns ?? input.start_ns,
    first_ns: range.from_ns,
  });
  const stages = compareStages({ source, own, during, before: baseline?.rows ?? [] });
  return stages.length === 0 ? nothing : { stages, baseline: aboutBaseline(baseline), incident };
}

/** Whether spans show more than the time to the first token, of whose parts metrics may know more. */
const showsParts = (rows: readonly StageTime[]): boolean => rows.some(({ stage }) => stage !== 'first_token');

function incidentOf(impacts: Asked['around'], start_ns: bigint): TimeRange {
  const from_ns = impacts.reduce(
    (first, one) => (one.onset_earliest_ns < first ? one.onset_earliest_ns : first),
    start_ns,
  );
  return { from_ns, to_ns: impacts.reduce((last, one) => (one.end_ns > last ? one.end_ns : last), from_ns) };
}

/** Stages of all services in a time: as their spans show them; where spans of a service show none, or the first token alone, as its metrics do. */
export async function readStages(session: Session, window: TimeRange, signal?: AbortSignal): Promise<Stages> {
  const reader = createReader(session, signal);
  const range = await reader.recordedRange();
  if (!range) return nothing;
  const entities = rowsOf<{ canonical_id: number; kind: string }>(await session.query(queries.entities, [], signal));
  const services = [
    ...new Set(entities.flatMap(({ canonical_id, kind }) => (kind === 'service' ? [canonical_id] : []))),
  ];
  if (services.length === 0) return nothing;
  const asked = { services, share: await reader.callShare(), signal };
  const before = { onset_ns: window.from_ns, first_ns: range.from_ns };
  const ofSpans = spanTimes(session, asked);
  const ofMetrics = metricTimes(session, asked);
  const measured = Map.groupBy(await ofMetrics(window), ({ service }) => service);
  const shown = Map.groupBy(await ofSpans(window), ({ service }) => service);
  const spans = [...shown].flatMap(([service, rows]) => (measured.has(service) && !showsParts(rows) ? [] : rows));
  const known = new Set(spans.map(({ service }) => service));
  const metrics = [...measured].flatMap(([service, rows]) => (known.has(service) ? [] : rows));
  const spansBefore = spans.length > 0 ? await baselineOf(ofSpans, before) : null;
  const metricsBefore = metrics.length > 0 ? await baselineOf(ofMetrics, before) : null;
  return {
    stages: [
      ...compareStages({ source: 'spans', own: [], during: spans, before: spansBefore?.rows ?? [] }),
      ...compareStages({ source: 'metrics', own: [], during: metrics, before: metricsBefore?.rows ?? [] }),
    ],
    baseline: aboutBaseline(spansBefore ?? metricsBefore),
    incident: spans.length + metrics.length > 0 ? window : null,
  };
}
