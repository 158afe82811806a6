import type { CallContext, Output, Parsed, ServiceCall, ServiceGraph } from '../../../model/contract/index.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { attributeOf } from '../../../model/traceql/complete.ts';
import { shareFor } from '../../analysis/differences/span-differences.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { queries } from '../../store/queries/index.ts';
import type { Workspace } from '../workspace.ts';

/** Spans that are read for names and values, and for calls between services; of more, a share. */
const MOST_SPANS = 100_000;
const MOST_CALLED = 1_000_000;
const MOST_TAGS = 300n;
const MOST_VALUES = 50n;

/** What a search may ask of the spans of a window, and which service called which. */
export function traceFieldHandlers(workspace: Workspace) {
  /** Runs with the window's ends and how many spans begin in it. */
  const within = async <T>(
    input: { readonly start_ns: bigint | null; readonly end_ns: bigint | null },
    signal: AbortSignal | undefined,
    run: (session: Session, time: readonly [bigint, bigint], spans: number) => Promise<T>,
  ): Promise<T> => {
    const opened = workspace.required();
    const { first_ns, last_ns } = await opened.info();
    const time = [input.start_ns ?? first_ns ?? 0n, input.end_ns ?? last_ns ?? 0n] as const;
    return opened.withSession(async (session) => {
      const [counted] = rowsOf<{ spans: number }>(await session.query(queries.traceSpanCount, [...time], signal));
      return run(session, time, counted?.spans ?? 0);
    });
  };
  return {
    'traces.tags': async (input: Parsed<'traces.tags'>, { signal }: CallContext) =>
      within(input, signal, async (session, time, spans) => {
        const share = BigInt(shareFor(spans, MOST_SPANS));
        const rows = rowsOf<Output<'traces.tags'>[number]>(
          await session.query(queries.traceTags, [...time, share, MOST_TAGS], signal),
        );
        return rows.map((row) => ({ ...row, spans: row.spans * Number(share) }));
      }),
    'traces.values': async (input: Parsed<'traces.values'>, { signal }: CallContext) => {
      const what = columnOf(input.field);
      if (what === null) return [];
      return within(input, signal, async (session, time, spans) => {
        const share = BigInt(shareFor(spans, MOST_SPANS));
        const values = [...time, share, ...what, input.text, MOST_VALUES];
        const rows = rowsOf<Output<'traces.values'>[number]>(await session.query(queries.traceValues, values, signal));
        return rows.map((row) => ({ ...row, spans: row.spans * Number(share) }));
      });
    },
    'traces.services': async (input: Parsed<'traces.services'>, { signal }: CallContext) =>
      within(input, signal, (session, time, spans) => readServices(session, time, spans, signal)),
  };
}

async function readServices(
  session: Session,
  time: readonly [bigint, bigint],
  spans: number,
  signal: AbortSignal | undefined,
): Promise<ServiceGraph> {
  const share = shareFor(spans, MOST_CALLED);
  const found = rowsOf<ServiceCall & { readonly is_callee: boolean }>(
    await session.query(queries.serviceCalls, [...time, BigInt(share)], signal),
  );
  const rows = found.map(({ calls, errors, ...row }) => ({ ...row, calls: calls * share, errors: errors * share }));
  const answering = rows.flatMap(({ is_callee, callee: service, caller: _, ...figures }) =>
    is_callee ? [{ service, ...figures }] : [],
  );
  const calls = rows.flatMap(({ is_callee, ...call }) => (is_callee ? [] : [call]));
  const callers = new Set(calls.flatMap(({ caller }) => caller ?? []));
  for (const { service } of answering) callers.delete(service);
  const nothing = { calls: 0, errors: 0, p50_ms: null, p95_ms: null };
  return {
    services: [...answering, ...[...callers].map((service) => ({ service, ...nothing }))],
    calls,
    seconds: Number(time[1] - time[0]) / 1e9,
    share,
  };
}

/** What trace-values.sql reads, and the JSON pointer of an attribute; null: nothing of the case. */
function columnOf(field: string): readonly [string, string] | null {
  if (/^(span:)?name$|^(trace:)?rootName$/.test(field)) return ['name', ''];
  if (/^(resource)?\.?service\.name$|^rootServiceName$|^trace:rootService$/.test(field)) return ['service', ''];
  if (/^(span:)?statusMessage$/.test(field)) return ['message', ''];
  if (field === 'instrumentation:name') return ['scope', ''];
  const attribute = attributeOf(field);
  if (attribute === null || /^(event|link|instrumentation|parent)\./.test(field)) return null;
  return [attribute.scope, `/${attribute.name.replaceAll('~', '~0').replaceAll('/', '~1')}`];
}
