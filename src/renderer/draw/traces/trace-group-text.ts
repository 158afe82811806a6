import { spanKinds, spanMarks, type TraceGroup } from '../../../model/contract/index.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { cellMarkdown } from '../text/format-record.ts';
import { formatDuration } from '../text/format-time.ts';

/** First beginning and last end of all its spans; zeros of an empty story. */
export function extentOf({ start_ns, end_ns }: Pick<TraceGroup, 'start_ns' | 'end_ns'>) {
  let [from_ns, until_ns] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = 0; at < start_ns.length; at++) {
    from_ns = Math.min(from_ns, start_ns[at]!);
    until_ns = Math.max(until_ns, end_ns[at]!);
  }
  return start_ns.length === 0 ? { from_ns: 0, until_ns: 0 } : { from_ns, until_ns };
}

export const serviceOf = ({ services, service }: TraceGroup, span: number): string =>
  services[service[span]!] ?? 'unknown service';
export const nameOf = ({ names, name }: TraceGroup, span: number): string => names[name[span]!] || 'unnamed span';
export const labelOf = (traceGroup: TraceGroup, span: number): string =>
  `${serviceOf(traceGroup, span)} ${nameOf(traceGroup, span)}`;
export const lengthOf = ({ start_ns, end_ns }: TraceGroup, span: number): number => end_ns[span]! - start_ns[span]!;
export const hasMark = ({ marks }: TraceGroup, span: number, mark: keyof typeof spanMarks): boolean =>
  (marks[span]! & spanMarks[mark]) !== 0;
export const isFailed = ({ status }: TraceGroup, span: number): boolean => status[span] === 2;
export function failedSpans(story: TraceGroup): number {
  let count = 0;
  for (let span = 0; span < story.status.length; span++) if (isFailed(story, span)) count++;
  return count;
}

export function spanIdOf({ span_id }: TraceGroup, span: number): string {
  let hex = '';
  for (let byte = 7; byte >= 0; byte--) hex += span_id[8 * span + byte]!.toString(16).padStart(2, '0');
  return hex;
}

/** Evidence id. */
export const refOf = (story: TraceGroup, span: number): string =>
  `span:${story.traces[story.trace[span]!]?.trace_id}/${spanIdOf(story, span)}`;

/** The span of an evidence id; -1: it is not in the story. */
export function spanOfRef(story: TraceGroup, ref: string | null): number {
  const match = /^span:([0-9a-f]{1,32})\/([0-9a-f]{16})$/i.exec(ref ?? '');
  if (!match) return -1;
  const trace_id = match[1]!.padStart(32, '0').toLowerCase();
  const trace = story.traces.findIndex((one) => one.trace_id === trace_id);
  if (trace < 0) return -1;
  const bytes = Uint8Array.from({ length: 8 }, (_, at) =>
    Number.parseInt(match[2]!.slice(14 - 2 * at, 16 - 2 * at), 16),
  );
  for (let span = 0; span < story.trace.length; span++)
    if (story.trace[span] === trace && bytes.every((byte, at) => story.span_id[8 * span + at] === byte)) return span;
  return -1;
}

/** What is odd about a span: a mark for where there is little room, and what it means. */
export function oddMarks(story: TraceGroup, span: number): { readonly mark: string; readonly words: string }[] {
  const oddTexts: { mark: string; words: string }[] = [];
  const shift = story.shift_ns[span]!;
  if (hasMark(story, span, 'orphan')) oddTexts.push({ mark: 'no parent', words: 'parent not recorded' });
  if (hasMark(story, span, 'duplicate')) oddTexts.push({ mark: 'id twice', words: 'its id is used twice' });
  if (hasMark(story, span, 'circle')) oddTexts.push({ mark: 'circle', words: 'its parents form a circle, cut here' });
  if (hasMark(story, span, 'outlives')) oddTexts.push({ mark: '⇥', words: 'outlives its parent' });
  if (shift !== 0) oddTexts.push({ mark: `⇄ ${signed(shift)}`, words: `shifted ${signed(shift)}` });
  return oddTexts;
}

export const oddities = (story: TraceGroup, span: number): string[] => oddMarks(story, span).map(({ words }) => words);

export const signed = (ns: number): string => `${ns < 0 ? '\u2212' : '+'}${formatDuration(Math.abs(ns))}`;
/** `12 %`, `0.4 %`, `<0.01 %`: never a zero that is none, nor a whole that is not. */
export function percent(share: number): string {
  if (share > 0 && share < 1e-4) return '<0.01 %';
  if (share > 0.99 && share < 0.999) return `${(share * 100).toFixed(1)} %`;
  if (share >= 0.999 && share < 1) return '>99.9 %';
  return `${share >= 0.0995 || share === 0 ? Math.round(share * 100) : (share * 100).toPrecision(2)} %`;
}

/** `+130.225 s`: a time after the beginning, as finely as the whole asks for. */
export const afterText = (after_ns: number, whole_ns: number): string => {
  const decimals = whole_ns < 1e6 ? 9 : whole_ns < 1e9 ? 6 : 3;
  return `${after_ns < 0 ? '\u2212' : '+'}${(Math.abs(after_ns) / 1e9).toFixed(decimals)} s`;
};

