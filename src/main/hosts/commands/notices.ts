import { formatUtc, nanos, parseTime } from '../../../model/time.ts';
import { type Command, positional, shown, text, toJson, withCore } from './command.ts';

export const noticesCommand: Command = {
  name: 'notices',
  summary: 'what is heading for a limit: power budgets, temperatures, batteries, with the time that is left',
  usage: 'faultline notices CASE [--at TIME] [--json]',
  options: { json: { type: 'boolean' }, at: { type: 'string' } },
  run: (invocation) =>
    withCore(invocation, undefined, async (core) => {
      await core.openCase(positional(invocation, 0, 'CASE'));
      const at = text(invocation, 'at');
      const found = await core.api['notices.list']({ at_ns: at === null ? null : parseTime(at) });
      if (invocation.values.json) return invocation.terminal.out(toJson(found));
      const when = found.at_ns === null ? 'nothing is recorded' : `at ${formatUtc(nanos(found.at_ns))}`;
      const lines = found.notices.map((notice) => `  ${shown(notice.text)}\n`);
      invocation.terminal.out(
        `${when}${lines.length === 0 ? ': nothing is heading for a limit' : ''}\n${lines.join('')}`,
      );
    }),
};
