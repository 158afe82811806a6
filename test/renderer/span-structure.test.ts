import { expect, test } from 'vitest';
import { callTree, compareCalls } from '../../src/renderer/draw/traces/call-tree.ts';
import { type FlameNode, flameByTime } from '../../src/renderer/draw/traces/flame-tree.ts';
import { changedRows, structureOfCalls, structureOfFlame } from '../../src/renderer/draw/traces/span-structure.ts';
import { traceGroupOf } from '../support/drawn-trace-group.ts';

const structure = (before: string, after: string, most = 100) =>
  structureOfCalls(compareCalls(callTree(traceGroupOf(before)), callTree(traceGroupOf(after))), most);

test('paths that appeared, vanished, grew or multiplied are marked, the others are not', () => {
  const { rows, left } = structure(
    `
    web GET /          <------------------------------>
      db query          <--->
      db begin          <->
      db commit               <->
      seat reserve                 <------>
      seat release                         <--------->
    `,
    `
    web GET /          <------------------------------>
      db query          <------------>
      db begin          <>
      db begin            <>
      db commit               <->
      seat reserve                 <------>
      mail send                            <------>
    `,
  );
  expect(Object.fromEntries(rows.map(({ name, change }) => [name, change]))).toEqual({
    'GET /': null,
    query: 'longer',
    begin: 'longer',
    commit: null,
    reserve: null,
    release: 'gone',
    send: 'new',
  });
  expect(rows[0]).toMatchObject({ name: 'GET /', depth: 0 });
  expect(left).toBe(0);
});

test('of a large tree those that changed most are shown, with their callers, and the others are counted', () => {
  const wide = (longer: number): string =>
    ['  web GET /   <-------------------------------->', '    mid call    <----------------------------->']
      .concat(
        Array.from({ length: 50 }, (_, at) => `      db q${at}      ${at === 33 ? `<${'-'.repeat(longer)}>` : '<-->'}`),
      )
      .join('\n');
  const { rows, left } = structure(`\n${wide(2)}\n`, `\n${wide(12)}\n`, 5);
  expect(rows).toHaveLength(5);
  expect(left).toBe(47);
  expect(changedRows({ rows, left, longest_ns: 1 }).map(({ name }) => name)).toEqual(['q33']);
  expect(rows.slice(0, 2).map(({ name }) => name)).toEqual(['GET /', 'call']);
});

const flame = (base: boolean) =>
  flameByTime({
    window: { start_ns: 0n, end_ns: 1n },
    baseline: { start_ns: 0n, end_ns: 1n },
    share: 1,
    all_ms: 100,
    hidden: 0,
    hidden_ms: 0,
    parent: Int32Array.of(-1, 0, 0, 0),
    depth: Int32Array.of(1, 2, 2, 2),
    is_other: Uint8Array.of(0, 0, 0, 1),
    service: ['web', 'db', 'mail', null],
    name: ['GET /', 'query', 'send', null],
    // Twice as many requests before: as many spans are half as many for each.
    spans: Float64Array.of(10, 30, 0, 5),
    errors: new Float64Array(4),
    total_ms: new Float64Array(4),
    self_ms: new Float64Array(4),
    time_ms: Float64Array.of(100, 50, 0, 5),
    base_spans: base ? Float64Array.of(20, 30, 20, 5) : new Float64Array(4),
    base_errors: new Float64Array(4),
    base_total_ms: new Float64Array(4),
    base_self_ms: new Float64Array(4),
    base_time_ms: base ? Float64Array.of(200, 100, 20, 5) : new Float64Array(4),
  });

test('groups of traces are compared for as many requests', () => {
  const changes = (roots: readonly FlameNode[]) =>
    structureOfFlame(roots, 100).rows.map(({ name, before, after, change }) => [
      name,
      before?.spans ?? null,
      after?.spans ?? null,
      change,
    ]);
  expect(changes(flame(true))).toEqual([
    ['GET /', 10, 10, null],
    ['query', 15, 30, 'more'],
    ['send', 10, null, 'gone'],
  ]);
  // Nothing of the kind was requested before.
  expect(changes(flame(false)).map(([, , , change]) => change)).toEqual(['new', 'new', null]);
});
