import { formatUtc, nanos, parseTime } from '../../../model/time.ts';
import { type Command, positional, shown, text, toJson, withCore } from './command.ts';
import { messages } from './messages/notices.ts';

export const noticesCommand: Command = {
  name: 'notices',
  summary: messages.summary,
  usage: messages.usage,
  options: { json: { type: 'boolean' }, at: { type: 'string' } },
  run: (invocation) =>
    withCore(invocation, undefined, async (core) => {
      await core.openCase(positional(invocation, 0, 'CASE'));
      const at = text(invocation, 'at');
      const found = await core.api['notices.list']({ at_ns: at === null ? null : parseTime(at) });
      if (invocation.values.json) return invocation.terminal.out(toJson(found));
      const when = found.at_ns === null ? messages.noRecords : messages.at(formatUtc(nanos(found.at_ns)));
      const lines = found.notices.map((notice) => `  ${shown(notice.text)}\n`);
      invocation.terminal.out(`${when}${lines.length === 0 ? `: ${messages.none}` : ''}\n${lines.join('')}`);
    }),
};
