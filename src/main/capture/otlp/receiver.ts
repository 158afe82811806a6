import type { FeedSink } from '../../../model/feed.ts';
import { Output } from '../../sources/otlp/output.ts';
import { DocumentDecoder } from '../../sources/otlp-json/document.ts';
import { BrokenJson } from '../../sources/otlp-json/lexer.ts';
import { RequestDecoder } from '../../sources/otlp-protobuf/request.ts';

/** What a sender is told. `rejected`: records that could not be read; they need not be sent again. */
export type Receipt =
  | { readonly kind: 'kept'; readonly rejected: number; readonly why: string }
  /** Nothing of it was kept: to be sent again, later. */
  | { readonly kind: 'full' }
  /** Not OTLP at all. */
  | { readonly kind: 'refused'; readonly why: string };

export type Encoding = 'protobuf' | 'json';

/** Requests of any transport, whole and decompressed, into the sink. */
export class Receiver {
  private readonly name: string;
  private readonly sink: FeedSink;
  private requests = 0;

  constructor(name: string, sink: FeedSink) {
    this.name = name;
    this.sink = sink;
  }

  receive(bytes: Uint8Array, encoding: Encoding): Receipt {
    const out = new Output(this.name, 'otlp resource', this.requests++);
    try {
      if (encoding === 'protobuf') new RequestDecoder(out).request(bytes, { start: 0, end: bytes.length }, 0, false);
      else new DocumentDecoder(out).document(bytes, 0, bytes.length, 0);
    } catch (error) {
      if (!(error instanceof BrokenJson)) throw error;
      return { kind: 'refused', why: `broken JSON: ${error.message}` };
    }
    const { rejects } = out;
    // One request is one or none: a sender that is told to wait sends all of it again.
    if (!this.sink.take([...out.take(bytes.length, true)])) return { kind: 'full' };
    return {
      kind: 'kept',
      rejected: rejects,
      why: rejects === 0 ? '' : 'records that are no valid OTLP were counted and left out',
    };
  }
}

/** Response messages: Export*ServiceResponse with its partial success, which has the same fields for all signals. */
export function responseProtobuf({ rejected, why }: { readonly rejected: number; readonly why: string }): Buffer {
  if (rejected === 0) return Buffer.alloc(0);
  const text = Buffer.from(why);
  const partial = Buffer.concat([
    Buffer.from([0x08]),
    varint(rejected),
    Buffer.from([0x12]),
    varint(text.length),
    text,
  ]);
  return Buffer.concat([Buffer.from([0x0a]), varint(partial.length), partial]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

const rejectedName = { traces: 'rejectedSpans', metrics: 'rejectedDataPoints', logs: 'rejectedLogRecords' } as const;
export type Signal = keyof typeof rejectedName;
export const isSignal = (text: string): text is Signal => Object.hasOwn(rejectedName, text);

export const responseJson = (
  signal: Signal,
  { rejected, why }: { readonly rejected: number; readonly why: string },
): string =>
  JSON.stringify(
    rejected === 0 ? {} : { partialSuccess: { [rejectedName[signal]]: String(rejected), errorMessage: why } },
  );
