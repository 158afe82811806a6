/** One line per budget: the figure, the budget, and what it is compared with in the same run. */
export function print(what: string, figure: string, against: string): void {
  console.log(`${what.padEnd(44)} ${figure.padStart(18)}   ${against}`);
}

export const perSecond = (count: number, milliseconds: number): number => (count / milliseconds) * 1000;
export const thousands = (value: number): string => Math.round(value).toLocaleString('en');
export const versus = (value: number, budget: number): string =>
  `${value >= budget ? 'meets' : 'MISSES'} the budget of ${thousands(budget)} (x ${(value / budget).toFixed(2)})`;
export const within = (value: number, budget: number, unit: string): string =>
  `${value <= budget ? 'meets' : 'MISSES'} the budget of ${thousands(budget)} ${unit} (x ${(value / budget).toFixed(2)})`;

export async function timed<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
  const from = performance.now();
  const value = await work();
  return { value, ms: performance.now() - from };
}

export const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
