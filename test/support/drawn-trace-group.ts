import { type ArrangedSpans, arrange } from '../../src/core/analysis/trace/arrange.ts';
import { type CriticalPath, criticalPath } from '../../src/core/analysis/trace/critical-path.ts';
import { orderLinks, type TraceGroupLinks } from '../../src/core/analysis/trace/links.ts';
import type { RecordedSpans } from '../../src/core/analysis/trace/recorded-spans.ts';
import { noBands } from '../../src/core/api/traces/fold-tokens.ts';
import { openTraceGroup, spanKinds, spanMarks, type TraceGroup } from '../../src/model/contract/index.ts';

export const MS = 1e6;

export interface DrawnSpan {
  readonly trace: number;
  readonly service: string;
  readonly process: string;
  readonly name: string;
  readonly kind: number;
  readonly failed: boolean;
  readonly from_ms: number;
  readonly until_ms: number;
  readonly id: bigint;
  /** 0n: none. */
  readonly parent: bigint;
  /** Ids, of any trace. */
  readonly links: readonly bigint[];
}

/**
 * Linked traces as text, one span a line, indented below its parent, one column per millisecond, `---` between traces
 * (`--- +90000`: what follows was so many milliseconds later than drawn):
 *
 *     service[@process] name  <------>  notes
 *
 * `!` instead of `>`: it failed; `|` is an instant. A name that begins with `->` is a client's, `~>` a producer's, `<~` a consumer's, `()` an
 * internal one; others are servers'. Without `@` a service is one process. Notes: `#a` calls it a, `^a` links it to a,
 * `id=a` gives it the id of a, `parent=a` another parent than the text shows (`parent=?`: one that is not there).
 */
export function parseTraceDrawing(drawing: string): DrawnSpan[] {
  const lines = drawing.split('\n').filter((line) => line.trim() !== '');
  const margin = Math.min(...lines.map((line) => line.search(/\S/)));
  const named = new Map<string, bigint>();
  const read = lines.map((line, at) => ({ ...readLine(line, line.slice(margin)), id: BigInt(at + 1) }));
  for (const { notes, id } of read) for (const note of notes) if (note.startsWith('#')) named.set(note.slice(1), id);
  const idOf = (name: string): bigint => named.get(name) ?? 0xdeadn;
  const parents: bigint[] = [];
  let trace = 0;
  let later = 0;
  return read.flatMap(({ depth, notes, id: own, ...span }) => {
    if (span.service === '---') {
      trace++;
      later += span.from_ms;
      return [];
    }
    const noteValue = (key: string): string | undefined =>
      notes.find((note) => note.startsWith(`${key}=`))?.slice(key.length + 1);
    const [sameAs, otherParent] = [noteValue('id'), noteValue('parent')];
    const id = sameAs === undefined ? own : idOf(sameAs);
    const shown = depth === 0 ? 0n : parents[depth - 1]!;
    parents[depth] = id;
    return [
      {
        ...span,
        from_ms: span.from_ms + later,
        until_ms: span.until_ms + later,
        trace,
        id,
        parent: otherParent === undefined ? shown : idOf(otherParent),
        links: notes.filter((note) => note.startsWith('^')).map((note) => idOf(note.slice(1))),
      },
    ];
  });
}

const noSpan = { depth: 0, service: '---', process: '', name: '', kind: 0, failed: false, until_ms: 0, notes: [] };

function readLine(line: string, drawn: string) {
  const border = /^---(?: \+(\d+))?$/.exec(drawn.trim());
  if (border) return { ...noSpan, from_ms: Number(border[1] ?? 0) };
  const match = /^(\s*)([^\s@]+)(?:@(\S+))? +(.+?) *(<-*[>!]|\|)\s*(.*)$/.exec(drawn);
  if (!match) throw new Error(`not a span: ${line}`);
  const [, indent = '', service = '', process = service, name = '', bar = '', notes = ''] = match;
  const from_ms = line.indexOf(bar, line.indexOf(name) + name.length);
  const marks = { '->': 'client', '~>': 'producer', '<~': 'consumer', '()': 'internal' };
  const kind = marks[name.slice(0, 2) as keyof typeof marks] ?? 'server';
  return {
    depth: indent.length / 2,
    service,
    process,
    name,
    kind: spanKinds.indexOf(kind as (typeof spanKinds)[number]),
    failed: bar.endsWith('!'),
    from_ms,
    until_ms: from_ms + (bar === '|' ? 0 : bar.length),
    notes: notes.split(/\s+/).filter((note) => note !== ''),
  };
}

export interface DrawnTraceGroup {
  readonly spans: ArrangedSpans;
  readonly links: TraceGroupLinks;
  readonly path: CriticalPath;
  /** What the numbers of services and names stand for. */
  readonly words: readonly string[];
  /** `service name` of a span. */
  readonly label: (span: number) => string;
  readonly find: (label: string) => number;
}

