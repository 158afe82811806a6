import { fail } from '../../../model/problem.ts';
import { type Command, positional, UsageError, withCore } from './command.ts';

export const secretCommand: Command = {
  name: 'secret',
  summary: "put a secret into the system's keychain for the plans of captures, or forget it",
  usage:
    'faultline secret set NAME      the secret is typed unseen, or read from standard input\n' +
    'faultline secret forget NAME\n' +
    '  a plan refers to it as keychain:NAME',
  options: {},
  run: async (invocation) => {
    const act = positional(invocation, 0, 'set or forget');
    const name = positional(invocation, 1, 'NAME');
    const { terminal } = invocation;
    if (invocation.positionals.length > 2)
      throw new UsageError('a secret is not given as an argument: others see those');
    if (act === 'set') {
      const secret = await terminal.secret(`${name}: `);
      if (secret === '')
        fail('secret.empty', 'nothing was given, and nothing was kept', { hint: 'type it, or pipe it in' });
      await withCore(invocation, undefined, (core) => core.api['capture.keep_secret']({ name, secret }));
      terminal.out(`kept; a plan refers to it as keychain:${name}\n`);
    } else if (act === 'forget') {
      const { forgotten } = await withCore(invocation, undefined, (core) =>
        core.api['capture.forget_secret']({ name }),
      );
      if (!forgotten) fail('secret.unknown', `the keychain has no ${name} of Faultline's`);
      terminal.out('forgotten\n');
    } else throw new UsageError(`a secret is set or forgotten, not "${act}"`);
  },
};
