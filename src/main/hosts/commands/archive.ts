import { readPlan } from '../plan-tests.ts';
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
    grafana: { type: 'boolean' },
    links: { type: 'string' },
    apply: { type: 'string' },
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
    const plan = text(invocation, 'apply');
    if (plan !== null) return apply(invocation, kind, await readPlan(plan), { days, important_days });
    const database = text(invocation, 'database') ?? 'otel';
    const links = text(invocation, 'links');
    if (links !== null && !isAddress(links)) throw new UsageError(messages.invalidLinks(links));
    const schema = await withCore(invocation, undefined, (core) =>
      core.api['archive.schema']({ kind, database, days, important_days, links }),
    );
    if (values['json']) terminal.out(toJson(schema));
    else if (values['collector']) terminal.data(schema.collector);
    else if (values['grafana']) terminal.data(schema.dashboard);
    else terminal.data(schema.statements.map((statement) => `${statement};\n`).join('\n'));
  },
};

const isAddress = (link: string): boolean => URL.canParse(link) && /^https?:$/.test(new URL(link).protocol);

/** The tables go into the database of the plan. */
async function apply(
  invocation: Invocation,
  kind: string,
  plan: string,
  days: { readonly days: number; readonly important_days: number },
): Promise<void> {
  const { values, terminal } = invocation;
  if (kind !== 'clickhouse') throw new UsageError(messages.applyWhat);
  if (values['database'] !== undefined || values['links'] !== undefined || values['collector'] || values['grafana'])
    throw new UsageError(messages.applyAlone);
  const done = await withCore(invocation, undefined, (core) =>
    core.api['fleet.create_tables']({ plan, ...days }, { signal: terminal.signal }),
  );
  terminal.out(values['json'] ? toJson(done) : `${messages.applied(done.statements)}\n`);
}

function daysOf(invocation: Invocation, name: string, otherwise: number): number {
  const given = text(invocation, name);
  const days = given === null ? otherwise : Number(given);
  if (!Number.isInteger(days) || days < 1 || days > 3650) throw new UsageError(messages.invalidDays(name, given ?? ''));
  return days;
}
