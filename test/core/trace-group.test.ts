import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arrange } from '../../src/core/analysis/trace/arrange.ts';
import { criticalPath } from '../../src/core/analysis/trace/critical-path.ts';
import { orderLinks } from '../../src/core/analysis/trace/links.ts';
import { spanMarks } from '../../src/model/contract/index.ts';
import {
  type DrawnTraceGroup,
  drawTraceGroup,
  MS,
  outline,
  pathText,
  traceGroupOf,
} from '../support/drawn-trace-group.ts';

const marked = ({ spans, label }: DrawnTraceGroup, mark: number): string[] =>
  Array.from(spans.marks, (marks, at) => [marks, at] as const)
    .filter(([marks]) => (marks & mark) !== 0)
    .map(([, at]) => label(at));
const selfMs = ({ spans, find }: DrawnTraceGroup, label: string): number => spans.self_ns[find(label)]! / MS;
const shiftMs = ({ spans, find }: DrawnTraceGroup, label: string): number => spans.shift_ns[find(label)]! / MS;

describe('the tree', () => {
  test('what crosses no wire follows from what does', () => {
    const drawing = `
      web GET /            <----------------------->
        web ->price                   <---->
          price quote                  <-->
        web ->reserve       <------>
          seat reserve       <---->
      ---
      other job                 <---->
        other part               |
      other job                         <-->
    `;
    const { spans } = drawTraceGroup(drawing);
    const { parent, descendants, end_ns } = traceGroupOf(drawing);
    expect([...parent]).toEqual([...spans.parent]);
    expect([...descendants]).toEqual([...spans.descendants]);
    expect([...end_ns]).toEqual([...spans.end_ns]);
    expect([...parent]).toEqual([-1, 0, 1, 0, 3, -1, 5, -1]);
  });

  test('children stand below their parents, siblings by their beginning', () => {
    const traceGroup = drawTraceGroup(`
      web GET /            <----------------------->
        web ->price                   <---->
          price quote                  <-->
        web ->reserve       <------>
          seat reserve       <---->
    `);
    expect(outline(traceGroup)).toEqual([
      'web GET /',
      '  web ->reserve',
      '    seat reserve',
      '  web ->price',
      '    price quote',
    ]);
    expect([...traceGroup.spans.descendants]).toEqual([4, 1, 0, 1, 0]);
  });

  test('a missing parent makes a root that is marked', () => {
    const group = drawTraceGroup(`
      web GET /      <---------->
      seat reserve     <---->      parent=?
        seat ()lock     <-->
    `);
    expect(outline(group)).toEqual(['web GET /', 'seat reserve', '  seat ()lock']);
    expect(marked(group, spanMarks.orphan)).toEqual(['seat reserve']);
  });

  test('two halves of one call that share an id are caller and callee; the caller keeps what its own process did', () => {
    const group = drawTraceGroup(`
      web GET /          <------------------->
        web ->reserve     <---------------->    #call
          web ()encode    <-->
          seat reserve       <----------->      id=call
          seat ()lock          <-->
    `);
    expect(outline(group)).toEqual([
      'web GET /',
      '  web ->reserve',
      '    web ()encode',
      '    seat reserve',
      '      seat ()lock',
    ]);
    expect(marked(group, spanMarks.duplicate)).toEqual([]);
  });

  test('any other span of the same id is kept and marked; children stay with the first', () => {
    const group = drawTraceGroup(`
      web GET /        <---------->   #one
        web ()parse      <-->
      web GET /again      <-->        id=one
    `);
    expect(outline(group)).toEqual(['web GET /', '  web ()parse', 'web GET /again']);
    expect(marked(group, spanMarks.duplicate)).toEqual(['web GET /', 'web GET /again']);
  });

  test('a circle of parents is cut above its first span, and one that is its own parent is a root', () => {
    const group = drawTraceGroup(`
      a first     <---------->  #one parent=three
        b second     <---->     #two
          c third     <-->      #three
      d alone      <-->         #four parent=four
    `);
    expect(outline(group)).toEqual(['a first', '  b second', '    c third', 'd alone']);
    expect(marked(group, spanMarks.circle)).toEqual(['a first']);
    expect(marked(group, spanMarks.orphan)).toEqual(['d alone']);
  });

  test('a chain of a hundred thousand spans does not overflow', () => {
    const line = (at: number): string => `s n${at} <${'-'.repeat(3)}> #i${at} ${at === 0 ? '' : `parent=i${at - 1}`}`;
    const group = drawTraceGroup(Array.from({ length: 100_000 }, (_, at) => line(at)).join('\n'));
    expect(group.spans.depth.at(-1)).toBe(99_999);
    expect(group.spans.descendants[0]).toBe(99_999);
  });
});

