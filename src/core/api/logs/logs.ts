import type { CallContext, LogRecord, LogTemplates, Parsed } from '../../../model/contract/index.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { sendersOf } from '../../analysis/differences/find-differences.ts';
import type { LogSenders } from '../../analysis/differences/log-differences.ts';
import { selectionMembers } from '../../analysis/differences/selection-members.ts';
import type { LogIndex } from '../../analysis/logs/log-index.ts';
import { type TemplateFigures, templateFigures } from '../../analysis/logs/template-figures.ts';
import { numbersOf, rowsOf } from '../../store/case-file/case-file.ts';
import { createReader } from '../../store/facts/reader.ts';
import { listText } from '../../store/list-text.ts';
import { queries } from '../../store/queries/index.ts';
import type { OpenCase } from '../cases/open-case.ts';
import type { Workspace } from '../workspace.ts';
import { type Narrowing, narrowingOf, searchValues } from './log-conditions.ts';
import { readFacets } from './log-facets.ts';

/** Records that a text may be found in before a template narrows them. */
const MOST_FOUND = 200_000;
const MOST_SENDERS = 5;

/** Logs by template and as records. */
export function logHandlers(workspace: Workspace) {
  return {
    'logs.templates': async (input: Parsed<'logs.templates'>, { signal }: CallContext) => {
      const opened = workspace.required();
      return opened.withSession((session) => readTemplates(opened, session, input, signal));
    },
    'logs.records': async (input: Parsed<'logs.records'>, { signal }: CallContext) => {
      const opened = workspace.required();
      return opened.withSession((session) => readRecords(opened, session, input, signal));
    },
    'logs.facets': async (input: Parsed<'logs.facets'>, { signal }: CallContext) =>
      workspace.required().withSession((session) => readFacets(session, input, signal)),
    'logs.around': async (input: Parsed<'logs.around'>, { signal }: CallContext) =>
      workspace.required().withSession((session) => readAround(session, input, signal)),
  };
}

const secondsOf = (index: LogIndex, ns: bigint): number => Number(ns - index.origin_ns) / 1e9;
const timeOf = (index: LogIndex, seconds: number): bigint => index.origin_ns + BigInt(Math.round(seconds * 1e9));

async function readTemplates(
  opened: OpenCase,
  session: Session,
  { start_ns, end_ns, entities: keys, since_ns, buckets }: Parsed<'logs.templates'>,
  signal?: AbortSignal,
): Promise<LogTemplates> {
  const reader = createReader(session, signal);
  const index = await opened.logIndex(signal);
  const [entities, resources] = [await reader.entities(), await reader.resources()];
  const members = selectionMembers(keys, entities, resources);
  const selected = members && new Set(members.resources);
  return templatesOf(index, { start_ns, end_ns, since_ns, buckets, selected, senders: sendersOf(entities, resources) });
}

interface TemplatesWanted extends Pick<Parsed<'logs.templates'>, 'start_ns' | 'end_ns' | 'since_ns' | 'buckets'> {
  /** Resources; null: all. */
  readonly selected: ReadonlySet<number> | null;
  readonly senders: LogSenders;
}

/** What was logged in a time, folded into templates. */
export function templatesOf(
  index: LogIndex,
  { start_ns, end_ns, since_ns, buckets, selected, senders }: TemplatesWanted,
): LogTemplates {
  const { templates, lines, left_out, since_s, before_s } = templateFigures(index, {
    from_s: secondsOf(index, start_ns),
    to_s: secondsOf(index, end_ns),
    since_s: secondsOf(index, since_ns ?? start_ns),
    resources: selected,
    buckets,
  });
  return {
    templates: templates.toSorted(byNews).map((figures) => toTemplate(index, figures, senders)),
    lines,
    left_out,
    share: index.share,
    since_ns: timeOf(index, since_s),
    before_s,
  };
}

const newsFirst = ['new', 'surging', 'unknown', 'usual'];

const byNews = (a: TemplateFigures, b: TemplateFigures): number =>
  newsFirst.indexOf(a.novelty) - newsFirst.indexOf(b.novelty) || b.count - a.count || a.template - b.template;

function toTemplate(
  index: LogIndex,
  { template, first_s, resources, ...figures }: TemplateFigures,
  senders: LogSenders,
): LogTemplates['templates'][number] {
  const named = resources.map((resource) => senders.entityOf(resource)).filter((key) => key !== null);
  return {
    ...figures,
    text: index.texts[template] ?? '',
    first_ns: timeOf(index, first_s),
    senders: [...new Set(named)].slice(0, MOST_SENDERS),
  };
}

async function readRecords(
  opened: OpenCase,
  session: Session,
  input: Parsed<'logs.records'>,
  signal?: AbortSignal,
): Promise<{ records: LogRecord[]; truncated: boolean }> {
  const reader = createReader(session, signal);
  const narrowing = narrowingOf(input, await reader.entities(), await reader.resources());
  const needsSearch =
    input.template === null || input.text !== '' || input.trace_id !== null || narrowing.attributes.length > 0;
  const found = needsSearch ? await searchRows(session, input, narrowing, signal) : null;
  const rows =
    input.template === null
      ? (found ?? [])
      : templateRows(await opened.logIndex(signal), input, { ...narrowing, found });
  const list = listText(rows.slice(0, input.limit));
  const records = rowsOf<LogRecord>(await session.query(queries.logRecords, [list], signal));
  return { records, truncated: rows.length > input.limit };
}

async function searchRows(
  session: Session,
  input: Parsed<'logs.records'>,
  narrowing: Narrowing,
  signal?: AbortSignal,
): Promise<number[]> {
  const most = BigInt(input.template === null ? input.limit + 1 : MOST_FOUND);
  const values = searchValues(input, narrowing, most);
  return [...numbersOf(await session.query(queries.logSearch, values, signal), 'row_number')];
}

/** What one sender wrote around a record: other senders have their own lines between. */
async function readAround(
  session: Session,
  { ref, before, after }: Parsed<'logs.around'>,
  signal?: AbortSignal,
): Promise<{ records: LogRecord[] }> {
  const [source, row] = ref.slice('log:'.length).split('/');
  const values = [Number(source), BigInt(row ?? 0), BigInt(before), BigInt(after)];
  const rows = [...numbersOf(await session.query(queries.logAround, values, signal), 'row_number')];
  return { records: rowsOf<LogRecord>(await session.query(queries.logRecords, [listText(rows)], signal)) };
}

/** Rows of a template, in order of time. */
function templateRows(
  index: LogIndex,
  { template, start_ns, end_ns }: Parsed<'logs.records'>,
  { resources, severity_from, severity_below, found }: Narrowing & { readonly found: readonly number[] | null },
): number[] {
  const wanted = index.texts.flatMap((text, id) => (text === template ? [id] : []));
  const ids = new Set(wanted);
  const among = found && new Set(found);
  const [from, to] = [secondsOf(index, start_ns), secondsOf(index, end_ns)];
  const places: number[] = [];
  for (let i = 0; i < index.count; i++) {
    const at = index.offset_s[i]!;
    if (!ids.has(index.template[i]!) || at < from || at >= to) continue;
    if (index.severity[i]! < severity_from || index.severity[i]! >= severity_below) continue;
    if (resources && !resources.has(index.resource[i]!)) continue;
    if (among === null || among.has(index.row[i]!)) places.push(i);
  }
  places.sort((a, b) => index.offset_s[a]! - index.offset_s[b]!);
  return places.map((i) => index.row[i]!);
}
