import { formatUtc, nanos, parseTime } from '../../../model/time.ts';
import { type Command, positional, shown, text, toJson, withCore } from './command.ts';

export const noticesCommand: Command = {
  name: 'notices',
  summary: 'metrics that trend toward a limit (power, temperature, batteries), with the time remaining',
  usage: 'faultline notices CASE [--at TIME] [--json]',
  options: { json: { type: 'boolean' }, at: { type: 'string' } },
  run: (invocation) =>
    withCore(invocation, undefined, async (core) => {
      await core.openCase(positional(invocation, 0, 'CASE'));
      const at = text(invocation, 'at');
      const found = await core.api['notices.list']({ at_ns: at === null ? null : parseTime(at) });
      if (invocation.values.json) return invocation.terminal.out(toJson(found));
      const when = found.at_ns === null ? 'no records' : `at ${formatUtc(nanos(found.at_ns))}`;
      const lines = found.notices.map((notice) => `  ${shown(notice.text)}\n`);
      invocation.terminal.out(
        `${when}${lines.length === 0 ? ': no metric trends toward a limit' : ''}\n${lines.join('')}`,
      );
    }),
};
