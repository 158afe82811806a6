import { visibleLine as shown } from '../../base/visible-text.ts';
import type { FoundTrace, Output, TraceMetric } from '../../model/contract/index.ts';
import { ProblemError } from '../../model/problem.ts';
import { formatUtc, nanos } from '../../model/time.ts';
import { parseSearch } from '../../model/traceql/parse-search.ts';
import { offsetOf } from '../../model/traceql/problem.ts';
import { alignedTable, type Column } from './aligned-table.ts';
import { messages } from './commands/messages/traces.ts';

/** Repeats a refused search in the hint, with a mark below the character that is wrong. */
export async function pointed<T>(query: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const offset = error instanceof ProblemError ? offsetOf(error.problem) : null;
    if (!(error instanceof ProblemError) || offset === null) throw error;
    const { hint, ...problem } = error.problem;
    const lines = [query.replaceAll(/\s/g, ' '), `${' '.repeat(offset)}^`, ...(hint === undefined ? [] : [hint])];
    throw new ProblemError({ ...problem, hint: lines.join('\n') });
  }
}

/** Buckets of a metric that is printed, unless others are asked for. */
export const METRIC_BUCKETS = 12;

/** A search that cannot be read is refused by the search itself, with its place. */
export function isMetric(query: string): boolean {
  try {
    return parseSearch(query).metric !== null;
  } catch {
    return false;
  }
}

const columns: readonly Column<FoundTrace>[] = [
  [messages.columns.trace, ({ trace_id }) => trace_id, 'left'],
  [messages.columns.start, ({ start_ns }) => formatUtc(nanos(start_ns)), 'left'],
  [messages.columns.duration, ({ duration_ms }) => duration_ms.toFixed(3), 'right'],
  [messages.columns.spans, ({ spans }) => String(spans), 'right'],
  [messages.columns.errors, ({ errors }) => String(errors), 'right'],
  [messages.columns.matched, ({ matched }) => String(matched), 'right'],
  [messages.columns.longest, ({ longest_ms }) => longest_ms.toFixed(3), 'right'],
  [messages.columns.root, traceRootText, 'left'],
];

const selectedColumn = (field: string, at: number): Column<FoundTrace> => [
  field,
  ({ selected }) => shown(selected?.[at] ?? ''),
  'left',
];

type Comparison = NonNullable<TraceMetric['comparison']>;
type Compared = Comparison['values'][number];

/** What differs, greatest difference first. */
function comparedTable({ selection, baseline, share, values, cut }: Comparison): string {
  const texts = messages.compared;
  const percent = (count: number, all: number): string => (all === 0 ? '' : `${((100 * count) / all).toFixed(1)} %`);
  const table: readonly Column<Compared>[] = [
    [texts.attribute, ({ attribute }) => shown(attribute), 'left'],
    [texts.value, ({ value }) => shown(value), 'left'],
    [texts.selection, (row) => percent(row.selection, selection), 'right'],
    [texts.baseline, (row) => percent(row.baseline, baseline), 'right'],
    [
      texts.chance,
      ({ chance }) => (chance === null ? texts.unknown : chance <= 0.05 ? texts.real : texts.perhaps),
      'left',
    ],
  ];
  const listed = values.slice(0, MOST_COMPARED);
  const lines = [
    texts.about(selection, baseline, share),
    ...alignedTable(table, listed),
    ...(values.length > listed.length ? [texts.more(values.length - listed.length)] : []),
    ...cut.map(({ attribute, values: count }) => texts.cut(shown(attribute), count)),
  ];
  return `${lines.join('\n')}\n`;
}

const MOST_COMPARED = 40;

/** Series over time, a line for each bucket; of `compare()` what differs. */
export function metricTable({ start_ns, step_ns, series, omitted, unit, comparison }: TraceMetric): string {
  if (comparison) return comparedTable(comparison);
  const rows = (series[0]?.values ?? []).map((_, at) => at);
  const table: readonly Column<number>[] = [
    [messages.time, (at) => formatUtc(nanos(start_ns + BigInt(at) * step_ns)), 'left'],
    ...series.map(({ labels, values }): Column<number> => {
      const name = labels.map(({ value }) => value).join(' ') || messages.all;
      return [
        shown(unit === '' ? name : `${name} ${unit}`),
        (at) => (values[at] === null || values[at] === undefined ? '' : String(Number(values[at].toPrecision(4)))),
        'right',
      ];
    }),
  ];
  return `${[...alignedTable(table, rows), ...(omitted > 0 ? [messages.omitted(omitted)] : [])].join('\n')}\n`;
}

function traceRootText({ root_service, root_name, root_recorded }: FoundTrace): string {
  const root = messages.root(root_service ?? messages.unknownService, root_name ?? messages.unnamed);
  const line = shown(root.replaceAll(/\s+/g, ' '));
  return root_recorded ? line : messages.noRoot(line);
}

/** What a search found, for people. */
export const foundTracesTable = ({ traces, trace_count, span_count, fields = [] }: Output<'traces.search'>): string =>
  `${[...alignedTable([...columns, ...fields.map(selectedColumn)], traces), messages.counted(span_count, trace_count)].join('\n')}\n`;
