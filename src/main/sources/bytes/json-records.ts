import { parsePythonJson } from './python-json.ts';

/** One JSON value cut out of a file, or why it could not be read. `at` is its byte offset. */
export type JsonRecord =
  | { readonly at: number; readonly path: string; readonly value: unknown; readonly reason?: undefined }
  | { readonly at: number; readonly path: string; readonly reason: string; readonly excerpt: string };

/** A record larger than this is not one; what follows it is still read. */
const MAX_RECORD = 256 * 1024 * 1024;
const MAX_KEY = 1024 * 1024;
const decoder = new TextDecoder();
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

interface Frame {
  readonly list: boolean;
  /** Path of this container: '' for the outermost, `data.result` below it. */
  readonly path: string;
  /** Key of the member being read. */
  key: string | undefined;
}

/**
 * Cuts JSON of any size into records without holding it: elements of a top-level list, of the lists named in `lists`
 * (dotted paths from the top object), whole documents one after another or one per line.
 * Every other member of an object on the way to a list is a record too, its path being its own key (`schemaVersion`).
 * An object that holds none of `lists` comes member by member as well when `lists` is not empty; with no `lists`
 * a top-level object is one record of path ''. Elements of a list have the path of the list.
 */
export async function* jsonRecords(
  chunks: AsyncIterable<Uint8Array>,
  lists: readonly string[] = [],
  options: {
    /** Integers that a double cannot hold arrive as bigint instead of rounded. */ readonly exact?: boolean;
  } = {},
): AsyncGenerator<JsonRecord> {
  const cutter = new RecordCutter(lists, options.exact ?? false);
  for await (const chunk of chunks) yield* cutter.push(chunk);
  yield* cutter.end();
}

class RecordCutter {
  private readonly lists: ReadonlySet<string>;
  private readonly onTheWay: ReadonlySet<string>;
  private readonly stack: Frame[] = [];
  private room: Uint8Array = new Uint8Array(0);
  /** The used part of `room`. */
  private buffer: Uint8Array = new Uint8Array(0);
  /** Offset of `buffer[0]` in the file. */
  private base = 0;
  private at = 0;
  /** The value being captured: where it starts, and how deep inside it we are. */
  private start = -1;
  private depth = 0;
  private inString = false;
  private hasRemarked = false;
  /** Up to the next line, which may begin in a later piece. */
  private skipping = false;

  private readonly exact: boolean;

  constructor(lists: readonly string[], exact: boolean) {
    this.exact = exact;
    this.lists = new Set(lists);
    this.onTheWay = new Set(lists.flatMap((path) => path.split('.').map((_, i, parts) => parts.slice(0, i).join('.'))));
  }

  *push(chunk: Uint8Array): Generator<JsonRecord> {
    const from = this.start >= 0 ? this.start : this.at;
    this.carryOver(from, chunk);
    this.base += from;
    this.at -= from;
    if (this.start >= 0) this.start = 0;
    yield* this.scan();
    if (this.start >= 0 && this.at - this.start > MAX_RECORD) {
      yield this.reject('a record is larger than 256 MiB');
      this.start = -1;
    }
    if (this.start < 0 && this.buffer.length - this.at > MAX_KEY) {
      this.start = this.at;
      yield this.reject('a key is longer than 1 MiB');
      this.start = -1;
      this.at = this.buffer.length;
    }
  }

  /** Drops what lies before `from` and adds a piece. Room grows by doubling: a large record comes in many pieces. */
  private carryOver(from: number, chunk: Uint8Array): void {
    const carriedBytes = this.buffer.length - from;
    const needed = carriedBytes + chunk.length;
    if (needed > this.room.length) {
      const grown = new Uint8Array(Math.max(needed, 2 * carriedBytes));
      grown.set(this.buffer.subarray(from));
      this.room = grown;
    } else if (from > 0) this.room.copyWithin(0, from, this.buffer.length);
    this.room.set(chunk, carriedBytes);
    this.buffer = this.room.subarray(0, needed);
  }

  *end(): Generator<JsonRecord> {
    if (this.start >= 0) {
      // A bare number or word at the top ends with the file.
      const top = this.stack.length === 0 && this.depth === 0 && !this.inString;
      yield top ? this.record(this.buffer.length) : this.reject('the file ends inside this record');
    } else if (this.stack.length > 0) {
      this.start = this.at;
      yield this.reject('the file ends before its last bracket');
    }
    this.start = -1;
  }

  private *scan(): Generator<JsonRecord> {
    const { buffer } = this;
    while (this.at < buffer.length) {
      if (this.skipping) {
        const end = buffer.indexOf(0x0a, this.at);
        this.skipping = end < 0;
        this.at = end < 0 ? buffer.length : end + 1;
        continue;
      }
      const found = this.start >= 0 ? this.inside(buffer) : this.between(buffer);
      if (found) yield found;
      else if (found === null) return;
    }
  }

