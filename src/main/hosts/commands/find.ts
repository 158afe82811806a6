import type { Output } from '../../../model/contract/index.ts';
import { severities } from '../../../model/entity.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { type Command, number, positional, shown, toJson, withCore } from './command.ts';
import { messages } from './messages/find.ts';

const LIMIT = 20;

export const findCommand: Command = {
  name: 'find',
  summary: messages.summary,
  usage: messages.usage,
  options: { limit: { type: 'string' }, json: { type: 'boolean' } },
  run: (invocation) =>
    withCore(invocation, undefined, async (core) => {
      await core.openCase(positional(invocation, 0, 'CASE'));
      const text = positional(invocation, 1, 'TEXT');
      const { terminal, values } = invocation;
      const found = await core.api.search(
        { text, limit: number(invocation, 'limit') ?? LIMIT },
        { signal: terminal.signal },
      );
      const lines = linesOf(found);
      if (values.json) terminal.out(toJson({ text, ...found }));
      else terminal.out(`${lines.length === 0 ? messages.nothing(text) : lines.join('\n')}\n`);
    }),
};

/** One line for each: its evidence id, then what it is. */
function linesOf({ entities, ids, events, spans, logs }: Output<'search'>): string[] {
  const lines = [
    ...ids.map((one) => [
      one.ref,
      formatUtc(nanos(one.time_ns)),
      one.is_span ? messages.span(one.trace_id) : messages.trace(one.trace_id, one.spans),
      `${one.name} ${one.service}`,
    ]),
    ...entities.map(({ key, id, name, what }) => [key, ...(name === id ? [] : [messages.also(what, name)])]),
    ...events.map(({ ref, time_ns, severity, type, device, message }) => [
      ref,
      formatUtc(nanos(time_ns)),
      severities[severity] ?? '',
      `${type} ${device}`,
      message,
    ]),
    ...spans.map((one) => [
      one.ref,
      formatUtc(nanos(one.time_ns)),
      `${one.name} ${one.service}`,
      messages.spans(one.spans, one.duration_ms.toFixed(3)),
    ]),
    ...logs.map(({ ref, time_ns, body }) => [ref, formatUtc(nanos(time_ns)), body]),
  ];
  return lines.map((parts) =>
    shown(
      parts
        .filter((part) => part !== '')
        .join('  ')
        .replaceAll(/\s*\n\s*/g, ' '),
    ),
  );
}
