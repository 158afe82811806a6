import { type Command, positional, shown, text, toJson, withCore } from './command.ts';
import { messages } from './messages/repair.ts';

export const repairCommand: Command = {
  name: 'repair',
  summary: messages.summary,
  usage: messages.usage,
  options: { out: { type: 'string' }, json: { type: 'boolean' } },
  run: (invocation) =>
    withCore(invocation, undefined, async (core) => {
      const path = positional(invocation, 0, 'CASE');
      const to =
        text(invocation, 'out') ?? `${path.replace(/[/\\]+$/, '').replace(/\.faultline$/, '')}-repaired.faultline`;
      const repaired = await core.repair(path, to);
      const { info, lost, log_lost, annotations_lost } = repaired;
      const { terminal } = invocation;
      if (invocation.values['json']) return terminal.out(toJson(repaired));
      const all = info.sources.length;
      terminal.out(`${messages.recovered(to, all - lost.length, all)}\n`);
      for (const { name, digest } of lost) terminal.out(`${messages.lostSource(shown(name), shown(digest))}\n`);
      if (log_lost) terminal.out(`${messages.lostWrites}\n`);
      if (annotations_lost > 0) terminal.out(`${messages.lostAnnotations(annotations_lost)}\n`);
    }),
};
