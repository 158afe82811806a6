import { fail } from '../../../model/problem.ts';
import { type Command, toJson, UsageError, withCore } from './command.ts';
import { messages } from './messages/mechanisms.ts';

export const mechanismsCommand: Command = {
  name: 'mechanisms',
  summary: messages.summary,
  usage: messages.usage,
  options: {
    init: { type: 'boolean' },
    check: { type: 'boolean' },
    'edit-path': { type: 'boolean' },
    json: { type: 'boolean' },
  },
  run: (invocation) => {
    const { values, terminal } = invocation;
    const path = terminal.mechanismsPath;
    if ([values.init, values.check, values['edit-path']].filter(Boolean).length > 1)
      throw new UsageError(messages.severalOptions);
    return withCore(invocation, undefined, async ({ api }) => {
      if (values['edit-path']) return terminal.out(`${path}\n`);
      const status = await api['mechanisms.status']({});
      if (values.init) {
        if (status.has_file) fail('mechanisms.exists', messages.exists.message(path), { hint: messages.exists.hint });
        await terminal.writeFile(path, (await api['mechanisms.bundled']({})).text);
        return terminal.out(`${path}\n`);
      }
      if (values.json) terminal.out(toJson({ path, ...status }));
      else terminal.out(`${inUse(status, path)}\n`);
      if (!values.json)
        for (const { line, field, message } of status.issues)
          terminal.err(`${line === null ? path : `${path}:${line}`}: ${field === '' ? '' : `${field}: `}${message}\n`);
      if (values.check && status.problem)
        fail(status.problem.code, status.problem.message, status.problem.hint ? { hint: status.problem.hint } : {});
    });
  },
};

function inUse(
  {
    in_use,
    has_file,
    problem,
  }: { readonly in_use: string; readonly has_file: boolean; readonly problem: object | null },
  path: string,
): string {
  if (in_use === 'own') return messages.inUse.own(path);
  if (problem) return messages.inUse.invalid(path);
  return has_file ? messages.inUse.bundled : messages.inUse.noFile(path);
}
