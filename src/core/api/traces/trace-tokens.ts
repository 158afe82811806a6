import type { CallContext, Parsed, TokenRequest, TokenTimes } from '../../../model/contract/index.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { SERVING_MARKS, servingAttributes } from '../../../model/telemetry/serving-attributes.ts';
import { stageNames } from '../../../model/telemetry/serving-stages.ts';
import {
  firstTokenAttributes,
  type TokenMark,
  tokenEvents,
  tokenMarkKinds,
  tokenSpans,
} from '../../../model/telemetry/token-marks.ts';
import { tokenFigures } from '../../analysis/serving/token-times.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { listText } from '../../store/list-text.ts';
import { queries } from '../../store/queries/index.ts';
import type { Workspace } from '../workspace.ts';
import { readGapHardware } from './gap-hardware.ts';
import { padded } from './trace-group-rows.ts';

/** More than a day of one answer at 20 tokens a second has. */
const MOST_MARKS = 2_000_000;
/** As many spans as a trace group has at most. */
const MOST_SPANS = 200_000;
/** Requests of one trace that are listed, and those for whose longest gap the hardware is read. */
const MOST_REQUESTS = 100;
const MOST_WITH_HARDWARE = 3;

export const traceTokenHandlers = (workspace: Workspace) => ({
  'trace.tokens': async ({ trace_id }: Parsed<'trace.tokens'>, { signal }: CallContext): Promise<TokenTimes> =>
    workspace.required().withSession((session) => readTokenTimes(session, padded(trace_id), signal)),
});

/** Marks of one span that bears them, in order of time. */
interface Bearer {
  readonly time_ns: BigInt64Array;
  readonly kind: Uint8Array;
  readonly needs_serving: Uint8Array;
}

interface SpanRow {
  readonly span_id: bigint;
  readonly parent_id: bigint;
  readonly service: string | null;
  readonly name: string | null;
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  readonly is_stage: boolean;
  readonly is_serving: boolean;
  readonly first_s: number | null;
  readonly output_tokens: number | null;
}

type Request = Omit<TokenRequest, 'hardware'>;

export async function readTokenTimes(session: Session, trace_id: string, signal?: AbortSignal): Promise<TokenTimes> {
  const { bearers, truncated } = await readMarks(session, trace_id, signal);
  const rows = await readSpans(session, trace_id, bearers, signal);
  const all = requestsOf(bearers, new Map(rows.map((row) => [row.span_id, row])));
  const requests = all.slice(0, MOST_REQUESTS);
  const found: TokenRequest[] = [];
  for (const [nth, request] of requests.entries()) {
    const asked = nth < MOST_WITH_HARDWARE && request.longest !== null;
    const hardware = asked
      ? await readGapHardware(session, { trace_id, request, gap: request.longest! }, signal)
      : null;
    found.push({ ...request, hardware });
  }
  const isCut = bearers.size > MOST_SPANS || rows.length === MOST_SPANS;
  return { requests: found, left_out: all.length - requests.length, truncated: truncated || isCut };
}

const marksText = (marks: readonly TokenMark[]): string =>
  JSON.stringify(marks.map((one) => ({ ...one, kind: tokenMarkKinds.indexOf(one.kind) })));

const shape = { bearer: 'u64', time_ns: 'i64', kind: 'u8', needs_serving: 'u8', marks: 'i32' } as const;

