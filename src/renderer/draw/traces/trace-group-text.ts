import { spanKinds, spanMarks, type TraceGroup } from '../../../model/contract/index.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { messages } from '../messages.ts';
import { cellMarkdown } from '../text/format-record.ts';
import { formatDuration } from '../text/format-time.ts';

/** First start and last end of all spans; zeros for an empty trace group. */
export function extentOf({ start_ns, end_ns }: Pick<TraceGroup, 'start_ns' | 'end_ns'>) {
  let [from_ns, until_ns] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = 0; at < start_ns.length; at++) {
    from_ns = Math.min(from_ns, start_ns[at]!);
    until_ns = Math.max(until_ns, end_ns[at]!);
  }
  return start_ns.length === 0 ? { from_ns: 0, until_ns: 0 } : { from_ns, until_ns };
}

export const serviceOf = ({ services, service }: TraceGroup, span: number): string =>
  services[service[span]!] ?? messages.unknownService;
export const nameOf = ({ names, name }: TraceGroup, span: number): string => names[name[span]!] || 'unnamed span';
export const labelOf = (traceGroup: TraceGroup, span: number): string =>
  `${serviceOf(traceGroup, span)} ${nameOf(traceGroup, span)}`;
export const lengthOf = ({ start_ns, end_ns }: TraceGroup, span: number): number => end_ns[span]! - start_ns[span]!;
export const hasMark = ({ marks }: TraceGroup, span: number, mark: keyof typeof spanMarks): boolean =>
  (marks[span]! & spanMarks[mark]) !== 0;
export const isFailed = ({ status }: TraceGroup, span: number): boolean => status[span] === 2;
export function failedSpans(traceGroup: TraceGroup): number {
  let count = 0;
  for (let span = 0; span < traceGroup.status.length; span++) if (isFailed(traceGroup, span)) count++;
  return count;
}

export function spanIdOf({ span_id }: TraceGroup, span: number): string {
  let hex = '';
  for (let byte = 7; byte >= 0; byte--) hex += span_id[8 * span + byte]!.toString(16).padStart(2, '0');
  return hex;
}

export const refOf = (traceGroup: TraceGroup, span: number): string =>
  `span:${traceGroup.traces[traceGroup.trace[span]!]?.trace_id}/${spanIdOf(traceGroup, span)}`;

/** The span of an evidence id; -1: not in the trace group. */
export function spanOfRef(traceGroup: TraceGroup, ref: string | null): number {
  const match = /^span:([0-9a-f]{1,32})\/([0-9a-f]{16})$/i.exec(ref ?? '');
  if (!match) return -1;
  const trace_id = match[1]!.padStart(32, '0').toLowerCase();
  const trace = traceGroup.traces.findIndex((one) => one.trace_id === trace_id);
  if (trace < 0) return -1;
  const bytes = Uint8Array.from({ length: 8 }, (_, at) =>
    Number.parseInt(match[2]!.slice(14 - 2 * at, 16 - 2 * at), 16),
  );
  for (let span = 0; span < traceGroup.trace.length; span++)
    if (traceGroup.trace[span] === trace && bytes.every((byte, at) => traceGroup.span_id[8 * span + at] === byte))
      return span;
  return -1;
}

/** Anomalies of a span: a short mark and its meaning. */
export function oddMarks(traceGroup: TraceGroup, span: number): { readonly mark: string; readonly words: string }[] {
  const oddTexts: { mark: string; words: string }[] = [];
  const shift = traceGroup.shift_ns[span]!;
  if (hasMark(traceGroup, span, 'orphan')) oddTexts.push({ mark: 'no parent', words: 'parent not recorded' });
  if (hasMark(traceGroup, span, 'duplicate')) oddTexts.push({ mark: 'duplicate id', words: 'span id used twice' });
  if (hasMark(traceGroup, span, 'circle'))
    oddTexts.push({ mark: 'circle', words: 'its parents form a cycle, cut here' });
  if (hasMark(traceGroup, span, 'outlives')) oddTexts.push({ mark: '⇥', words: 'outlives its parent' });
  if (shift !== 0) oddTexts.push({ mark: `⇄ ${signed(shift)}`, words: `shifted ${signed(shift)}` });
  return oddTexts;
}

