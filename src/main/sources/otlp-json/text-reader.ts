import type { RowBatch } from '../../../model/rows/rows.ts';
import type { ByteWindow } from '../bytes/byte-window.ts';
import { MAX_MESSAGE_BYTES } from '../bytes/zstd-messages.ts';
import type { Output } from '../otlp/output.ts';
import { findDocument, isFiller, START_LOOKAHEAD } from './detect.ts';
import { DocumentDecoder } from './document.ts';
import { BrokenJson, JsonLexer } from './lexer.ts';
import { ValueScan } from './value-scan.ts';

const NEWLINE = 0x0a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const TOO_LONG = `a record of more than ${MAX_MESSAGE_BYTES} bytes`;

/**
 * Reads OTLP/JSON text in all its framings: a request per line, several requests of many lines, a list of
 * requests, one huge request. A line is handed to the decoder whole; a request of many lines is taken apart at
 * the elements of its list of resources, so that it never has to be in memory at once.
 */
export class TextReader {
  private readonly window: ByteWindow;
  private readonly out: Output;
  private readonly decoder: DocumentDecoder;
  private readonly lexer = new JsonLexer();
  /** A whole request was seen on one line: from now on a line is the unit that breaks and is skipped. */
  private lines = false;
  /** How much of a value that does not end can be read. */
  private readable = 0;

  constructor(window: ByteWindow, out: Output) {
    this.window = window;
    this.out = out;
    this.decoder = new DocumentDecoder(out);
  }

  async *read(): AsyncGenerator<RowBatch> {
    const { window, out } = this;
    let reported = false;
    let found = false;
    const begin = window.offset;
    let [depth, deepest] = [0, 0];
    const filler = (byte: number): boolean => {
      depth += byte === OPEN_BRACKET ? 1 : byte === CLOSE_BRACKET ? -1 : 0;
      deepest = Math.max(deepest, depth);
      return isFiller(byte);
    };
    for (let byte = await this.next(filler); byte >= 0; byte = await this.next(filler)) {
      const before = out.rejects;
      found = true;
      if (byte !== OPEN_BRACE) await this.recover('not a JSON object');
      else if (!(await this.line())) yield* this.structured();
      reported = out.rejects > before;
      yield* out.take(window.offset);
    }
    // A short one is an empty list, unless it holds another one.
    if (!found && (deepest > 1 || window.offset - begin > START_LOOKAHEAD))
      out.reject(begin, 'nothing but brackets and blanks');
    if (window.broken !== '' && !reported) out.reject(window.offset, window.broken);
  }

  /** Steps over filler; answers the next byte, -1 at the end of the text. */
  private async next(filler: (byte: number) => boolean): Promise<number> {
    const { window } = this;
    for (;;) {
      let at = window.start;
      while (at < window.end && filler(window.bytes[at]!)) at++;
      window.drop(at - window.start);
      if (window.length > 0) return window.bytes[window.start]!;
      if (!(await window.more())) return -1;
    }
  }

  /** Reads the request at the front when it is one line; false when it is not, and nothing was taken. */
  private async line(): Promise<boolean> {
    const { window } = this;
    const length = await this.lineLength();
    if (length < 0) return false;
    let end = window.start + length;
    while (end > window.start && isFiller(window.bytes[end - 1]!)) end--;
    if (end - window.start < 2) return false;
    if (!this.lines && !this.isWhole(window.start, end)) return false;
    this.lines = true;
    try {
      const after = this.decoder.document(window.bytes, window.start, end, window.offset);
      // Several requests may share a line; only those in front of the line's end can be followed by more of it.
      window.drop(after < end ? after - window.start : Math.min(length, window.length));
    } catch (error) {
      if (!(error instanceof BrokenJson)) throw error;
      this.decoder.reject(window.start, this.reason(error, length >= window.length));
      window.drop(Math.min(length, window.length));
    }
    return true;
  }

  private reason(error: BrokenJson, atEnd: boolean): string {
    if (atEnd && this.window.broken !== '') return this.window.broken;
    return `broken JSON at byte ${this.window.offset + error.at - this.window.start}: ${error.message}`;
  }

  /** Length of the first line without its end; -1 when it is too long to be held. */
  private async lineLength(): Promise<number> {
    const { window } = this;
    for (let seen = 0; ; ) {
      // A Buffer looks for a byte several times as fast as other views do.
      const found = Buffer.from(window.bytes.buffer, window.bytes.byteOffset + window.start, window.length).indexOf(
        NEWLINE,
        seen,
      );
      if (found >= 0) return found;
      seen = window.length;
      if (seen > MAX_MESSAGE_BYTES) return -1;
      if (!(await window.more())) return window.length;
    }
  }

  private isWhole(start: number, end: number): boolean {
    if (this.window.bytes[end - 1] !== CLOSE_BRACE) return false;
    this.lexer.open(this.window.bytes, start, end);
    try {
      this.lexer.skipValue();
      return true;
    } catch (error) {
      if (error instanceof BrokenJson) return false;
      throw error;
    }
  }

