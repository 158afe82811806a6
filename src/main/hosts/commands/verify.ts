import { fail } from '../../../model/problem.ts';
import { type Command, positional, shown, text } from './command.ts';

export const verifyCommand: Command = {
  name: 'verify',
  summary: 'check that a bundle is unchanged',
  usage:
    'faultline verify BUNDLE.flb [--key PUBLIC.pem]\n  --key: require a signature with this key (Ed25519); exit code 0: unchanged, 1: changed, 2: usage',
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
        `${path} was changed: ${differences.length} ${differences.length === 1 ? 'difference' : 'differences'}`,
      );
    const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
    out(
      `unchanged: case ${shown(manifest.case)}, ${rows} rows in ${manifest.tables.length} tables, root ${manifest.root}\n`,
    );
    if (signed_by === null) out('not signed: trust this result only if the root hash comes from a trusted source\n');
    else if (key === null) out(`signed with the key ${signed_by}; check it with --key PUBLIC.pem\n`);
    else out(`signed with the requested key ${signed_by}\n`);
  },
};
