import { type Command, type Invocation, positional, text, toJson, UsageError, withCore } from './command.ts';
import { messages } from './messages/archive.ts';

export const archiveCommand: Command = {
  name: 'archive',
  summary: messages.summary,
  usage: messages.usage,
  options: {
    database: { type: 'string' },
    days: { type: 'string' },
    'important-days': { type: 'string' },
    collector: { type: 'boolean' },
    json: { type: 'boolean' },
  },
  run: async (invocation) => {
    const { values, terminal } = invocation;
    const act = positional(invocation, 0, 'init');
    const kind = positional(invocation, 1, 'KIND');
    if (act !== 'init') throw new UsageError(messages.unknownAction(act));
    const days = daysOf(invocation, 'days', 7);
    const important_days = daysOf(invocation, 'important-days', 30);
    if (important_days < days) throw new UsageError(messages.shorter);
    const database = text(invocation, 'database') ?? 'otel';
    const schema = await withCore(invocation, undefined, (core) =>
      core.api['archive.schema']({ kind, database, days, important_days }),
    );
    if (values['json']) terminal.out(toJson(schema));
    else if (values['collector']) terminal.data(schema.collector);
    else terminal.data(schema.statements.map((statement) => `${statement};\n`).join('\n'));
  },
};

function daysOf(invocation: Invocation, name: string, otherwise: number): number {
  const given = text(invocation, name);
  const days = given === null ? otherwise : Number(given);
  if (!Number.isInteger(days) || days < 1 || days > 3650) throw new UsageError(messages.invalidDays(name, given ?? ''));
  return days;
}