export const oddities = (traceGroup: TraceGroup, span: number): string[] =>
  oddMarks(traceGroup, span).map(({ words }) => words);

export const signed = (ns: number): string => `${ns < 0 ? '\u2212' : '+'}${formatDuration(Math.abs(ns))}`;
/** `12 %`, `0.4 %`, `<0.01 %`: never rounded to 0 % or 100 %. */
export function percent(share: number): string {
  if (share > 0 && share < 1e-4) return '<0.01 %';
  if (share > 0.99 && share < 0.999) return `${(share * 100).toFixed(1)} %`;
  if (share >= 0.999 && share < 1) return '>99.9 %';
  return `${share >= 0.0995 || share === 0 ? Math.round(share * 100) : (share * 100).toPrecision(2)} %`;
}

/** `+130.225 s`: time after the start, with decimals that suit the total length. */
export const afterText = (after_ns: number, whole_ns: number): string => {
  const decimals = whole_ns < 1e6 ? 9 : whole_ns < 1e9 ? 6 : 3;
  return `${after_ns < 0 ? '\u2212' : '+'}${(Math.abs(after_ns) / 1e9).toFixed(decimals)} s`;
};

/** Text of a row for screen readers, and line by line for the tooltip. */
export function spanLines(
  traceGroup: TraceGroup,
  span: number,
  { from_ns, until_ns }: { readonly from_ns: number; readonly until_ns: number },
): string[] {
  const after = traceGroup.start_ns[span]! - from_ns;
  const time = (ns: number): string => afterText(ns, until_ns - from_ns);
  const shift = traceGroup.shift_ns[span]!;
  return [
    `${labelOf(traceGroup, span)}${isFailed(traceGroup, span) ? ', failed' : ''}`,
    `${formatDuration(lengthOf(traceGroup, span))}, self ${formatDuration(traceGroup.self_ns[span]!)}; starts at ${time(after)}`,
    `${spanKinds[traceGroup.kind[span]!] ?? 'unspecified'}${hasMark(traceGroup, span, 'critical') ? '; on the critical path' : ''}`,
    ...oddities(traceGroup, span),
    ...(shift === 0 ? [] : [`recorded at ${time(after - shift)}: its clock disagrees with its caller's clock`]),
  ];
}

const MOST_LINES = 5_000;

/** Offsets are whole nanoseconds, exact as doubles for a hundred days. */
const begunText = ({ origin_ns }: TraceGroup, from_ns: number): string =>
  origin_ns === null ? '' : `, started ${formatUtc(nanos(origin_ns + BigInt(Math.round(from_ns))))}`;

/** The trace group as an indented list with anomalies, waits between traces, and evidence ids. */
export function traceGroupMarkdown(traceGroup: TraceGroup): string {
  const { from_ns, until_ns } = extentOf(traceGroup);
  const lines: string[] = [];
  const waits = waitsByTrace(traceGroup);
  for (let span = 0; span < traceGroup.trace.length && lines.length < MOST_LINES; span++) {
    const trace = traceGroup.trace[span]!;
    if (span === 0 || traceGroup.trace[span - 1] !== trace) {
      for (const wait of waits.get(trace) ?? []) lines.push('', `*${waitText(traceGroup, wait)}*`);
      if (traceGroup.traces.length > 1) lines.push('', `Trace \`${traceGroup.traces[trace]?.trace_id}\``, '');
    }
    const details = [
      ...(isFailed(traceGroup, span) ? ['**failed**'] : []),
      ...(hasMark(traceGroup, span, 'critical') ? ['critical path'] : []),
      ...oddities(traceGroup, span),
    ];
    const words = details.length > 0 ? `, ${details.join(', ')}` : '';
    lines.push(
      `${'  '.repeat(traceGroup.depth[span]!)}- ${cellMarkdown(labelOf(traceGroup, span))}: ${formatDuration(lengthOf(traceGroup, span))} (self ${formatDuration(traceGroup.self_ns[span]!)})${words} \`${refOf(traceGroup, span)}\``,
    );
  }
  const left = traceGroup.trace.length - countSpans(lines);
  return [
    `**Trace \`${traceGroup.traces[0]?.trace_id ?? ''}\`**: ${traceGroup.trace.length} spans of ${traceGroup.services.length} services, ${formatDuration(until_ns - from_ns)}${begunText(traceGroup, from_ns)}`,
    '',
    ...lines,
    ...(left > 0 ? ['', `${left} more spans not listed.`] : []),
  ].join('\n');
}

