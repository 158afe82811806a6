import type { IncomingMessage } from 'node:http';
import { fail } from '../../../model/problem.ts';
import { openStream } from './open-stream.ts';
import type { RedfishPlan } from './plan.ts';

/** One event. What goes on without an end is no event. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

/**
 * The data of server-sent events (WHATWG HTML, server-sent events): lines of `data:` up to an empty line are one.
 *
 * @throws ProblemError feed.too_large
 */
export async function* eventData(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    // A carriage return at the end may be half of a line's end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '' && data.length > 0) {
        yield data.join('\n');
        data = [];
        size = 0;
      } else if (/^data(:|$)/.test(line)) {
        data.push(line.slice(5).replace(/^ /, ''));
        size += line.length;
      }
    }
    if (size + rest.length > MOST_CHARACTERS) fail('feed.too_large', 'an event of the stream does not end');
  }
}

export interface StreamOptions {
  readonly plan: RedfishPlan;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Once it streams. */
  opened(): void;
  take(doc: unknown): void;
}

/** Streams until the controller ends it. @throws ProblemError feed.status, feed.too_large; errors of the connection */
export async function stream({ plan, path, headers, signal, opened, take }: StreamOptions): Promise<void> {
  const { answer, close } = await openStream(plan, path, { ...headers, accept: 'text/event-stream' }, signal);
  try {
    if (answer.statusCode !== 200) fail('feed.status', `it answered ${answer.statusCode}`, { place: path });
    if (!/^text\/event-stream/.test(answer.headers['content-type'] ?? ''))
      fail('feed.garbage', 'it answered no event stream', { place: path });
    opened();
    for await (const data of eventData(answer as AsyncIterable<Buffer> & IncomingMessage)) take(parsed(data));
  } finally {
    close();
  }
}

/** What is no JSON is nothing that a controller sends. */
function parsed(data: string): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
