import { fail } from '../../../model/problem.ts';
import { type Command, positional, UsageError, withCore } from './command.ts';

export const secretCommand: Command = {
  name: 'secret',
  summary: "store a secret for capture plans in the system's keychain, or delete it",
  usage:
    'faultline secret set NAME      type the secret (hidden), or pipe it to standard input\n' +
    'faultline secret forget NAME\n' +
    '  a plan refers to it as keychain:NAME',
  options: {},
  run: async (invocation) => {
    const act = positional(invocation, 0, 'set or forget');
    const name = positional(invocation, 1, 'NAME');
    const { terminal } = invocation;
    if (invocation.positionals.length > 2)
      throw new UsageError('do not pass the secret as an argument: other users can see arguments');
    if (act === 'set') {
      const secret = await terminal.secret(`${name}: `);
      if (secret === '')
        fail('secret.empty', 'the secret is empty; nothing was stored', { hint: 'type it, or pipe it in' });
      await withCore(invocation, undefined, (core) => core.api['capture.keep_secret']({ name, secret }));
      terminal.out(`stored; a plan refers to it as keychain:${name}\n`);
    } else if (act === 'forget') {
      const { forgotten } = await withCore(invocation, undefined, (core) =>
        core.api['capture.forget_secret']({ name }),
      );
      if (!forgotten) fail('secret.unknown', `the keychain has no entry ${name} of Faultline`);
      terminal.out('forgotten\n');
    } else throw new UsageError(`unknown action "${act}": write set or forget`);
  },
};
