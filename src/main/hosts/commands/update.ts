import { newerRelease } from '../newer-version.ts';
import { type Command, shown, text, toJson, UsageError } from './command.ts';
import { messages as common } from './messages/common.ts';
import { messages } from './messages/update.ts';

export const updateCommand: Command = {
  name: 'update',
  summary: messages.summary,
  usage: messages.usage,
  options: { check: { type: 'string' }, json: { type: 'boolean' } },
  run: async (invocation) => {
    const place = text(invocation, 'check');
    if (place === null) throw new UsageError(common.missing(messages.place));
    const { out, version, readReleases } = invocation.terminal;
    const newer = newerRelease(await readReleases(place), version);
    if (invocation.values.json) return out(toJson({ version, newer }));
    if (newer === null) return out(`${messages.newest(version)}\n`);
    out(`${messages.newer(newer.version, version)}\n`);
    if (newer.notes !== null) out(`${messages.notes(shown(newer.notes))}\n`);
  },
};
