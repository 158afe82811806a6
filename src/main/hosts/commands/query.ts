import type { Table } from '../../../model/contract/index.ts';
import { tableCsv } from '../../../model/rows/csv-table.ts';
import { type Command, oneOf, positional, shown, toJson, withCore } from './command.ts';
import { messages } from './messages/query.ts';

export const queryCommand: Command = {
  name: 'query',
  summary: messages.summary,
  usage: messages.usage,
  options: { format: { type: 'string' } },
  run: (invocation) => {
    const format = oneOf(invocation, 'format', ['table', 'json', 'csv', 'parquet'], 'table');
    return withCore(invocation, undefined, async (core) => {
      await core.openCase(positional(invocation, 0, 'CASE'));
      const sql = positional(invocation, 1, 'SQL');
      const context = { signal: invocation.terminal.signal };
      if (format === 'parquet')
        return invocation.terminal.out((await core.api['query.parquet']({ sql }, context)).bytes);
      const limit = format === 'table' ? 1000 : 1_000_000;
      const answer = await core.api['query.sql']({ sql, limit }, context);
      const answered = formats[format](answer);
      if (format === 'csv') invocation.terminal.data(answered);
      else invocation.terminal.out(answered);
      if (answer.truncated) invocation.terminal.err(`faultline: ${messages.truncated(answer.rows.length)}\n`);
    });
  },
};

const formats: Readonly<Record<'table' | 'json' | 'csv', (table: Table) => string>> = {
  json: ({ columns, rows }) =>
    toJson(rows.map((row) => Object.fromEntries(columns.map(({ name }, i) => [name, row[i] ?? null])))),
  csv: tableCsv,
  table: asTable,
};

const NUMBER = /INT|DOUBLE|FLOAT|DECIMAL/;
const WIDEST = 80;

function asTable({ columns, rows }: Table): string {
  const cells = rows.map((row) =>
    row.map((value) => (value === null ? 'NULL' : shown(String(value).replaceAll(/\s+/g, ' ')).slice(0, WIDEST))),
  );
  const widths = columns.map(({ name }, i) => Math.max(name.length, ...cells.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) =>
        NUMBER.test(columns[i]?.type ?? '') ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return `${[line(columns.map(({ name }) => name)), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)].join('\n')}\n`;
}