  /** Reads a request of many lines, element by element. */
  private async *structured(): AsyncGenerator<RowBatch> {
    const { window, out } = this;
    const start = window.offset;
    const isSpace = (byte: number): boolean => byte <= 0x20;
    const isSeparator = (byte: number): boolean => byte <= 0x20 || byte === 0x2c;
    let known = false;
    let keys = 0;
    window.drop(1);
    for (;;) {
      const byte = await this.next(isSeparator);
      if (byte === CLOSE_BRACE) {
        window.drop(1);
        if (!known && keys > 0) out.reject(start, 'no resourceSpans, resourceLogs or resourceMetrics in this document');
        return;
      }
      const length = byte === 0x22 ? await this.valueLength() : -1;
      if (length < 0) return this.recover(byte < 0 ? 'the text ends inside a request' : 'expected a key in an object');
      const key = this.keyOf(length);
      if (key === null) return this.recover('impossible escape in a key');
      window.drop(length);
      if ((await this.next(isSpace)) !== 0x3a) return this.recover('expected : after a key');
      window.drop(1);
      keys++;
      const value = await this.next(isSpace);
      if (key.list && value === OPEN_BRACKET) {
        known = true;
        window.drop(1);
        if (!(yield* this.elements())) return;
      } else if (!(await this.otherValue(key.list || key.profiles, value))) return;
      known ||= key.list || key.profiles;
    }
  }

  /** null: its text is not the JSON of a string. */
  private keyOf(length: number): { readonly list: boolean; readonly profiles: boolean } | null {
    const { window, lexer } = this;
    const probe = new Uint8Array(length + 3);
    probe[0] = OPEN_BRACE;
    probe.set(window.bytes.subarray(window.start, window.start + length), 1);
    probe.set([0x3a, 0x30], length + 1);
    lexer.open(probe, 1, probe.length);
    const name = stringOf(lexer);
    return name === null
      ? null
      : {
          list: /^(resource_?(spans|logs|metrics)|batches)$/i.test(name),
          profiles: /^resource_?profiles$/i.test(name),
        };
  }

  /** Steps over a value that is not read; false when the text broke in it. */
  private async otherValue(notable: boolean, first: number): Promise<boolean> {
    const { window, out } = this;
    const start = window.offset;
    if (first === 0x22 || first === OPEN_BRACE || first === OPEN_BRACKET) {
      const length = await this.valueLength();
      if (length < 0) {
        await this.recover('the text ends inside a request');
        return false;
      }
      window.drop(length);
    } else {
      const isWord = (byte: number): boolean => byte > 0x20 && byte !== 0x2c && byte !== CLOSE_BRACE;
      if ((await this.next(isWord)) < 0 || window.offset === start) {
        await this.recover('expected a value');
        return false;
      }
    }
    if (notable)
      out.reject(start, first === OPEN_BRACKET ? 'profiles are not imported' : 'the list of resources is not a list');
    return true;
  }

  /** Reads the elements of a list of resources whose bracket was taken; false when the text broke in it. */
  private async *elements(): AsyncGenerator<RowBatch, boolean> {
    const { window, out, decoder } = this;
    for (;;) {
      const byte = await this.next((value) => value <= 0x20 || value === 0x2c);
      if (byte === 0x5d) {
        window.drop(1);
        return true;
      }
      if (byte < 0 || byte === CLOSE_BRACE) {
        await this.recover('the text ends inside a list of resources');
        return false;
      }
      const length = byte === OPEN_BRACE ? await this.valueLength() : -1;
      const end = window.start + (length < 0 && byte === OPEN_BRACE ? this.readable : Math.max(length, 0));
      try {
        if (byte === OPEN_BRACE) decoder.resourceElement(window.bytes, window.start, end, window.offset);
        if (length < 0) throw new BrokenJson(window.start, 'resource entry is not an object');
        window.drop(length);
      } catch (error) {
        if (!(error instanceof BrokenJson)) throw error;
        await this.breakAt(error, length);
        return false;
      }
      yield* out.take(window.offset);
    }
  }

  private async breakAt(error: BrokenJson, length: number): Promise<void> {
    const { window } = this;
    const atEnd = error.at >= window.end;
    this.decoder.rejectAt(window.offset, window.bytes, window, this.reason(error, length < 0 && atEnd));
    window.drop(Math.max(1, Math.min(error.at - window.start, window.length)));
    await this.seek();
  }

  /** Length of the object, list or string at the front; -1 when the text ends in it or it is too long to be held. */
  private async valueLength(): Promise<number> {
    const { window } = this;
    const scan = new ValueScan();
    for (let seen = 0; ; ) {
      const end = scan.feed(window.bytes, window.start + seen, window.end);
      if (end >= 0) return end - window.start;
      if (scan.brokenAt >= 0) {
        this.readable = scan.brokenAt - window.start;
        return -1;
      }
      seen = window.length;
      if (seen > MAX_MESSAGE_BYTES || !(await window.more())) {
        this.readable = window.length;
        return -1;
      }
    }
  }

  /** Rejects what is at the front and goes on at the next request that can be made out. */
  private async recover(reason: string): Promise<void> {
    const { window } = this;
    const why =
      window.length > MAX_MESSAGE_BYTES
        ? TOO_LONG
        : window.length === 0 && window.broken !== ''
          ? window.broken
          : reason;
    this.decoder.rejectAt(window.offset, window.bytes, window, why);
    window.drop(Math.min(1, window.length));
    await this.seek();
  }

  /** Drops everything before the next request. */
  private async seek(): Promise<void> {
    const { window } = this;
    for (;;) {
      const found = findDocument(window.bytes, window.start, window.end);
      if (found >= 0) return window.drop(found - window.start);
      window.drop(Math.max(0, window.length - START_LOOKAHEAD));
      if (!(await window.more())) return window.drop(window.length);
    }
  }
}

function stringOf(lexer: JsonLexer): string | null {
  try {
    return lexer.string();
  } catch (error) {
    if (error instanceof BrokenJson) return null;
    throw error;
  }
}
