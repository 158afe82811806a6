const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Seconds of `90s`, `10m`, `1.5h`, `2d`; of a bare number, too. null: it is none of these. */
export function lengthOf(text: string): number | null {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(text) ?? [];
  return amount === undefined ? null : Number(amount) * units[unit === '' ? 's' : unit]!;
}
