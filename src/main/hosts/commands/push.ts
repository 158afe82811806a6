import { readPlan } from '../plan-tests.ts';
import { type Command, positional, toJson, withCore } from './command.ts';
import { messages } from './messages/push.ts';

export const pushCommand: Command = {
  name: 'push',
  summary: messages.summary,
  usage: messages.usage,
  options: { json: { type: 'boolean' } },
  run: async (invocation) => {
    const path = positional(invocation, 0, 'CASE');
    const plan = await readPlan(positional(invocation, 1, 'ARCHIVE.yaml'));
    const { terminal, values } = invocation;
    await withCore(invocation, undefined, async (core) => {
      await core.openCase(path);
      const pushed = await core.api['fleet.push']({ plan }, { signal: terminal.signal });
      const { incidents, findings, removed, dashboard } = pushed;
      const lines = [messages.pushed(incidents, findings, removed), ...(dashboard === null ? [] : [dashboard])];
      terminal.out(values['json'] ? toJson(pushed) : `${lines.join('\n')}\n`);
    });
  },
};
