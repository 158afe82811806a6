/**
 * `89`, `4.3`, `0.12`, `> 99`: a share in percent as people read it, without the sign. Two digits are what the requests of one
 * interval allow; a share of less than all never reads as all.
 */
export function percentText(percent: number): string {
  if (percent > 99 && percent < 100) return '> 99';
  return String(Number(percent.toPrecision(percent >= 100 ? 3 : 2)));
}
