import { fail } from '../../../model/problem.ts';
import { type Command, positional, shown, text } from './command.ts';
import { messages } from './messages/verify.ts';

export const verifyCommand: Command = {
  name: 'verify',
  summary: messages.summary,
  usage: messages.usage,
  options: { key: { type: 'string' } },
  run: async (invocation) => {
    const path = positional(invocation, 0, 'BUNDLE');
    const key = text(invocation, 'key');
    const { manifest, differences, signed_by } = await invocation.terminal.verifyBundle(path, key);
    const { out } = invocation.terminal;
    for (const { member, what } of differences) out(`${shown(member)} ${shown(what)}\n`);
    if (differences.length > 0) fail('bundle.changed', messages.changed(path, differences.length));
    const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
    out(`${messages.unchanged(shown(manifest.case), rows, manifest.tables.length, manifest.root)}\n`);
    if (signed_by === null) out(`${messages.notSigned}\n`);
    else if (key === null) out(`${messages.signed(signed_by)}\n`);
    else out(`${messages.signedAsRequested(signed_by)}\n`);
  },
};
