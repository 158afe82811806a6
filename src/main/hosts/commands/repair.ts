import { type Command, positional, shown, text, toJson, withCore } from './command.ts';

export const repairCommand: Command = {
  name: 'repair',
  summary: 'copy all readable data of a damaged case into a new case',
  usage:
    'faultline repair CASE [--out NEW.faultline] [--json]\n  the damaged case is not changed; exit code 1 if no part can be recovered',
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
      terminal.out(`${to}: ${info.sources.length - lost.length} of ${info.sources.length} sources recovered\n`);
      for (const { name, digest } of lost)
        terminal.out(`lost: ${shown(name)} (${shown(digest)}): import its file again\n`);
      if (log_lost) terminal.out('lost: the last writes, which are unreadable\n');
      if (annotations_lost > 0) terminal.out(`lost: ${annotations_lost} unreadable annotations\n`);
    }),
};