/** What the analysis makes of a drawing, without a case. */
export function drawTraceGroup(drawing: string): DrawnTraceGroup {
  const drawn = parseTraceDrawing(drawing).toSorted((a, b) => a.trace - b.trace || a.from_ms - b.from_ms);
  const codes = new Map<string, number>();
  const code = (word: string): number => {
    codes.set(word, codes.get(word) ?? codes.size);
    return codes.get(word)!;
  };
  const recorded: RecordedSpans = {
    trace: Int32Array.from(drawn, ({ trace }) => trace),
    id: BigUint64Array.from(drawn.map(({ id }) => id)),
    parent_id: BigUint64Array.from(drawn.map(({ parent }) => parent)),
    start_ns: Float64Array.from(drawn, ({ from_ms }) => from_ms * MS),
    end_ns: Float64Array.from(drawn, ({ until_ms }) => until_ms * MS),
    service: Int32Array.from(drawn, ({ service }) => code(service)),
    process: Int32Array.from(drawn, ({ process }) => code(process)),
    name: Int32Array.from(drawn, ({ name }) => code(name)),
    kind: Uint8Array.from(drawn, ({ kind }) => kind),
    status: Uint8Array.from(drawn, ({ failed }) => (failed ? 2 : 0)),
  };
  const spans = arrange(recorded);
  const words = [...codes.keys()];
  const label = (span: number): string => `${words[spans.service[span]!]} ${words[spans.name[span]!]}`;
  const find = (wanted: string): number => {
    const at = Array.from(spans.parent, (_, span) => label(span)).indexOf(wanted);
    if (at < 0) throw new Error(`no span ${wanted}`);
    return at;
  };
  const place = (id: bigint): number => spans.id.indexOf(id);
  const pairs = drawn.flatMap(({ id, links }) => links.map((to) => [place(id), place(to)] as const));
  const links = orderLinks(
    spans,
    pairs.filter(([, to]) => to >= 0),
  );
  return { spans, links, path: criticalPath(spans, links), words, label, find };
}

/** The tree as text: two spaces a level. */
export const outline = ({ spans, label }: DrawnTraceGroup): string[] =>
  Array.from(spans.depth, (depth, at) => `${'  '.repeat(depth)}${label(at)}`);

/** `seat reserve 5` for five milliseconds of work, `wait 3: a b -> c d` for a wait. */
export const pathText = ({ path, label }: DrawnTraceGroup): string[] =>
  Array.from(path.span, (span, at) => {
    const ms = (path.until_ns[at]! - path.from_ns[at]!) / MS;
    return path.is_wait[at] ? `wait ${ms}: ${label(path.after[at]!)} -> ${label(span)}` : `${label(span)} ${ms}`;
  });

/** A drawing as the window gets it, without a case; its beginning is at 0. */
export function traceGroupOf(drawing: string): TraceGroup {
  const { spans, links, path, words } = drawTraceGroup(drawing);
  const traces = [...new Set(spans.trace)].map((trace) => {
    const own = [...spans.trace.keys()].filter((span) => spans.trace[span] === trace);
    return {
      trace_id: (0xabc0n + BigInt(trace)).toString(16).padStart(32, '0'),
      spans: own.length,
      left_out: 0,
      start_ns: Math.min(...own.map((span) => spans.start_ns[span]!)),
      end_ns: Math.max(...own.map((span) => spans.end_ns[span]!)),
    };
  });
  for (const [at, span] of path.span.entries())
    if (path.is_wait[at] === 0) spans.marks[span] = spans.marks[span]! | spanMarks.critical;
  const none = new Int32Array(0);
  return openTraceGroup({
    origin_ns: 1_767_225_600_000_000_000n,
    traces,
    services: [...words],
    names: [...words],
    ...(spans as Pick<
      TraceGroup,
      'depth' | 'trace' | 'service' | 'name' | 'kind' | 'status' | 'marks' | 'start_ns' | 'shift_ns' | 'self_ns'
    >),
    length_ns: spans.end_ns.map((end, at) => end - spans.start_ns[at]!) as Float64Array<ArrayBuffer>,
    span_id: new Uint8Array(BigUint64Array.from(spans.id).buffer),
    path_span: path.span,
    path_from_ns: path.from_ns,
    path_until_ns: path.until_ns,
    path_wait: path.is_wait,
    path_after: path.after,
    link_from: links.from,
    link_to: links.to,
    link_wait_from_ns: links.wait_from_ns,
    link_wait_until_ns: links.wait_until_ns,
    event_span: none,
    event_ns: new Float64Array(0),
    event_name: none,
    event_names: [],
    log_span: none,
    log_ns: new Float64Array(0),
    log_severity: new Uint8Array(0),
    log_refs: [],
    log_bodies: [],
    ...noBands,
    cut: { traces: 0, spans: 0, events: false, links: false, logs: false, unrecorded_links: 0 },
  });
}
