import { type Command, positional, shown, text, toJson, withCore } from './command.ts';

export const repairCommand: Command = {
  name: 'repair',
  summary: 'copy what can be read of a damaged case into a new one',
  usage:
    'faultline repair CASE [--out NEW.faultline] [--json]\n  the damaged case stays as it is; exit code 1 where nothing of it can be read',
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
      terminal.out(`${to}: ${info.sources.length - lost.length} of ${info.sources.length} sources kept\n`);
      for (const { name, digest } of lost)
        terminal.out(`lost: ${shown(name)} (${shown(digest)}): import its file again\n`);
      if (log_lost) terminal.out('lost: what was written last, which could not be read\n');
      if (annotations_lost > 0)
        terminal.out(`lost: ${annotations_lost} notes and marks of the investigator, which could not be read\n`);
    }),
};