/** What a screen reader says of a row, and a tooltip shows line by line. */
export function spanLines(
  story: TraceGroup,
  span: number,
  { from_ns, until_ns }: { readonly from_ns: number; readonly until_ns: number },
): string[] {
  const after = story.start_ns[span]! - from_ns;
  const time = (ns: number): string => afterText(ns, until_ns - from_ns);
  const shift = story.shift_ns[span]!;
  return [
    `${labelOf(story, span)}${isFailed(story, span) ? ', failed' : ''}`,
    `${formatDuration(lengthOf(story, span))}, of it ${formatDuration(story.self_ns[span]!)} itself; begins ${time(after)}`,
    `${spanKinds[story.kind[span]!] ?? 'unspecified'}${hasMark(story, span, 'critical') ? '; on the critical path' : ''}`,
    ...oddities(story, span),
    ...(shift === 0 ? [] : [`recorded ${time(after - shift)}: its clock and its caller's contradict each other`]),
  ];
}

const MOST_LINES = 5_000;

/** Offsets are whole nanoseconds: exact as doubles for a hundred days. */
const begunText = ({ origin_ns }: TraceGroup, from_ns: number): string =>
  origin_ns === null ? '' : `, begun ${formatUtc(nanos(origin_ns + BigInt(Math.round(from_ns))))}`;

/** The story as an indented list that people read, with what is odd, waits between traces, and evidence ids. */
export function traceGroupMarkdown(story: TraceGroup): string {
  const { from_ns, until_ns } = extentOf(story);
  const lines: string[] = [];
  const waits = waitsByTrace(story);
  for (let span = 0; span < story.trace.length && lines.length < MOST_LINES; span++) {
    const trace = story.trace[span]!;
    if (span === 0 || story.trace[span - 1] !== trace) {
      for (const wait of waits.get(trace) ?? []) lines.push('', `*${waitText(story, wait)}*`);
      if (story.traces.length > 1) lines.push('', `Trace \`${story.traces[trace]?.trace_id}\``, '');
    }
    const told = [
      ...(isFailed(story, span) ? ['**failed**'] : []),
      ...(hasMark(story, span, 'critical') ? ['critical path'] : []),
      ...oddities(story, span),
    ];
    const words = told.length > 0 ? `, ${told.join(', ')}` : '';
    lines.push(
      `${'  '.repeat(story.depth[span]!)}- ${cellMarkdown(labelOf(story, span))}: ${formatDuration(lengthOf(story, span))} (itself ${formatDuration(story.self_ns[span]!)})${words} \`${refOf(story, span)}\``,
    );
  }
  const left = story.trace.length - countSpans(lines);
  return [
    `**Trace \`${story.traces[0]?.trace_id ?? ''}\`**: ${story.trace.length} spans of ${story.services.length} services, ${formatDuration(until_ns - from_ns)}${begunText(story, from_ns)}`,
    '',
    ...lines,
    ...(left > 0 ? ['', `${left} more spans are not listed.`] : []),
  ].join('\n');
}

const countSpans = (lines: readonly string[]): number => lines.filter((line) => /^ *- /.test(line)).length;

/** Links that had to be waited for, by the trace of the span that came after. */
export function waitsByTrace(story: TraceGroup): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  for (let link = 0; link < story.link_from.length; link++) {
    const trace = story.trace[story.link_to[link]!]!;
    if (story.trace[story.link_from[link]!] === trace || waitOf(story, link) <= 0) continue;
    found.set(trace, [...(found.get(trace) ?? []), link]);
  }
  return found;
}

export const waitOf = ({ link_wait_from_ns, link_wait_until_ns }: TraceGroup, link: number): number =>
  link_wait_until_ns[link]! - link_wait_from_ns[link]!;

export const waitText = (story: TraceGroup, link: number): string =>
  `wait ${formatDuration(waitOf(story, link))}: from the end of ${labelOf(story, story.link_from[link]!)} to ${labelOf(story, story.link_to[link]!)}`;

/** Every span as an object; times on the case's clock, as text because no number holds them. */
export function traceGroupJson(story: TraceGroup): string {
  const origin = story.origin_ns ?? 0n;
  const time = (ns: number): string => String(origin + BigInt(Math.round(ns)));
  const spans = Array.from(story.parent, (parent, span) => ({
    ref: refOf(story, span),
    parent: parent < 0 ? null : refOf(story, parent),
    service: serviceOf(story, span),
    name: nameOf(story, span),
    kind: spanKinds[story.kind[span]!],
    status: ['unset', 'ok', 'error'][story.status[span]!],
    start_ns: time(story.start_ns[span]!),
    duration_ns: lengthOf(story, span),
    self_ns: story.self_ns[span],
    shifted_ns: story.shift_ns[span],
    critical: hasMark(story, span, 'critical'),
    notes: oddities(story, span),
  }));
  const waits = Array.from(story.link_from, (from, link) => ({
    from: refOf(story, from),
    to: refOf(story, story.link_to[link]!),
    wait_ns: waitOf(story, link),
  }));
  const critical_path = Array.from(story.path_span, (span, at) => ({
    ref: refOf(story, span),
    wait: story.path_wait[at] === 1,
    start_ns: time(story.path_from_ns[at]!),
    duration_ns: story.path_until_ns[at]! - story.path_from_ns[at]!,
  }));
  return JSON.stringify(
    { traces: story.traces.map(({ trace_id }) => trace_id), spans, links: waits, critical_path, cut: story.cut },
    null,
    2,
  );
}