describe('self time', () => {
  test('is what no child covers; children at once count once', () => {
    const group = drawTraceGroup(`
      web GET /       <-------------------->
        web ()left      <------->
        web ()right         <------->
    `);
    expect(selfMs(group, 'web GET /')).toBe(22 - 13);
    expect(selfMs(group, 'web ()left')).toBe(9);
  });

  test('of a child that outlives its parent counts what lies within; one that begins later counts nothing', () => {
    const group = drawTraceGroup(`
      web POST /      <-------->
        web ()flush         <---------->
        web ()mail                  <---->
    `);
    expect(selfMs(group, 'web POST /')).toBe(6);
    expect(marked(group, spanMarks.outlives)).toEqual(['web ()flush', 'web ()mail']);
  });
});

describe('clocks', () => {
  test('a callee outside its answered call is put in its middle, with all that its process did', () => {
    const group = drawTraceGroup(`
      web ->reserve             <------------------>
        seat reserve      <------------>
          seat ()lock        <-->
    `);
    // 20 ms of call, 14 of work: 3 ms on either side.
    expect(shiftMs(group, 'seat reserve')).toBe(9);
    expect(shiftMs(group, 'seat ()lock')).toBe(9);
    expect(marked(group, spanMarks.shifted)).toEqual(['seat reserve', 'seat ()lock']);
    expect(marked(group, spanMarks.outlives)).toEqual([]);
  });

  test('who is called by what was moved is judged where that stands now', () => {
    const group = drawTraceGroup(`
      web ->reserve             <------------------>
        seat reserve      <------------>
          seat ->query      <------>
            stock query                    <---->
    `);
    expect(shiftMs(group, 'seat ->query')).toBe(9);
    // The call was moved away from under it: a clock of its own.
    expect(shiftMs(group, 'stock query')).toBeLessThan(0);
    const { start_ns, end_ns } = group.spans;
    const [call, work] = [group.find('seat ->query'), group.find('stock query')];
    expect(start_ns[work]).toBeGreaterThanOrEqual(start_ns[call]!);
    expect(end_ns[work]).toBeLessThanOrEqual(end_ns[call]!);
  });

  test('nothing moves that may be true: same process, a consumer that is late, a call that was given up', () => {
    const group = drawTraceGroup(`
      web GET /           <---------------->
        web ()before    <------->
        web ~>order         <-->
          mail <~order                      <------>
        web ->slow             <------!
          slow answer             <----->
    `);
    expect([...group.spans.shift_ns]).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test('of a call that was recorded as an instant nothing is concluded', () => {
    const spans = drawTraceGroup(`
      web ->get        |
        seat get              |
    `).spans;
    expect([...spans.shift_ns]).toEqual([0, 0]);
  });

  test('a message is not received before it was sent; a longer callee begins with its call', () => {
    const group = drawTraceGroup(`
      web ~>order           <-->
        mail <~order    <------>
      web ->get             <---->
        seat get        <------------->
    `);
    expect(shiftMs(group, 'mail <~order')).toBe(4);
    expect(shiftMs(group, 'seat get')).toBe(4);
  });
});

describe('the critical path', () => {
  test('follows the child that ended last, and leaves out what ran beside it', () => {
    const group = drawTraceGroup(`
      web GET /          <----------------------------->
        web ->reserve     <------------->
          seat reserve      <--------->
        web ->price       <----->
        web ->pay                          <------->
    `);
    expect(pathText(group)).toEqual([
      'web GET / 1',
      'web ->reserve 2',
      'seat reserve 11',
      'web ->reserve 2',
      'web GET / 2',
      'web ->pay 9',
      'web GET / 4',
    ]);
  });

  test('reaches from the beginning to the end without gap or overlap', () => {
    const { path, spans } = drawTraceGroup(`
      a one     <----------------------------->
        a two     <----->
        a three      <------->
          b four      <----->
        a five               <------------->
          b six                <-->
          b seven                  <---->
    `);
    for (let at = 1; at < path.span.length; at++) expect(path.from_ns[at]).toBe(path.until_ns[at - 1]);
    expect(path.from_ns[0]).toBe(spans.start_ns[0]);
    expect(path.until_ns.at(-1)).toBe(spans.end_ns[0]);
  });

  test('an asynchronous child that ends last ends the path; its parent is on it up to the child only', () => {
    const group = drawTraceGroup(`
      web POST /      <--------------->
        web ()store     <--->
        web ()flush          <------------------>
    `);
    expect(pathText(group)).toEqual(['web POST / 2', 'web ()store 5', 'web ()flush 20']);
  });

  test('a span without a waiter that ends earlier is not on it', () => {
    const group = drawTraceGroup(`
      web POST /        <--------------------->
        web ()call         <---->
          web ()notify        <--------->
    `);
    expect(pathText(group)).toEqual(['web POST / 3', 'web ()call 6', 'web POST / 14']);
  });

  test('a message that lay about is a wait', () => {
    const group = drawTraceGroup(`
      web POST /        <-------->
        web ~>order        <-->
          mail <~order                  <---->
    `);
    expect(pathText(group)).toEqual([
      'web POST / 3',
      'web ~>order 4',
      'wait 9: web ~>order -> mail <~order',
      'mail <~order 6',
    ]);
  });

  test('goes through links from trace to trace, with the waits between', () => {
    const group = drawTraceGroup(`
      monitor detect     <------>                                    #detect
        monitor ->write    <--->
      ---
      quarantine cordon           <---->                             #cordon ^detect
      ---
      drainer reconcile                       <------------>
        drainer evict                           <------->            #evict ^cordon
      ---
      remediation reboot                                        <--> ^evict
    `);
    expect(pathText(group)).toEqual([
      'monitor detect 2',
      'monitor ->write 5',
      'monitor detect 1',
      'wait 1: monitor detect -> quarantine cordon',
      'quarantine cordon 6',
      'wait 6: quarantine cordon -> drainer reconcile',
      'drainer reconcile 2',
      'drainer evict 9',
      'wait 7: drainer evict -> remediation reboot',
      'remediation reboot 4',
    ]);
    const waits = Array.from(
      group.links.from,
      (_, at) => (group.links.wait_until_ns[at]! - group.links.wait_from_ns[at]!) / MS,
    );
    expect(waits).toEqual([1, 6, 7]);
  });

  test('forward links give the same path', () => {
    const group = drawTraceGroup(`
      monitor detect     <------>                 ^cordon
      ---
      quarantine cordon           <---->          #cordon
    `);
    expect(pathText(group)).toEqual([
      'monitor detect 8',
      'wait 1: monitor detect -> quarantine cordon',
      'quarantine cordon 6',
    ]);
  });

  test('of several senders the last one counts; links in a circle end', () => {
    const group = drawTraceGroup(`
      a send       <---->                 #a ^batch
      ---
      b send         <------->            #b
      ---
      c batch                   <----->   #batch ^a ^b
    `);
    expect(pathText(group)).toEqual(['b send 9', 'wait 2: b send -> c batch', 'c batch 7']);
  });

  test('traces without a link between them are no path', () => {
    const group = drawTraceGroup(`
      a one    <------>
      ---
      b two               <---->
    `);
    expect(pathText(group)).toEqual(['b two 6']);
  });

  test('nothing recorded has no path', () => {
    expect(drawTraceGroup('').path.span.length).toBe(0);
  });
});

test('whatever was recorded, every span stands once behind its parent, and the path has no gap and goes forward', () => {
  const number = (max: number) => fc.integer({ min: 0, max });
  const span = fc.record({
    trace: number(2),
    id: number(12),
    parent: number(12),
    start: number(60),
    length: fc.integer({ min: -3, max: 30 }),
    process: fc.integer({ min: -1, max: 3 }),
    kind: number(5),
    status: number(2),
    link: number(40),
  });
  fc.assert(
    fc.property(fc.array(span, { maxLength: 40 }), (some) => {
      const firsts = new Map<number, number>();
      for (const { trace, start } of some) firsts.set(trace, Math.min(firsts.get(trace) ?? 1e9, start));
      const drawn = some.toSorted(
        (a, b) => (firsts.get(a.trace) ?? 0) - (firsts.get(b.trace) ?? 0) || a.trace - b.trace || a.start - b.start,
      );
      const column = (of: (one: (typeof drawn)[number]) => number) => Int32Array.from(drawn, of);
      const spans = arrange({
        trace: column(({ trace }) => trace),
        id: BigUint64Array.from(drawn.map(({ id }) => BigInt(id))),
        parent_id: BigUint64Array.from(drawn.map(({ parent }) => BigInt(parent))),
        start_ns: Float64Array.from(drawn, ({ start }) => start),
        end_ns: Float64Array.from(drawn, ({ start, length }) => start + length),
        service: column(({ process }) => process),
        process: column(({ process }) => process),
        name: column(({ id }) => id),
        kind: Uint8Array.from(drawn, ({ kind }) => kind),
        status: Uint8Array.from(drawn, ({ status }) => status),
      });
      const count = drawn.length;
      expect([...spans.name].sort()).toEqual(drawn.map(({ id }) => id).sort());
      let below = 0;
      for (let at = 0; at < count; at++) {
        expect(spans.parent[at]).toBeLessThan(at);
        expect(spans.self_ns[at]).toBeGreaterThanOrEqual(0);
        expect(spans.end_ns[at]).toBeGreaterThanOrEqual(spans.start_ns[at]!);
        if (spans.parent[at] === -1) below += 1 + spans.descendants[at]!;
      }
      expect(below).toBe(count);
      const pairs = drawn.flatMap(({ link }, at) => (link < count ? [[at, link] as const] : []));
      const path = criticalPath(spans, orderLinks(spans, pairs));
      for (let at = 0; at < path.span.length; at++) {
        expect(path.until_ns[at]).toBeGreaterThan(path.from_ns[at]!);
        if (at > 0) expect(path.from_ns[at]).toBe(path.until_ns[at - 1]);
      }
      if (path.span.length > 0) expect(path.until_ns.at(-1)).toBe(Math.max(...spans.end_ns));
    }),
    { numRuns: 500 },
  );
});
