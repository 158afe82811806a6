import { type Command, oneOf, positional, text, withCore } from './command.ts';

export const reportCommand: Command = {
  name: 'report',
  summary: 'write the post-mortem of a case',
  usage: 'faultline report CASE [--out FILE] [--format markdown|html|json]',
  options: { out: { type: 'string' }, format: { type: 'string' } },
  run: (invocation) => {
    const format = oneOf(invocation, 'format', ['markdown', 'html', 'json'], 'markdown');
    return withCore(invocation, undefined, async (core) => {
      await core.openCase(positional(invocation, 0, 'CASE'));
      const report = await core.api['report.render']({ format });
      const out = text(invocation, 'out');
      if (out === null) return invocation.terminal.out(report.text);
      await invocation.terminal.writeFile(out, report.text);
      invocation.terminal.err(`wrote ${out}\n`);
    });
  },
};
