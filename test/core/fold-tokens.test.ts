import { expect, test } from 'vitest';
import { readTraceGroup } from '../../src/core/api/traces/trace-group.ts';
import { contract, openTraceGroup, type TraceGroup } from '../../src/model/contract/index.ts';
import type { Session } from '../../src/model/storage/engine.ts';
import { tokenParents } from '../../src/model/telemetry/token-parents.ts';
import { idleTimes, placesOf } from '../../src/renderer/draw/traces/trace-group-scale.ts';
import { extentOf, failedSpans, spanIdOf } from '../../src/renderer/draw/traces/trace-group-text.ts';
import { bandGaps, isTooFine } from '../../src/renderer/draw/traces/waterfall-band.ts';
import { waterfallRows } from '../../src/renderer/draw/traces/waterfall-rows.ts';
import { atSecond, type Recording, recordedCase } from '../support/software-case.ts';

interface Token {
  readonly id: number;
  readonly parent: number;
  readonly from_ms: number;
  readonly until_ms: number;
  readonly name?: string;
  readonly failed?: boolean;
}

const REQUEST = 1;
const DECODE = 2;
const OTHER = 3;
const LINKED = 500;
const LOGGED = 600;
const LATE = 700;

/** A request whose decode has a span for each token; another has a failed one. */
const spansOf = (tokens: number): Token[] => [
  { id: REQUEST, parent: 0, from_ms: 0, until_ms: 10 * tokens + 2000, name: 'llm.request' },
  { id: DECODE, parent: REQUEST, from_ms: 10, until_ms: 10 * tokens + 1000, name: 'decode' },
  ...Array.from({ length: tokens }, (_, at) => {
    // Of every 100 one comes 8 ms later than the others; the last ones end after the decode.
    const from_ms = 20 + 10 * at + (at % 100 === 0 ? 8 : 0) + (at >= LATE ? 900 : 0);
    const until_ms = at === tokens - 1 ? 10 * tokens + 1500 : 20 + 10 * at + 9 + (at >= LATE ? 900 : 0);
    return { id: 100 + at, parent: DECODE, from_ms, until_ms: Math.max(until_ms, from_ms) };
  }),
  { id: OTHER, parent: REQUEST, from_ms: 10 * tokens + 1500, until_ms: 10 * tokens + 1900, name: 'decode' },
  ...Array.from({ length: 40 }, (_, at) => {
    const from_ms = 10 * tokens + 1510 + 5 * at;
    return { id: 90_000 + at, parent: OTHER, from_ms, until_ms: from_ms + 4, failed: at === 7 };
  }),
];

function record({ builder }: Recording, tokens: number): void {
  for (const { id, parent, from_ms, until_ms, name = 'decode.token', failed = false } of spansOf(tokens))
    builder.table('span').push({
      ...{ trace_hi: 1n, trace_lo: 2n, span_id: BigInt(id), parent_id: BigInt(parent) },
      ...{ start_ns: atSecond(from_ms / 1000), end_ns: atSecond(until_ms / 1000) },
      ...{ name: builder.name(name), service: builder.entity('service', 'llm'), resource: -1, scope: -1 },
      ...{ kind: 1, status: failed ? 2 : 0, flags: 0, trace_state: '', status_message: '', attributes: '', dropped: 0 },
    });
  builder.table('span_link').push({
    ...{ trace_hi: 1n, trace_lo: 2n, span_id: BigInt(LINKED), trace_state: '', attributes: '' },
    ...{ linked_trace_hi: 1n, linked_trace_lo: 2n, linked_span_id: BigInt(OTHER) },
  });
  for (const span of [LOGGED, LOGGED + 1])
    builder.table('span_event').push({
      ...{ trace_hi: 1n, trace_lo: 2n, span_id: BigInt(span), time_ns: atSecond(3), name: builder.name('late') },
      ...{ attributes: '', dropped: 0 },
    });
}

const read = async (session: Session, fold_tokens: boolean): Promise<TraceGroup> => {
  const input = contract['trace.story'].input.parse({
    trace_id: `${'1'.padStart(16, '0')}${'2'.padStart(16, '0')}`,
    fold_tokens,
  });
  return openTraceGroup(
    contract['trace.story'].output.parse(await readTraceGroup({ own: session, second: session }, input)),
  );
};