const countSpans = (lines: readonly string[]): number => lines.filter((line) => /^ *- /.test(line)).length;

/** Links with a wait, by the trace of the later span. */
export function waitsByTrace(traceGroup: TraceGroup): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  for (let link = 0; link < traceGroup.link_from.length; link++) {
    const trace = traceGroup.trace[traceGroup.link_to[link]!]!;
    if (traceGroup.trace[traceGroup.link_from[link]!] === trace || waitOf(traceGroup, link) <= 0) continue;
    found.set(trace, [...(found.get(trace) ?? []), link]);
  }
  return found;
}

export const waitOf = ({ link_wait_from_ns, link_wait_until_ns }: TraceGroup, link: number): number =>
  link_wait_until_ns[link]! - link_wait_from_ns[link]!;

export const waitText = (traceGroup: TraceGroup, link: number): string =>
  `wait ${formatDuration(waitOf(traceGroup, link))}: from the end of ${labelOf(traceGroup, traceGroup.link_from[link]!)} to ${labelOf(traceGroup, traceGroup.link_to[link]!)}`;

/** Every span as an object. Times are on the clock of the case, as text because a number loses digits. */
export function traceGroupJson(traceGroup: TraceGroup): string {
  const origin = traceGroup.origin_ns ?? 0n;
  const time = (ns: number): string => String(origin + BigInt(Math.round(ns)));
  const spans = Array.from(traceGroup.parent, (parent, span) => ({
    ref: refOf(traceGroup, span),
    parent: parent < 0 ? null : refOf(traceGroup, parent),
    service: serviceOf(traceGroup, span),
    name: nameOf(traceGroup, span),
    kind: spanKinds[traceGroup.kind[span]!],
    status: ['unset', 'ok', 'error'][traceGroup.status[span]!],
    start_ns: time(traceGroup.start_ns[span]!),
    duration_ns: lengthOf(traceGroup, span),
    self_ns: traceGroup.self_ns[span],
    shifted_ns: traceGroup.shift_ns[span],
    critical: hasMark(traceGroup, span, 'critical'),
    notes: oddities(traceGroup, span),
  }));
  const waits = Array.from(traceGroup.link_from, (from, link) => ({
    from: refOf(traceGroup, from),
    to: refOf(traceGroup, traceGroup.link_to[link]!),
    wait_ns: waitOf(traceGroup, link),
  }));
  const critical_path = Array.from(traceGroup.path_span, (span, at) => ({
    ref: refOf(traceGroup, span),
    wait: traceGroup.path_wait[at] === 1,
    start_ns: time(traceGroup.path_from_ns[at]!),
    duration_ns: traceGroup.path_until_ns[at]! - traceGroup.path_from_ns[at]!,
  }));
  return JSON.stringify(
    {
      traces: traceGroup.traces.map(({ trace_id }) => trace_id),
      spans,
      links: waits,
      critical_path,
      cut: traceGroup.cut,
    },
    null,
    2,
  );
}
