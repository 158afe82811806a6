import { Malformed, type WireReader } from '../bytes/protobuf-wire.ts';

const LAST_MS = (2n ** 63n - 1n) / 1_000_000n;

/** Times are nanoseconds since 1970; a `start_ns` of 0 is unknown. */
export interface WrittenSample {
  readonly time_ns: bigint;
  readonly start_ns: bigint;
  readonly value: number;
}

/** An int64 of milliseconds as nanoseconds. */
export function timeOf(wire: WireReader, end: number): bigint {
  const at = wire.position;
  wire.varint(end);
  const milliseconds = BigInt.asIntN(64, (BigInt(wire.high) << 32n) | BigInt(wire.low));
  if (milliseconds > LAST_MS || milliseconds < -LAST_MS) throw new Malformed(at, 'a time that is out of range');
  return milliseconds * 1_000_000n;
}

/** Whether the double that follows marks the end of a series: a NaN of its own (staleness marker). */
export function isStale(wire: WireReader, end: number): boolean {
  const { position } = wire;
  wire.fixed64Halves(end);
  wire.position = position;
  return wire.high === 0x7ff0_0000 && wire.low === 2;
}

/** A message `Sample`; undefined for the mark that the series ended. */
export function readSample(wire: WireReader, end: number): WrittenSample | undefined {
  let [value, time_ns, start_ns, ended] = [0, 0n, 0n, false];
  while (wire.position < end) {
    const key = wire.key(end);
    if (key === 0x09) {
      ended = isStale(wire, end);
      value = wire.double(end);
    } else if (key === 0x10) time_ns = timeOf(wire, end);
    else if (key === 0x18) start_ns = timeOf(wire, end);
    else wire.skip(key, end);
  }
  return ended ? undefined : { value, time_ns, start_ns };
}
