import type { CaseInfo, LogCondition, LogFacet, LogRecord } from '../../model/contract/index.ts';
import { fail } from '../../model/problem.ts';
import { formatUtc, nanos } from '../../model/time.ts';
import { alignedTable, type Column } from './aligned-table.ts';
import { caseWindow } from './case-window.ts';
import { type Core, type Invocation, number, shown, text, toJson, UsageError } from './commands/command.ts';
import { messages } from './commands/messages/views.ts';

const texts = messages.logs;
const CONTEXT = 10;
const LIMIT = 100;

/** `--around LOG`: what the same sender wrote before and after a line. */
export async function linesAround(invocation: Invocation, core: Core): Promise<void> {
  const ref = text(invocation, 'around') ?? '';
  if (!/^log:\d+\/\d+$/.test(ref)) throw new UsageError(texts.notALine(ref));
  const each = number(invocation, 'context') ?? CONTEXT;
  const { records } = await core.api['logs.around']({ ref, before: each, after: each });
  if (records.length === 0) return fail('evidence.unknown', texts.noLine(ref));
  if (invocation.values['json']) return invocation.terminal.out(toJson({ records }));
  const mark: Column<LogRecord> = ['', (record) => (record.ref === ref ? '>' : ''), 'left'];
  invocation.terminal.out(`${alignedTable([mark, ...lineColumns], records).join('\n')}\n`);
}

/** `--where FIELD=VALUE` and `--fields`: lines with these values, or how many lines have which. */
export async function linesWhere(invocation: Invocation, core: Core, info: CaseInfo): Promise<void> {
  const where = (invocation.values['where'] as readonly string[] | undefined)?.map(conditionOf) ?? [];
  const time = caseWindow(invocation, info);
  const { signal } = invocation.terminal;
  const limit = number(invocation, 'limit') ?? LIMIT;
  if (invocation.values['fields']) {
    const { levels: _, ...found } = await core.api['logs.facets']({ ...time, where, buckets: 1 }, { signal });
    if (invocation.values['json']) return invocation.terminal.out(toJson(found));
    const rows = found.facets.flatMap((facet) => facet.values.map((value) => ({ ...value, facet })));
    const share = found.share > 1 ? [texts.estimated(found.share)] : [];
    return invocation.terminal.out(`${[...share, ...alignedTable(fieldColumns, rows)].join('\n')}\n`);
  }
  const { records, truncated } = await core.api['logs.records']({ ...time, where, limit }, { signal });
  if (invocation.values['json']) return invocation.terminal.out(toJson({ records, truncated }));
  const lines = records.length === 0 ? [texts.none] : alignedTable(lineColumns, records);
  invocation.terminal.out(`${[...lines, ...(truncated ? [texts.first(limit)] : [])].join('\n')}\n`);
}

/** `level=error`; a value may have `=`. */
function conditionOf(stated: string): LogCondition {
  const at = stated.indexOf('=');
  if (at <= 0) throw new UsageError(texts.notACondition(stated));
  return { field: stated.slice(0, at), value: stated.slice(at + 1) };
}

const lineColumns: readonly Column<LogRecord>[] = [
  [texts.columns.time, ({ time_ns }) => formatUtc(nanos(time_ns)), 'left'],
  [texts.columns.severity, ({ severity_text, severity }) => shown(severity_text || String(severity)), 'left'],
  [texts.columns.sender, ({ entity }) => shown(entity.slice(entity.indexOf(':') + 1)), 'left'],
  [texts.columns.record, ({ ref }) => ref, 'left'],
  [texts.columns.line, ({ body }) => shown(body), 'left'],
];

interface FieldRow {
  readonly facet: LogFacet;
  readonly value: string;
  readonly lines: number;
}

const fieldColumns: readonly Column<FieldRow>[] = [
  [texts.columns.field, ({ facet }) => shown(facet.field), 'left'],
  [texts.columns.lines, ({ lines }) => String(lines), 'right'],
  [texts.columns.value, ({ value }) => shown(value), 'left'],
];