/** As raw columns: a long answer has as many marks as tokens. */
async function readMarks(session: Session, trace_id: string, signal: AbortSignal | undefined) {
  const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  const values = [quoted(trace_id), quoted(marksText(tokenEvents)), quoted(marksText(tokenSpans)), String(MOST_MARKS)];
  const sql = queries.traceTokenMarks.replaceAll(/\$([1-4])/g, (_, nth: string) => values[Number(nth) - 1]!);
  const pieces: { bearer: BigUint64Array; time_ns: BigInt64Array; kind: Uint8Array; needs_serving: Uint8Array }[] = [];
  let [read, total] = [0, 0];
  for await (const { columns, count } of session.stream(sql, shape)) {
    signal?.throwIfAborted();
    total = (columns['marks'] as Int32Array)[0] ?? total;
    read += count;
    pieces.push({
      bearer: (columns['bearer'] as BigUint64Array).slice(0, count),
      time_ns: (columns['time_ns'] as BigInt64Array).slice(0, count),
      kind: (columns['kind'] as Uint8Array).slice(0, count),
      needs_serving: (columns['needs_serving'] as Uint8Array).slice(0, count),
    });
  }
  const bearers = new Map<bigint, Bearer[]>();
  for (const piece of pieces) {
    for (let from = 0; from < piece.bearer.length; ) {
      const id = piece.bearer[from]!;
      let until = from + 1;
      while (until < piece.bearer.length && piece.bearer[until] === id) until++;
      const part = {
        time_ns: piece.time_ns.subarray(from, until),
        kind: piece.kind.subarray(from, until),
        needs_serving: piece.needs_serving.subarray(from, until),
      };
      bearers.set(id, [...(bearers.get(id) ?? []), part]);
      from = until;
    }
  }
  return { bearers, truncated: read < total };
}

const STAGES = stageNames.map(({ words }) => words).join('|');
const OUTPUT_TOKENS = JSON.stringify(
  servingAttributes.flatMap(({ name, quantity }) => (quantity === 'output_tokens' ? [name] : [])),
);

async function readSpans(
  session: Session,
  trace_id: string,
  bearers: ReadonlyMap<bigint, unknown>,
  signal: AbortSignal | undefined,
): Promise<SpanRow[]> {
  const ids = listText([...bearers.keys()].slice(0, MOST_SPANS));
  const texts = [ids, JSON.stringify(firstTokenAttributes), STAGES, SERVING_MARKS, OUTPUT_TOKENS];
  const values = [trace_id, ...texts, BigInt(MOST_SPANS)];
  return rowsOf<SpanRow>(await session.query(queries.traceTokenRequests, values, signal));
}

/** Marks of a stage are those of the request that it is part of. */
function requestsOf(bearers: ReadonlyMap<bigint, readonly Bearer[]>, spans: ReadonlyMap<bigint, SpanRow>): Request[] {
  const marked = new Map<bigint, Bearer[]>();
  for (const [id, parts] of bearers) {
    const span = spans.get(id);
    if (!span) continue;
    const above = span.is_stage ? spans.get(span.parent_id) : undefined;
    const isServing = span.is_stage || span.is_serving || above?.is_serving === true;
    const counted = isServing ? parts : parts.filter(({ needs_serving }) => !needs_serving.includes(1));
    const request = (above ?? span).span_id;
    if (counted.length > 0) marked.set(request, [...(marked.get(request) ?? []), ...counted]);
  }
  for (const { span_id, first_s } of spans.values())
    if (first_s !== null && !marked.has(span_id)) marked.set(span_id, []);
  return [...marked]
    .flatMap(([id, parts]) => requestOf(spans.get(id), parts))
    .sort((a, b) => (b.longest?.seconds ?? -1) - (a.longest?.seconds ?? -1) || Number(a.start_ns - b.start_ns));
}

function requestOf(span: SpanRow | undefined, parts: readonly Bearer[]): Request[] {
  if (!span) return [];
  const { span_id, service, name, start_ns, end_ns, first_s: stated_first_s, output_tokens } = span;
  const marks = parts
    .flatMap(({ time_ns, kind }) =>
      Array.from(time_ns, (time, at) => ({ after: Number(time - start_ns), kind: kind[at]! })),
    )
    .sort((a, b) => a.after - b.after);
  const { longest, ...figures } = tokenFigures({
    after_ns: Float64Array.from(marks, ({ after }) => after),
    kind: Uint8Array.from(marks, ({ kind }) => kind),
  });
  const at = (ns: number): bigint => start_ns + BigInt(Math.round(ns));
  return [
    {
      ...{ span_id: span_id.toString(16).padStart(16, '0'), service, name, start_ns, end_ns },
      ...{ output_tokens, stated_first_s, ...figures },
      longest: longest && {
        from_ns: at(longest.from_ns),
        until_ns: at(longest.until_ns),
        seconds: (longest.until_ns - longest.from_ns) / 1e9,
        after: longest.after,
      },
    },
  ];
}
