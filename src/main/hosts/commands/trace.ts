import type { TokenTimes, Trace } from '../../../model/contract/index.ts';
import { fail } from '../../../model/problem.ts';
import { gapFacts, plainTokenFormat, requestName, tokenFacts } from '../../../model/telemetry/token-text.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { type Command, number, positional, shown, toJson, withCore } from './command.ts';
import { messages } from './messages/views.ts';

const texts = messages.trace;
const LIMIT = 2000;

export const traceCommand: Command = {
  name: 'trace',
  summary: texts.summary,
  usage: texts.usage,
  options: { limit: { type: 'string' }, json: { type: 'boolean' } },
  run: (invocation) =>
    withCore(invocation, undefined, async (core) => {
      await core.openCase(positional(invocation, 0, 'CASE'));
      const trace_id = positional(invocation, 1, 'TRACE_ID');
      const found = await core.api['trace.get']({ trace_id, limit: number(invocation, 'limit') ?? LIMIT });
      if (found.start_ns === null) return fail('trace.unknown', texts.unknown(shown(trace_id)));
      const tokens = await core.api['trace.tokens']({ trace_id });
      if (invocation.values['json'])
        return invocation.terminal.out(
          toJson({
            ...found,
            offset_s: [...found.offset_s],
            duration_ms: [...found.duration_ms],
            tokens: plain(tokens),
          }),
        );
      invocation.terminal.out(traceText(found, found.start_ns) + tokensText(tokens));
    }),
};

/** Without the columns that only a chart needs. */
const plain = ({ requests, ...rest }: TokenTimes) => ({
  ...rest,
  requests: requests.map(({ gap_ends_ns: _, gaps_s: __, ...request }) => request),
});

/** Below the tree: of each answer when its tokens came, and what the hardware did in the longest gap. */
function tokensText({ requests, left_out, truncated }: TokenTimes): string {
  const lines = requests.flatMap((request) => [
    '',
    texts.answer(shown(requestName(request))),
    ...tokenFacts(request, plainTokenFormat).map((fact) => `  ${fact}`),
    ...(request.hardware ? [`  ${texts.inGap}`] : []),
    ...gapFacts(request, plainTokenFormat).map((fact) => `    ${shown(fact)}`),
  ]);
  if (truncated) lines.push(texts.moreTokens);
  if (left_out > 0) lines.push(texts.moreAnswers(left_out));
  return lines.map((line) => `${line}\n`).join('');
}

function traceText(trace: Trace, start_ns: bigint): string {
  const places = new Map(trace.span_id.map((id, at) => [id, at]));
  const children = Map.groupBy(trace.span_id.keys(), (at) => places.get(trace.parent_span_id[at] ?? '') ?? null);
  const lines: string[] = [formatUtc(nanos(start_ns))];
  // Spans that are each other's parents are reached from no root: each is listed once.
  const seen = new Set<number>();
  const write = (roots: readonly number[]): void => {
    const open = roots.map((at) => ({ at, depth: 0 })).toReversed();
    for (let next = open.pop(); next; next = open.pop()) {
      if (seen.has(next.at)) continue;
      seen.add(next.at);
      lines.push(spanText(trace, next.at, next.depth));
      const { depth } = next;
      for (const at of (children.get(next.at) ?? []).toReversed()) open.push({ at, depth: depth + 1 });
    }
  };
  write(children.get(null) ?? []);
  write([...trace.span_id.keys()]);
  if (trace.truncated) lines.push(texts.truncated);
  return `${lines.join('\n')}\n`;
}

function spanText({ service, name, status, offset_s, duration_ms }: Trace, at: number, depth: number): string {
  const offset = `+${(offset_s[at] ?? 0).toFixed(3)} s`.padStart(12);
  const length = `${(duration_ms[at] ?? 0).toFixed(1)} ms`.padStart(12);
  const title = `${service[at] ?? texts.unknownService}: ${name[at] ?? texts.unnamed}`;
  const failed = status[at] === 'error' ? `  ${texts.failed}` : '';
  return `${offset} ${length}  ${'  '.repeat(depth)}${shown(title)}${failed}`;
}
