const MAX_NS = 2n ** 63n - 1n;

/**
 * Microseconds, whole or with a fraction, as nanoseconds; undefined when the value is no number or out of range.
 * Whole part and fraction go separate ways: today's microseconds times 1000 no longer fit a double exactly.
 */
export function microsToNanos(value: unknown): bigint | undefined {
  const micros = typeof value === 'string' && /^\d{1,19}$/.test(value) ? BigInt(value) : value;
  if (typeof micros === 'bigint') return within(micros * 1000n);
  if (typeof micros !== 'number' || !Number.isFinite(micros) || Math.abs(micros) > 9.3e15) return undefined;
  const whole = Math.floor(micros);
  return within(BigInt(whole) * 1000n + BigInt(Math.round((micros - whole) * 1000)));
}

const within = (nanos: bigint): bigint | undefined => (nanos >= 0n && nanos <= MAX_NS ? nanos : undefined);
