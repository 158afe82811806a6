/** Up to here a microsecond's double distinguishes nanoseconds, also after an addition: 13 days from where they are counted. */
export const EXACT_NS = 2 ** 50;

/**
 * Nanoseconds as microseconds of JSON. Readers multiply by 1000 and either round or cut: where cutting would lose a nanosecond
 * (1.001 times 1000 is 1000.9999999999999) a further digit, far below one, keeps it.
 */
export function microsText(ns: number): string {
  const sign = ns < 0 ? '-' : '';
  const size = Math.abs(ns);
  const whole = Math.floor(size / 1000);
  const rest = size - whole * 1000;
  if (rest === 0) return `${sign}${whole}`;
  const text = `${whole}.${String(rest).padStart(3, '0')}`;
  for (let digit = 0; digit < 10; digit++) {
    const candidate = digit === 0 ? text : `${text}${digit}`;
    if (Math.trunc(Number(candidate) * 1000) === size) return `${sign}${candidate.replace(/0+$/, '')}`;
  }
  return `${sign}${text}`;
}
