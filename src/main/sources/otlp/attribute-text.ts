import { TextBuilder } from '../../../model/rows/batch-builder.ts';
import { utf8 } from './utf8.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const FAULTLINE = bytesOf('faultline.');
const EVENT_NAME = bytesOf('event.name');
const TRACE = bytesOf('trace');
const OTEL_TRACE = bytesOf('otelTrace');
const KUBERNETES_EVENT = bytesOf('k8s.event.');

const startsWith = (bytes: Uint8Array, at: number, prefix: Uint8Array): boolean => {
  for (let i = 0; i < prefix.length; i++) if (bytes[at + i] !== prefix[i]) return false;
  return true;
};

/** 1 for the first bytes of keys that {@link AttributeText.notice} looks at. */
export const noticed = new Uint8Array(256);
for (const key of [FAULTLINE, EVENT_NAME, KUBERNETES_EVENT, TRACE, OTEL_TRACE]) noticed[key[0]!] = 1;

/**
 * Attributes under construction as JSON object text: decoders render key and value, this puts the braces and
 * commas and notices the few keys that mean something for the record as a whole.
 */
export class AttributeText {
  text: TextBuilder = new TextBuilder();
  mark = 0;
  /** A key `event.name` or `faultline.*` was seen. */
  remarkable = false;
  /** A key `k8s.event.*` was seen. */
  isKubernetesEvent = false;
  /** A key `trace...` or `otelTrace...` was seen: it may name the span that wrote the record. */
  namesTrace = false;

  /** Starts an object in `text` at its present end. */
  begin(text: TextBuilder): void {
    this.text = text;
    this.mark = text.length;
    this.remarkable = false;
    this.isKubernetesEvent = false;
    this.namesTrace = false;
  }

  /** Puts what separates the next pair from what is there. */
  separate(): void {
    const text = this.text;
    text.reserve(1)[text.length] = text.length === this.mark ? 0x7b : 0x2c;
    text.length++;
  }

  /** Looks at the key of the pair just begun. */
  notice(bytes: Uint8Array, start: number, end: number): void {
    const first = bytes[start];
    if (first === 0x74 && end - start >= TRACE.length) this.namesTrace ||= startsWith(bytes, start, TRACE);
    if (end - start < 10) return;
    if (first === 0x6f) this.namesTrace ||= startsWith(bytes, start, OTEL_TRACE);
    if (first === 0x66) this.remarkable ||= startsWith(bytes, start, FAULTLINE);
    else if (first === 0x6b) this.isKubernetesEvent ||= startsWith(bytes, start, KUBERNETES_EVENT);
    else if (first === 0x65 && end - start === 10) this.remarkable ||= startsWith(bytes, start, EVENT_NAME);
  }

  /** Adds a pair with a count as value, for OTLP fields that have no column. */
  addCount(key: string, value: number): void {
    if (value === 0) return;
    this.separate();
    this.text.append(`"${key}":${value}`);
  }

  end(): void {
    if (this.text.length === this.mark) return;
    this.text.reserve(1)[this.text.length] = 0x7d;
    this.text.length++;
  }

  /** The object's text so far. */
  toString(): string {
    return utf8.decode(this.text.bytes.subarray(this.mark, this.text.length));
  }
}