async function both(tokens: number) {
  const session = await recordedCase((recording) => record(recording, tokens));
  return { whole: await read(session, false), folded: await read(session, true) };
}

const scaleOf = (traceGroup: TraceGroup, share: number) => {
  const places = placesOf(extentOf(traceGroup), idleTimes(traceGroup), true);
  return {
    places,
    window: { from: places.from, until: places.from + (places.until - places.from) * share },
    width: 1000,
  };
};

test('folded tokens leave the rows, times and failures of a trace as they are', async () => {
  const { whole, folded } = await both(3000);
  expect(whole.band_span).toHaveLength(0);
  expect(folded.total).toBe(whole.total);
  expect(folded.parent.length).toBeLessThan(60);
  for (const column of [
    'start_ns',
    'end_ns',
    'self_ns',
    'marks',
    'status',
    'depth',
    'below',
    'name',
    'service',
  ] as const)
    expect([...folded[column]]).toEqual([...folded.place].map((span) => whole[column][span]));
  expect(folded.services).toEqual(whole.services);
  expect(extentOf(folded)).toEqual(extentOf(whole));
  expect(idleTimes(folded)).toEqual(idleTimes(whole));
  expect(failedSpans(folded)).toBe(1);
  const rows = (traceGroup: TraceGroup): string[] => {
    const parents = new Set([...tokenParents(traceGroup).parents, ...traceGroup.band_span]);
    const shown = waterfallRows(traceGroup, { folded: parents, foldedTraces: new Set(), least_ns: 0 });
    return Array.from(shown.rows, (span) => spanIdOf(traceGroup, span));
  };
  expect(rows(folded)).toEqual(rows(whole));
});

test('a token that is linked, or outlasts its parent, stays', async () => {
  const { folded } = await both(3000);
  const ids = Array.from(folded.place.keys(), (span) => Number.parseInt(spanIdOf(folded, span), 16));
  expect(ids.filter((id) => id >= 100 && id < 90_000)).toEqual([LINKED, 100 + 2999]);
  expect(ids[folded.link_to[0]!]).toBe(OTHER);
  expect(ids[folded.link_from[0]!]).toBe(LINKED);
  expect(folded.event_span).toHaveLength(0);
  expect([...folded.band_count]).toEqual([2998]);
});

test('the critical path is as long, and of folded tokens it is that of their parent', async () => {
  const { whole, folded } = await both(3000);
  const ownerOf = (traceGroup: TraceGroup, span: number): string => {
    const isToken = traceGroup.names[traceGroup.name[span]!] === 'decode.token' && traceGroup.parent[span] === 1;
    return spanIdOf(traceGroup, isToken ? 1 : span);
  };
  const sums = (traceGroup: TraceGroup): Record<string, number> => {
    const found: Record<string, number> = {};
    for (const [at, span] of traceGroup.path_span.entries()) {
      const owner = ownerOf(traceGroup, span);
      found[owner] = (found[owner] ?? 0) + traceGroup.path_until_ns[at]! - traceGroup.path_from_ns[at]!;
    }
    return found;
  };
  expect(sums(folded)).toEqual(sums(whole));
  expect(folded.path_span.length).toBeLessThan(100);
});

test('late tokens are gaps of the band at every zoom for which it knows them', async () => {
  const { whole, folded } = await both(5000);
  const gaps = [1, 0.3, 0.1, 0.05].map((share) => {
    const scale = scaleOf(whole, share);
    expect(isTooFine(folded, scaleOf(folded, share))).toBe(false);
    expect(bandGaps(folded, 1, scaleOf(folded, share))).toEqual(bandGaps(whole, 1, scale));
    return bandGaps(whole, 1, scale).length;
  });
  expect(gaps[0]).toBeGreaterThan(0);
  // A pixel of half a millisecond shows gaps of one.
  expect(isTooFine(folded, scaleOf(folded, 0.01))).toBe(true);
});

test('a trace of fewer tokens comes with all of them', async () => {
  const { whole, folded } = await both(1000);
  expect(folded.place).toEqual(whole.place);
  expect(folded.band_span).toHaveLength(0);
});
