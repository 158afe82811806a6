import { type Command, withCore } from './command.ts';
import { messages } from './messages/diagnostics.ts';

export const diagnosticsCommand: Command = {
  name: 'diagnostics',
  summary: messages.summary,
  usage: messages.usage,
  options: {},
  run: (invocation) =>
    withCore(invocation, undefined, async (core) => {
      const [path] = invocation.positionals;
      if (path !== undefined) await core.openCase(path);
      invocation.terminal.out((await core.api['app.diagnostics']({})).text);
    }),
};
