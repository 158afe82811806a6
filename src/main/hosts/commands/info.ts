import type { CaseInfo } from '../../../model/contract/index.ts';
import { type ClockEstimateView, clockEstimateText } from '../../../model/incident/clock-estimate.ts';
import { countRows } from '../../../model/rows/row-nouns.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { namedTexts } from '../named-texts.ts';
import { type Command, positional, shown, toJson, withCore } from './command.ts';
import { messages as common } from './messages/common.ts';
import { messages } from './messages/info.ts';

export const infoCommand: Command = {
  name: 'info',
  summary: messages.summary,
  usage: messages.usage,
  options: { json: { type: 'boolean' }, rejects: { type: 'boolean' } },
  run: (invocation) =>
    withCore(invocation, undefined, async (core) => {
      const info = await core.openCase(positional(invocation, 0, 'CASE'));
      const listed = invocation.values.rejects ? await core.api['rejects.list']({ limit: 1000 }) : null;
      const rejects = listed?.rows ?? [];
      const clocks = await core.api['clocks.list']({});
      if (invocation.values.json)
        return invocation.terminal.out(
          toJson({ ...info, clocks, ...(listed ? { reject_reasons: listed.reasons, reject_rows: rejects } : {}) }),
        );
      invocation.terminal.out(`${overview(info, clocks)}\n`);
      for (const { source, reason, rows } of listed?.reasons ?? [])
        invocation.terminal.out(`${messages.rejectReason(shown(source), rows, shown(reason))}\n`);
      for (const { source, file, at, reason } of rejects) {
        const member = file === source ? null : shown(file);
        invocation.terminal.out(`${messages.reject(shown(source), member, at, shown(reason))}\n`);
      }
    }),
};

const time = (value: bigint | null): string => (value === null ? '-' : formatUtc(nanos(value)));

/** Width of the labels on the left. */
const LABEL = 10;

function overview(info: CaseInfo, clocks: readonly ClockEstimateView[]): string {
  const { labels } = messages;
  const line = (label: string, value: string | number): string => `${label.padEnd(LABEL)}${value}`;
  const missing = info.layers_missing.length > 0 ? messages.layersMissing(info.layers_missing.join(', ')) : '';
  return [
    line(labels.case, messages.case(shown(info.name), info.schema_version)),
    line(labels.recorded, messages.range(time(info.first_ns), time(info.last_ns))),
    line(labels.rows, countRows(info.rows) || messages.none),
    line(labels.rejects, info.rejects),
    line(labels.layers, `${info.layers_present.join(', ') || messages.none}${missing}`),
    line(labels.sources, info.sources.length),
    ...info.sources.map((source) => sourceText(source, clocks)),
  ].join('\n');
}

function sourceText(source: CaseInfo['sources'][number], clocks: readonly ClockEstimateView[]): string {
  const clock = source.clock_offset_ns === 0n ? '' : messages.clockSet(Number(source.clock_offset_ns) / 1e9);
  const range = messages.range(time(source.first_ns), time(source.last_ns));
  const counts = `${countRows(source.rows) || common.noRows}, ${common.rejects(source.rejects)}`;
  return [
    `  ${shown(source.name)}  (${source.format})  ${range}  ${counts}${clock}`,
    ...namedTexts(source.entities).map((named) => `      ${named}`),
    ...clocks
      .filter(({ file_id }) => file_id === source.source_id && (source.rows.event ?? 0) > 0)
      .map((estimate) => `      ${messages.clock(shown(clockText(estimate)))}`),
    ...source.remarks.map((remark) => `      ${shown(remark)}`),
  ].join('\n');
}

/** Of several reporters in a file each clock is named. */
const clockText = (estimate: ClockEstimateView): string =>
  `${estimate.source_id === estimate.file_id ? '' : `${estimate.name}: `}${clockEstimateText(estimate)}`;
