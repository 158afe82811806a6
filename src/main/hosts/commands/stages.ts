import type { Stages, StageView } from '../../../model/contract/index.ts';
import { stageText } from '../../../model/telemetry/serving-stages.ts';
import { formatUtc, nanos, parseTime } from '../../../model/time.ts';
import { type Command, positional, shown, text, toJson, withCore } from './command.ts';
import { messages } from './messages/stages.ts';

export const stagesCommand: Command = {
  name: 'stages',
  summary: messages.summary,
  usage: messages.usage,
  options: { from: { type: 'string' }, to: { type: 'string' }, json: { type: 'boolean' } },
  run: (invocation) =>
    withCore(invocation, undefined, async (core) => {
      const info = await core.openCase(positional(invocation, 0, 'CASE'));
      const [from, to] = [text(invocation, 'from'), text(invocation, 'to')];
      const [strongest] = from === null && to === null ? await core.api['incidents.list']({}) : [];
      const found = await core.api['stages.list']({
        from_ns: from === null ? (strongest?.onset_earliest_ns ?? info.first_ns ?? 0n) : parseTime(from),
        to_ns: to === null ? (strongest?.end_ns ?? info.last_ns ?? 0n) : parseTime(to),
      });
      invocation.terminal.out(invocation.values['json'] ? toJson(found) : stagesText(found));
    }),
};

function stagesText({ stages, baseline, incident }: Stages): string {
  if (stages.length === 0 || !incident) return `${messages.none}\n`;
  const cells = [[...messages.columns], ...stages.map(rowOf)];
  const widths = messages.columns.map((_, at) => Math.max(...cells.map((row) => row[at]!.length)));
  const lines = cells.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join('  ')
      .trimEnd(),
  );
  const time = (ns: bigint): string => formatUtc(nanos(ns));
  const before = !baseline
    ? messages.baseline.none
    : baseline.kind === 'hour'
      ? messages.baseline.hour(time(baseline.from_ns), time(baseline.to_ns), baseline.days)
      : messages.baseline.before(time(baseline.from_ns), time(baseline.to_ns));
  return `${[messages.during(time(incident.from_ns), time(incident.to_ns)), before, '', ...lines].join('\n')}\n`;
}

function rowOf({ service, model, stage, tool, before, during, source, computed }: StageView): string[] {
  const seconds = (one: StageView['during']): string => (one ? messages.seconds(one.seconds) : messages.unknown);
  const times = before && during && before.seconds > 0 ? messages.times(during.seconds / before.seconds) : '';
  return [
    shown(service),
    shown(model ?? ''),
    shown(stageText({ stage, tool })),
    ...[seconds(before), seconds(during), times, during ? String(Math.round(during.requests)) : ''],
    source === 'spans' ? messages.spans : computed ? messages.computed : messages.metrics,
  ];
}
