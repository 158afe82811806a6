import type { IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { fail } from '../../../model/problem.ts';
import { Bucket } from './bucket.ts';
import { openStream } from './open-stream.ts';
import type { RedfishPlan } from './plan.ts';

/** Largest event. Known metric reports of a whole baseboard are below two million characters. */
const MOST_CHARACTERS = 4 * 1024 * 1024;
/** An event that is skipped for its size and still goes on after this much is endless. */
const MOST_SKIPPED = 64 * 1024 * 1024;
/** Faster input waits in the network, so the controller has to buffer it. */
const BURST_BYTES = 16 * 1024 * 1024;
const BYTES_PER_S = 2 * 1024 * 1024;

/** Collects `data:` lines up to an empty line, from chunks of any size. */
class EventParser {
  private line: string[] = [];
  private lineLength = 0;
  private data: string[] = [];
  private size = 0;
  private isSkipping = false;
  private isAfterReturn = false;
  private readonly refused: () => void;

  constructor(refused: () => void) {
    this.refused = refused;
  }

  *take(piece: string): Generator<string> {
    // A carriage return at the end of the last chunk may be the first half of a CRLF.
    let at = this.isAfterReturn && piece.startsWith('\n') ? 1 : 0;
    if (piece !== '') this.isAfterReturn = piece.endsWith('\r');
    const ends = /\r\n|\n|\r/g;
    ends.lastIndex = at;
    for (let end = ends.exec(piece); end !== null; end = ends.exec(piece)) {
      this.append(piece.slice(at, end.index));
      at = ends.lastIndex;
      const event = this.endLine();
      if (event !== undefined) yield event;
    }
    this.append(piece.slice(at));
  }

  private append(text: string): void {
    this.lineLength += text.length;
    this.size += text.length;
    if (this.size > MOST_CHARACTERS && !this.isSkipping) {
      this.isSkipping = true;
      this.data = [];
      this.line = [];
      this.refused();
    }
    if (this.size > MOST_SKIPPED) fail('feed.too_large', 'an event of the stream does not end');
    if (!this.isSkipping && text !== '') this.line.push(text);
  }

  /** @returns the event that this line ends */
  private endLine(): string | undefined {
    const line = this.line.join('');
    const isEmpty = this.lineLength === 0;
    this.line = [];
    this.lineLength = 0;
    if (isEmpty) {
      const event = this.data.length > 0 ? this.data.join('\n') : undefined;
      this.data = [];
      this.size = 0;
      this.isSkipping = false;
      return event;
    }
    if (!this.isSkipping && /^data(:|$)/.test(line)) this.data.push(line.slice(5).replace(/^ /, ''));
    // Only data counts: comments, names and ids of events may be long.
    else if (!this.isSkipping) this.size -= line.length;
    return undefined;
  }
}

/**
 * The data of server-sent events (WHATWG HTML, server-sent events): the `data:` lines up to an empty line form one
 * event. An event of more than 4 Mi characters is skipped.
 *
 * @param refused called for each event that is skipped
 * @throws ProblemError feed.too_large: an event does not end
 */
export async function* eventData(
  chunks: AsyncIterable<Uint8Array>,
  refused: () => void = () => undefined,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const parser = new EventParser(refused);
  for await (const chunk of chunks) yield* parser.take(decoder.decode(chunk, { stream: true }));
}

export interface StreamOptions {
  readonly plan: RedfishPlan;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Called when the stream starts. */
  opened(): void;
  take(doc: unknown, characters: number): void;
  /** Called for each event that was too large. */
  refused(): void;
}

/** Streams until the controller ends it. @throws ProblemError feed.status, feed.too_large; connection errors */
export async function stream({ plan, path, headers, signal, opened, take, refused }: StreamOptions): Promise<void> {
  const { answer, close } = await openStream(plan, path, { ...headers, accept: 'text/event-stream' }, signal);
  try {
    if (answer.statusCode !== 200) fail('feed.status', `it answered ${answer.statusCode}`, { place: path });
    if (!/^text\/event-stream/.test(answer.headers['content-type'] ?? ''))
      fail('feed.garbage', 'it answered no event stream', { place: path });
    opened();
    for await (const data of eventData(unhurried(answer, signal), refused)) take(parsed(data), data.length);
  } finally {
    close();
  }
}

/** Limits the rate, so that other work gets its turn. */
async function* unhurried(chunks: IncomingMessage, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const bytes = new Bucket(BURST_BYTES, BYTES_PER_S);
  for await (const chunk of chunks as AsyncIterable<Buffer>) {
    const wait = bytes.all(chunk.length);
    if (wait > 0) await setTimeout(wait, undefined, { signal });
    yield chunk;
  }
}

/** Controllers send only JSON. */
function parsed(data: string): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
