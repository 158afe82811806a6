import { fail } from '../../../model/problem.ts';
import { type Command, positional, UsageError, withCore } from './command.ts';
import { messages } from './messages/secret.ts';

export const secretCommand: Command = {
  name: 'secret',
  summary: messages.summary,
  usage: messages.usage,
  options: {},
  run: async (invocation) => {
    const act = positional(invocation, 0, messages.action);
    const name = positional(invocation, 1, 'NAME');
    const { terminal } = invocation;
    if (invocation.positionals.length > 2) throw new UsageError(messages.asArgument);
    if (act === 'set') {
      const secret = await terminal.secret(messages.prompt(name));
      if (secret === '') fail('secret.empty', messages.empty.message, { hint: messages.empty.hint });
      await withCore(invocation, undefined, (core) => core.api['capture.keep_secret']({ name, secret }));
      terminal.out(`${messages.stored(name)}\n`);
    } else if (act === 'forget') {
      const { forgotten } = await withCore(invocation, undefined, (core) =>
        core.api['capture.forget_secret']({ name }),
      );
      if (!forgotten) fail('secret.unknown', messages.unknown(name));
      terminal.out(`${messages.forgotten}\n`);
    } else throw new UsageError(messages.unknownAction(act));
  },
};
