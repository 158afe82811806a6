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
  const members = selectionMembers(input.entities, await reader.entities(), await reader.resources());
  const resources = members && new Set(members.resources);
  const needsSearch = input.template === null || input.text !== '' || input.trace_id !== null;
  const found = needsSearch ? await searchRows(session, input, resources, signal) : null;
  const rows =
    input.template === null ? (found ?? []) : templateRows(await opened.logIndex(signal), input, { resources, found });
  const list = listText(rows.slice(0, input.limit));
  const records = rowsOf<LogRecord>(await session.query(queries.logRecords, [list], signal));
  return { records, truncated: rows.length > input.limit };
}

/** A trace is asked for as a whole. */
const EVER = 2n ** 62n;

async function searchRows(
  session: Session,
  { start_ns, end_ns, severity_from, text, trace_id, template, limit }: Parsed<'logs.records'>,
  resources: ReadonlySet<number> | null,
  signal?: AbortSignal,
): Promise<number[]> {
  const time = trace_id === null ? [start_ns, end_ns] : [-EVER, EVER];
  const meant = resources ? listText(resources) : 'all';
  const most = BigInt(template === null ? limit + 1 : MOST_FOUND);
  const values = [...time, meant, severity_from, text, trace_id ?? '', most];
  return [...numbersOf(await session.query(queries.logSearch, values, signal), 'row_number')];
}

/** Rows of a template, in order of time. */
function templateRows(
  index: LogIndex,
  { template, start_ns, end_ns, severity_from }: Parsed<'logs.records'>,
  { resources, found }: { readonly resources: ReadonlySet<number> | null; readonly found: readonly number[] | null },
): number[] {
  const wanted = index.texts.flatMap((text, id) => (text === template ? [id] : []));
  const ids = new Set(wanted);
  const among = found && new Set(found);
  const [from, to] = [secondsOf(index, start_ns), secondsOf(index, end_ns)];
  const places: number[] = [];
  for (let i = 0; i < index.count; i++) {
    const at = index.offset_s[i]!;
    if (!ids.has(index.template[i]!) || at < from || at >= to) continue;
    if (index.severity[i]! < severity_from) continue;
    if (resources && !resources.has(index.resource[i]!)) continue;
    if (among === null || among.has(index.row[i]!)) places.push(i);
  }
  places.sort((a, b) => index.offset_s[a]! - index.offset_s[b]!);
  return places.map((i) => index.row[i]!);
}
