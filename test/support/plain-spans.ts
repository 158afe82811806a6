import { message, request } from './otlp-wire.ts';

const START_NS = 1_700_000_000_000_000_000n;
const PER_REQUEST = 500;

/** Numbers are patched into one encoded request: hundreds of thousands of spans take a moment. */
const TRACE = 0x7171_7171_7171_7171n;
const SPAN = 0x7272_7272_7272_7272n;
const FROM = 0x7373_7373_7373_7373n;
const TO = 0x7474_7474_7474_7474n;

/**
 * `count` spans without attributes as length-delimited protobuf, a millisecond apart. Equal arguments make equal bytes,
 * another `series` makes other traces in another hour.
 */
export function plainSpans(count: number, series: number): Buffer {
  const template = encodedRequest();
  const places = [TRACE, SPAN, FROM, TO].map((mark) => placesOf(template, mark));
  const requests: Buffer[] = [];
  for (let first = 0; first < count; first += PER_REQUEST) {
    const bytes = Buffer.from(template);
    for (let i = 0; i < PER_REQUEST; i++) {
      const number = BigInt(series * 10_000_000 + first + i);
      const start = START_NS + BigInt(series) * 3_600_000_000_000n + BigInt(first + i) * 1_000_000n;
      for (const [kind, value] of [number / 8n + 1n, number + 1n, start, start + 500_000n].entries())
        bytes.writeBigUInt64LE(value, places[kind]![i]!);
    }
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    requests.push(length, bytes);
  }
  return Buffer.concat(requests);
}

function encodedRequest(): Buffer {
  const id = (...halves: readonly bigint[]) => {
    const bytes = Buffer.alloc(8 * halves.length);
    for (const [i, half] of halves.entries()) bytes.writeBigUInt64LE(half, 8 * i);
    return bytes;
  };
  const span = message([
    [1, id(0x1n, TRACE)],
    [2, id(SPAN)],
    [5, 'GET /v1/models'],
    [6, 2],
    [7, FROM, 'fixed64'],
    [8, TO, 'fixed64'],
  ]);
  return request(Array(PER_REQUEST).fill(span), [
    [
      1,
      [
        [1, 'service.name'],
        [2, [[1, 'plain']]],
      ],
    ],
  ]);
}

function placesOf(bytes: Buffer, mark: bigint): number[] {
  const sought = Buffer.alloc(8);
  sought.writeBigUInt64LE(mark);
  const places: number[] = [];
  for (let at = bytes.indexOf(sought); at >= 0; at = bytes.indexOf(sought, at + 8)) places.push(at);
  return places;
}
