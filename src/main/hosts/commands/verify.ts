import { fail } from '../../../model/problem.ts';
import { type Command, positional, shown, text } from './command.ts';

export const verifyCommand: Command = {
  name: 'verify',
  summary: 'prove that a bundle is as it was written',
  usage:
    'faultline verify BUNDLE.flb [--key PUBLIC.pem]\n  --key: it must be signed with this key (Ed25519); exit code 0: untouched, 1: not, 2: usage',
  options: { key: { type: 'string' } },
  run: async (invocation) => {
    const path = positional(invocation, 0, 'BUNDLE');
    const key = text(invocation, 'key');
    const { manifest, differences, signed_by } = await invocation.terminal.verifyBundle(path, key);
    const { out } = invocation.terminal;
    for (const { member, what } of differences) out(`${shown(member)} ${shown(what)}\n`);
    if (differences.length > 0)
      fail(
        'bundle.changed',
        `${path} is not as it was written: ${differences.length} ${differences.length === 1 ? 'difference' : 'differences'}`,
      );
    const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
    out(
      `untouched: case ${shown(manifest.case)}, ${rows} rows in ${manifest.tables.length} tables, root ${manifest.root}\n`,
    );
    if (signed_by === null)
      out('not signed: that it is untouched is only worth as much as where this root hash came from\n');
    else if (key === null)
      out(`signed with the key ${signed_by}; --key PUBLIC.pem says whether that is the right one\n`);
    else out(`signed with the key ${signed_by}, as asked\n`);
  },
};
