import { join } from 'node:path';
import { type Command, text, withCore } from './command.ts';
import { importInto } from './import.ts';
import { messages } from './messages/demo.ts';

export const demoCommand: Command = {
  name: 'demo',
  summary: messages.summary,
  usage: messages.usage,
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
      const lines = [
        messages.wroteFiles(imported, join(directory, 'files')),
        messages.wroteCase(path),
        messages.next(path),
      ];
      terminal.out(`${lines.join('\n')}\n`);
    });
  },
};
