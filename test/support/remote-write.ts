import { type Field, message, packed } from './otlp-wire.ts';

/** A series with samples, as both versions of remote write have it. */
export interface Sent {
  /** With `__name__`. */
  readonly labels: Readonly<Record<string, string>>;
  /** Milliseconds and value. */
  readonly samples: readonly (readonly [at: number, value: number])[];
}

/** Fields of a message `Sample`. */
export const sampleFields = (at: number, value: number): readonly Field[] => [
  [1, value, 'double'],
  [2, BigInt(at)],
];
const samplesOf = ({ samples }: Sent): Field[] => samples.map(([at, value]) => [2, sampleFields(at, value)]);
const sorted = ({ labels }: Sent): [string, string][] => Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
export const labelField = (name: string, value: string): Field => [
  1,
  [
    [1, name],
    [2, value],
  ],
];

/** `prometheus.WriteRequest`. */
export const writeRequest = (sent: readonly Sent[]): Buffer =>
  message(
    sent.map((one): Field => [1, [...sorted(one).map(([name, value]) => labelField(name, value)), ...samplesOf(one)]]),
  );

/** `io.prometheus.write.v2.Request`: labels refer to a table of symbols. */
export function writeRequest2(
  sent: readonly Sent[],
  more: (symbol: (text: string) => number) => Field[] = () => [],
): Buffer {
  const symbols = new Map([['', 0]]);
  const symbol = (text: string): number => {
    if (!symbols.has(text)) symbols.set(text, symbols.size);
    return symbols.get(text)!;
  };
  const series = sent.map((one): Field => {
    const refs = sorted(one).flatMap(([name, value]) => [symbol(name), symbol(value)]);
    return [5, [[1, packed(refs, 'varint')], ...samplesOf(one), ...more(symbol)]];
  });
  return message([...[...symbols.keys()].map((text): Field => [4, text]), ...series]);
}

/** A snappy block that only has literals, of up to 64 KiB. */
export function snappyBlock(bytes: Uint8Array): Buffer {
  const length = (size: number): number[] => (size < 128 ? [size] : [(size % 128) | 128, ...length(size >>> 7)]);
  const literals = [];
  for (let at = 0; at < bytes.length; at += 65_536) {
    const part = bytes.subarray(at, at + 65_536);
    literals.push(Buffer.from([61 << 2, (part.length - 1) & 255, (part.length - 1) >> 8]), part);
  }
  return Buffer.concat([Buffer.from(length(bytes.length)), ...literals]);
}
