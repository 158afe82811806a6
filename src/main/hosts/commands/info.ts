import type { CaseInfo } from '../../../model/contract/index.ts';
import { type ClockEstimateView, clockEstimateText } from '../../../model/incident/clock-estimate.ts';
import { countRows } from '../../../model/rows/row-nouns.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { type Command, positional, shown, toJson, withCore } from './command.ts';

export const infoCommand: Command = {
  name: 'info',
  summary: 'sources, clocks, row counts, rejects, time range and layers of a case',
  usage: 'faultline info CASE [--rejects] [--json]',
  options: { json: { type: 'boolean' }, rejects: { type: 'boolean' } },
  run: (invocation) =>
    withCore(invocation, undefined, async (core) => {
      const info = await core.openCase(positional(invocation, 0, 'CASE'));
      const rejects = invocation.values.rejects ? (await core.api['rejects.list']({ limit: 1000 })).rows : [];
      const clocks = await core.api['clocks.list']({});
      if (invocation.values.json)
        return invocation.terminal.out(
          toJson({ ...info, clocks, ...(invocation.values.rejects ? { reject_rows: rejects } : {}) }),
        );
      invocation.terminal.out(`${overview(info, clocks)}\n`);
      for (const row of rejects)
        invocation.terminal.out(
          `reject  ${shown(row.source)}${row.file === row.source ? '' : `, ${shown(row.file)}`}  at ${row.at}: ${shown(row.reason)}\n`,
        );
    }),
};

const time = (value: bigint | null): string => (value === null ? '-' : formatUtc(nanos(value)));

function overview(info: CaseInfo, clocks: readonly ClockEstimateView[]): string {
  const rows = countRows(info.rows) || 'none';
  const sources = info.sources.map((source) => {
    const clock = source.clock_offset_ns === 0n ? '' : `  clock ${Number(source.clock_offset_ns) / 1e9} s`;
    const named = Object.entries(source.entities).map(([kind, count]) => `${count} ${kind}`);
    return [
      `  ${shown(source.name)}  (${source.format})  ${time(source.first_ns)} to ${time(source.last_ns)}  ${countRows(source.rows) || 'no rows'}, ${source.rejects} ${source.rejects === 1 ? 'reject' : 'rejects'}${clock}`,
      ...(named.length > 0 ? [`      first to name: ${named.join(', ')}`] : []),
      ...clocks
        .filter(({ source_id }) => source_id === source.source_id && (source.rows.event ?? 0) > 0)
        .map((estimate) => `      clock: ${shown(clockEstimateText(estimate))}`),
      ...source.remarks.map((remark) => `      ${shown(remark)}`),
    ].join('\n');
  });
  return [
    `case      ${shown(info.name)} (schema ${info.schema_version})`,
    `recorded  ${time(info.first_ns)} to ${time(info.last_ns)}`,
    `rows      ${rows}`,
    `rejects   ${info.rejects}`,
    `layers    ${info.layers_present.join(', ') || 'none'}${info.layers_missing.length > 0 ? `  (not recorded: ${info.layers_missing.join(', ')})` : ''}`,
    `sources   ${info.sources.length}`,
    ...sources,
  ].join('\n');
}
