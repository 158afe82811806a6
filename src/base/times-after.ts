/** Times after an origin, nanoseconds, worked out from their halves: a bigint for each took most of the time. */
export function writeAfter(times: BigInt64Array, origin_ns: bigint, after: Float64Array): void {
  const halves = new DataView(new ArrayBuffer(8));
  halves.setBigInt64(0, origin_ns, true);
  const [low, high] = [halves.getUint32(0, true), halves.getInt32(4, true)];
  const lows = new Uint32Array(times.buffer, times.byteOffset, 2 * times.length);
  const highs = new Int32Array(times.buffer, times.byteOffset, 2 * times.length);
  for (let i = 0; i < times.length; i++) after[i] = (highs[2 * i + 1]! - high) * 2 ** 32 + (lows[2 * i]! - low);
}
