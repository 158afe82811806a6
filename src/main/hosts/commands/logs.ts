import type { LogTemplate, LogTemplates } from '../../../model/contract/index.ts';
import { formatUtc, nanos, parseTime } from '../../../model/time.ts';
import { alignedTable, type Column } from '../aligned-table.ts';
import { caseWindow, windowOptions } from '../case-window.ts';
import { linesAround, linesWhere } from '../log-lines.ts';
import { type Command, number, positional, shown, text, toJson, withCore } from './command.ts';
import { messages } from './messages/views.ts';

const texts = messages.logs;
const LIMIT = 40;

export const logsCommand: Command = {
  name: 'logs',
  summary: texts.summary,
  usage: texts.usage,
  options: {
    ...windowOptions,
    since: { type: 'string' },
    limit: { type: 'string' },
    around: { type: 'string' },
    context: { type: 'string' },
    fields: { type: 'boolean' },
    where: { type: 'string', multiple: true },
  },
  run: (invocation) =>
    withCore(invocation, undefined, async (core) => {
      const info = await core.openCase(positional(invocation, 0, 'CASE'));
      if (text(invocation, 'around') !== null) return linesAround(invocation, core);
      if (invocation.values['fields'] || invocation.values['where']) return linesWhere(invocation, core, info);
      const since = text(invocation, 'since');
      const [strongest] = since === null ? await core.api['incidents.list']({}) : [];
      const since_ns = since === null ? (strongest?.onset_ns ?? null) : parseTime(since);
      const found = await core.api['logs.templates']({ ...caseWindow(invocation, info), since_ns, buckets: 1 });
      if (invocation.values['json'])
        return invocation.terminal.out(
          toJson({ ...found, templates: found.templates.map(({ counts: _, ...template }) => template) }),
        );
      invocation.terminal.out(logsText(found, number(invocation, 'limit') ?? LIMIT));
    }),
};

const columns: readonly Column<LogTemplate>[] = [
  [
    texts.columns.novelty,
    ({ novelty, times_more }) => (novelty === 'surging' && times_more ? `surging x ${times_more.toFixed(1)}` : novelty),
    'left',
  ],
  [texts.columns.lines, ({ count }) => String(count), 'right'],
  [texts.columns.first, ({ first_ns }) => formatUtc(nanos(first_ns)), 'left'],
  [
    texts.columns.sender,
    ({ senders: [first = '', ...others] }) =>
      shown(`${first.slice(first.indexOf(':') + 1)}${others.length > 0 ? texts.others(others.length) : ''}`),
    'left',
  ],
  [texts.columns.template, ({ text: template }) => shown(template), 'left'],
];

function logsText({ templates, before_s }: LogTemplates, limit: number): string {
  if (templates.length === 0) return `${texts.none}\n`;
  const more = templates.length - limit;
  const against = before_s > 0 ? texts.before(before_s.toFixed(0)) : texts.noBefore;
  return `${[against, ...alignedTable(columns, templates.slice(0, limit)), ...(more > 0 ? [texts.more(more)] : [])].join('\n')}\n`;
}
