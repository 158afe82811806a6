import type { PullEvent } from '../../../model/contract/index.ts';
import { fail } from '../../../model/problem.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { archiveWindow, archiveWindowOptions } from '../archive-window.ts';
import { readPlan, testPlan } from '../plan-tests.ts';
import { sizeText } from '../size-text.ts';
import { type Command, type Core, type Invocation, positional, shown, toJson, withCore } from './command.ts';
import { importOutcome, progressOn } from './import.ts';
import { messages as common } from './messages/common.ts';
import { messages } from './messages/pull.ts';

export const pullCommand: Command = {
  name: 'pull',
  summary: messages.summary,
  usage: messages.usage,
  options: {
    ...archiveWindowOptions,
    plan: { type: 'boolean' },
    test: { type: 'boolean' },
    keep: { type: 'boolean' },
    json: { type: 'boolean' },
  },
  run: async (invocation) => {
    const { values } = invocation;
    if (values['test'])
      return testPlan(await readPlan(positional(invocation, 0, 'ARCHIVE.yaml')), 'archive.test', invocation);
    const path = positional(invocation, 0, 'CASE');
    const plan = await readPlan(positional(invocation, 1, 'ARCHIVE.yaml'));
    const input = {
      plan,
      ...archiveWindow(invocation),
      only_plan: values['plan'] === true,
      keep: values['keep'] === true,
    };
    await withCore(invocation, undefined, async (core) => {
      await core.placeCase(path);
      await pull(core, input, invocation);
    });
  },
};

/** @throws ProblemError pull.incomplete when slices are missing */
async function pull(
  core: Core,
  input: Parameters<Core['api']['archive.pull']>[0],
  { terminal, values: { json } }: Invocation,
): Promise<void> {
  terminal.outlastOutput();
  const events: PullEvent[] = [];
  const show = progressOn(terminal);
  try {
    for await (const event of core.api['archive.pull'](input, { signal: terminal.signal })) {
      if (event.kind === 'progress') {
        show(progressLine(event));
        continue;
      }
      show('');
      events.push(event);
      if (!json) terminal.out(eventText(event));
      // What was pulled is analysed to the end, however long that takes.
      if (event.kind === 'source') terminal.waitForEnd();
    }
  } catch (error) {
    const pulled = events.filter(({ kind }) => kind === 'source').length;
    if (!terminal.signal.aborted || pulled === 0) throw error;
    fail('pull.cancelled', messages.cancelled(pulled), { hint: messages.incomplete.hint });
  } finally {
    show('');
    if (json) terminal.out(toJson(events));
  }
  const done = events.at(-1);
  if (done?.kind === 'done' && done.failed + done.left > 0)
    fail('pull.incomplete', messages.incomplete.message(done.failed, done.left), { hint: messages.incomplete.hint });
}

const windowText = (from_ns: bigint, until_ns: bigint): readonly [string, string] => [
  formatUtc(nanos(from_ns)),
  formatUtc(nanos(until_ns)),
];

function eventText(event: Exclude<PullEvent, { kind: 'progress' }>): string {
  switch (event.kind) {
    case 'plan':
      return planText(event);
    case 'source':
      return `${importOutcome(event)}\n`;
    case 'problem': {
      const slice = messages.slice(shown(event.query), ...windowText(event.from_ns, event.until_ns));
      return `${messages.notPulled(slice, shown(event.problem.message))}\n`;
    }
    case 'done':
      return `${messages.done(event.pulled, event.rows)}\n`;
  }
}

/** A bucket has a query for each object. */
const MOST_SHOWN = 20;

function planText({ archive, from_ns, until_ns, queries }: Extract<PullEvent, { kind: 'plan' }>): string {
  const lines = queries.slice(0, MOST_SHOWN).map(({ query, slices, rows, bytes, present }) => {
    const rowsText = rows === null ? messages.unknownRows : messages.aboutRows(rows);
    const bytesText = bytes === null ? messages.unknownBytes : messages.aboutBytes(sizeText(bytes));
    const presentText = present > 0 ? messages.present(common.percent(Math.floor(100 * present))) : '';
    return `  ${shown(query)}: ${messages.planned(slices, rowsText, bytesText)}${presentText}`;
  });
  const more = queries.slice(MOST_SHOWN);
  if (more.length > 0) {
    const bytes = more.reduce((sum, one) => sum + (one.bytes ?? 0), 0);
    const slices = more.reduce((sum, one) => sum + one.slices, 0);
    lines.push(`  ${messages.more(more.length, slices, sizeText(bytes))}`);
  }
  return `${[messages.window(shown(archive), ...windowText(from_ns, until_ns)), ...lines].join('\n')}\n`;
}

function progressLine({
  done,
  slices,
  rows,
  repeats,
  reason,
  remaining_s,
}: Extract<PullEvent, { kind: 'progress' }>): string {
  const remaining = remaining_s === null ? '' : messages.left(Math.ceil(remaining_s));
  const repeated = repeats === 0 ? '' : messages.repeated(repeats, shown(reason));
  return `${messages.progress(done, slices, rows)}${remaining}${repeated}`;
}