  /** Goes on inside a captured value; a record when it ends, null when the buffer does. */
  private inside(buffer: Uint8Array): JsonRecord | null {
    let { at } = this;
    for (; at < buffer.length; at++) {
      const byte = buffer[at]!;
      if (this.inString) {
        if (byte === BACKSLASH) at++;
        else if (byte === QUOTE) {
          this.inString = false;
          if (this.depth === 0) return this.finish(at + 1);
        }
      } else if (byte === QUOTE) this.inString = true;
      else if (byte === 0x7b || byte === 0x5b) this.depth++;
      else if (byte === 0x7d || byte === 0x5d) {
        if (this.depth === 0) return this.finish(at);
        if (--this.depth === 0) return this.finish(at + 1);
      } else if (this.depth === 0 && (byte === 0x2c || byte <= 0x20)) return this.finish(at);
    }
    this.at = at;
    return null;
  }

  private finish(end: number): JsonRecord {
    this.at = end;
    const record = this.record(end);
    this.start = -1;
    this.depth = 0;
    return record;
  }

  private record(end: number): JsonRecord {
    const frame = this.stack.at(-1);
    const path = frame === undefined ? '' : frame.list ? frame.path : join(frame.path, frame.key ?? '');
    const at = this.base + this.start;
    if (frame && !frame.list) frame.key = undefined;
    const text = decoder.decode(this.buffer.subarray(this.start, end));
    // What cannot be JSON by its first letter is not parsed to find out: a file of such words would take minutes.
    if (/^[a-zA-Z]/.test(text) && !/^(?:true|false|null)$/.test(text))
      return { at, path, reason: 'malformed JSON', excerpt: text.slice(0, 500) };
    try {
      return { at, path, value: parsePythonJson(text, this.exact ? parseExactJson : undefined) };
    } catch (error) {
      const why = error instanceof RangeError ? 'nested too deeply' : 'malformed JSON';
      return { at, path, reason: why, excerpt: text.slice(0, 500) };
    }
  }

  /** Between values: steps over punctuation, reads keys, opens containers on the way to a list, starts captures. */
  private between(buffer: Uint8Array): JsonRecord | null | undefined {
    const byte = buffer[this.at]!;
    if (byte <= 0x20 || byte === 0x2c || byte === 0x3a || byte === 0xef || byte === 0xbb || byte === 0xbf) {
      this.at++;
      return undefined;
    }
    if (byte === 0x7d || byte === 0x5d) {
      this.stack.pop();
      const parent = this.stack.at(-1);
      if (parent && !parent.list) parent.key = undefined;
      this.at++;
      return undefined;
    }
    const frame = this.stack.at(-1);
    if (frame && !frame.list && frame.key === undefined) return this.readKey(buffer, frame);
    return this.startValue(byte, frame);
  }

  private startValue(byte: number, frame: Frame | undefined): JsonRecord | undefined {
    const path = frame === undefined ? '' : frame.list ? undefined : join(frame.path, frame.key!);
    if (path !== undefined && ((byte === 0x7b && this.onTheWay.has(path)) || (byte === 0x5b && this.isList(path)))) {
      this.stack.push({ list: byte === 0x5b, path, key: undefined });
      this.at++;
      return undefined;
    }
    if (
      frame === undefined &&
      byte !== 0x7b &&
      byte !== 0x5b &&
      byte !== QUOTE &&
      !/[-\w]/.test(String.fromCharCode(byte))
    )
      return this.skipLine();
    this.start = this.at;
    this.depth = 0;
    this.inString = false;
    // The first byte opens what `inside` then measures.
    if (byte === QUOTE) {
      this.inString = true;
      this.at++;
    }
    return undefined;
  }

  private isList(path: string): boolean {
    return path === '' || this.lists.has(path);
  }

  private readKey(buffer: Uint8Array, frame: Frame): JsonRecord | null | undefined {
    if (buffer[this.at] !== QUOTE) {
      this.at++;
      if (this.hasRemarked) return undefined;
      this.hasRemarked = true;
      this.start = this.at - 1;
      const reject = this.reject('malformed JSON: a key was expected');
      this.start = -1;
      return reject;
    }
    let end = this.at + 1;
    while (end < buffer.length && buffer[end] !== QUOTE) end += buffer[end] === BACKSLASH ? 2 : 1;
    if (end >= buffer.length) return null;
    frame.key = decoder.decode(buffer.subarray(this.at + 1, end));
    this.at = end + 1;
    return undefined;
  }

  private skipLine(): JsonRecord {
    this.start = this.at;
    const record = this.reject('not JSON');
    this.start = -1;
    this.skipping = true;
    return record;
  }

  private reject(reason: string): JsonRecord {
    const excerpt = decoder.decode(this.buffer.subarray(this.start, this.start + 500));
    return { at: this.base + this.start, path: this.stack.at(-1)?.path ?? '', reason, excerpt };
  }
}

/** JSON with integers beyond 2^53 as bigint: nanoseconds written as numbers lose their last digits otherwise. */
export function parseExactJson(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
      ? BigInt(context!.source!)
      : value,
  );
}

const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);
