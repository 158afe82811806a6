import { fail } from '../../../model/problem.ts';
import { type Command, changedText, thresholdsOption, toJson, UsageError, withCore } from './command.ts';
import { messages } from './messages/thresholds.ts';

export const thresholdsCommand: Command = {
  name: 'thresholds',
  summary: messages.summary,
  usage: messages.usage,
  options: {
    init: { type: 'boolean' },
    check: { type: 'boolean' },
    'edit-path': { type: 'boolean' },
    json: { type: 'boolean' },
    ...thresholdsOption,
  },
  run: (invocation) => {
    const { values, terminal } = invocation;
    const path = terminal.thresholdsPath;
    if ([values.init, values.check, values['edit-path']].filter(Boolean).length > 1)
      throw new UsageError(messages.severalOptions);
    return withCore(invocation, undefined, async ({ api }) => {
      if (values['edit-path']) return terminal.out(`${path}\n`);
      const status = await api['thresholds.status']({});
      const { has_file, problem, changed, text } = status;
      if (values.init) {
        if (has_file) fail('thresholds.exists', messages.exists.message(path), { hint: messages.exists.hint });
        await terminal.writeFile(path, text);
        return terminal.out(`${path}\n`);
      }
      if (values.json) terminal.out(toJson(status));
      if (problem) fail(problem.code, problem.message, problem.hint ? { hint: problem.hint } : {});
      if (values.json) return;
      if (!values.check) return terminal.data(text);
      terminal.out(`${has_file ? messages.valid : messages.noFile}\n`);
      if (changed.length > 0) terminal.out(`${changedText(changed)}\n`);
    });
  },
};
