import type { CallContext, FoundTrace, Output, Parsed } from '../../../model/contract/index.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { parseSearch } from '../../../model/traceql/parse-search.ts';
import { refuse } from '../../../model/traceql/problem.ts';
import type { TraceSearch } from '../../../model/traceql/syntax.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { listText } from '../../store/list-text.ts';
import { queries } from '../../store/queries/index.ts';
import { caseDialect } from '../../traceql/case-dialect.ts';
import { fieldText } from '../../traceql/compile-metric.ts';
import { compileSearch } from '../../traceql/compile-search.ts';
import type { Workspace } from '../workspace.ts';
import { CallPaths } from './flame.ts';
import { traceFieldHandlers } from './trace-fields.ts';
import { traceMetric } from './trace-metric.ts';
import { tryPattern } from './try-pattern.ts';

/** Search over traces, and where their time goes. */
export function tracesHandlers(workspace: Workspace) {
  const paths = new CallPaths();
  return {
    'traces.prepare': (_: object, { signal }: CallContext) => paths.prepare(workspace.required(), signal),
    'traces.flame': async (input: Parsed<'traces.flame'>, { signal }: CallContext) =>
      paths.flame(workspace.required(), input, signal),
    'traces.flameEstimate': async (input: Parsed<'traces.flame'>, { signal }: CallContext) =>
      paths.estimate(workspace.required(), input, signal),
    'traces.search': async (input: Parsed<'traces.search'>, { signal }: CallContext) =>
      workspace.required().withSession((session) => searchTraces(session, input, signal)),
    ...traceFieldHandlers(workspace),
    'traces.metric': async (input: Parsed<'traces.metric'>, { signal }: CallContext) => {
      const opened = workspace.required();
      const bounds = await opened.info();
      return opened.withSession((session) => traceMetric(session, input, { bounds, ...(signal && { signal }) }));
    },
  };
}

type Found = Output<'traces.search'>;

/** Half of what the case can hold, so that clock corrections do not overflow. */
const EVER_NS = 4_000_000_000_000_000_000n;

interface MatchRow {
  readonly trace_id: string;
  readonly matches: number;
  readonly longest_ns: bigint;
  readonly ref: string;
  readonly traces: number;
  readonly spans: number;
}

/** @throws ProblemError traceql.unsupported */
export function refuseMetric({ metric }: TraceSearch, query: string): void {
  if (metric)
    refuse(
      'traceql.unsupported',
      query.lastIndexOf('|'),
      'this is a metric, and finds no traces',
      'leave out what is behind this |',
    );
}

async function searchTraces(session: Session, input: Parsed<'traces.search'>, signal?: AbortSignal): Promise<Found> {
  const search = parseSearch(input.query);
  refuseMetric(search, input.query);
  const window = { start_ns: input.start_ns ?? -EVER_NS, end_ns: input.end_ns ?? EVER_NS };
  const { sql, values, patterns } = compileSearch(search, { ...input, window }, caseDialect);
  for (const pattern of patterns) await tryPattern(session, pattern);
  const matches = rowsOf<MatchRow>(await session.query(sql, values, signal));
  const heads = await readHeads(
    session,
    matches.map(({ trace_id }) => trace_id),
    signal,
  );
  const fields = search.stages.flatMap((stage) => (stage.kind === 'select' ? stage.fields.map(fieldText) : []));
  const traces = matches.flatMap((match): FoundTrace[] => {
    const head = heads.get(match.trace_id);
    if (!head) return [];
    const found = { ...head, matched: match.matches, longest_ms: Number(match.longest_ns) / 1e6, ref: match.ref };
    const values = match as unknown as Readonly<Record<string, unknown>>;
    return [fields.length === 0 ? found : { ...found, selected: fields.map((_, at) => String(values[`value_${at}`])) }];
  });
  const [first] = matches;
  const trace_count = first?.traces ?? 0;
  return {
    traces,
    trace_count,
    span_count: first?.spans ?? 0,
    truncated: trace_count > matches.length,
    ...(fields.length > 0 && { fields }),
  };
}

type Head = Omit<FoundTrace, 'matched' | 'ref' | 'longest_ms'>;

/** Trace properties besides the matches. */
async function readHeads(
  session: Session,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Head>> {
  const list = listText(ids);
  const [extent] = rowsOf<{ first_ns: bigint | null; last_ns: bigint | null }>(
    await session.query(queries.traceExtent, [list], signal),
  );
  if (!extent || extent.first_ns === null || extent.last_ns === null) return new Map();
  const rows = await session.query(queries.traceHeads, [list, extent.first_ns, extent.last_ns], signal);
  return new Map(rowsOf<Head>(rows).map((head) => [head.trace_id, head]));
}
