import { join } from 'node:path';
import { type Command, text, withCore } from './command.ts';
import { importInto } from './import.ts';

export const demoCommand: Command = {
  name: 'demo',
  summary: 'write a realistic incident: its files, and a case with them imported',
  usage: 'faultline demo [--dir DIR]',
  options: { dir: { type: 'string' } },
  run: async (invocation) => {
    const { terminal } = invocation;
    const directory = text(invocation, 'dir') ?? 'faultline-demo';
    const files = await terminal.writeDemo(join(directory, 'files'));
    const path = join(directory, 'demo.faultline');
    await withCore(invocation, undefined, async (core) => {
      await core.placeCase(path);
      terminal.outlastOutput();
      const events = await importInto(core, files, { format: null, clocks: {} }, terminal);
      const imported = events.filter(({ kind }) => kind === 'source').length;
      terminal.out(
        `wrote ${imported} files to ${join(directory, 'files')}\nwrote the case ${path}\nnext: faultline correlate ${path}\n`,
      );
    });
  },
};
