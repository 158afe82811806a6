/** Texts that several commands share. */
export const messages = {
  missing: (what: string) => `${what} is missing`,
  notANumber: (option: string, value: string) => `--${option} needs a number, not "${value}"`,
  notOneOf: (option: string, allowed: string, value: string) => `--${option} must be one of ${allowed}, not "${value}"`,
  invalidTime: (name: string, given: string) =>
    `invalid --${name} "${given}": write 2024-01-15T14:00:00Z, now, or so long ago: 90m, 6h, 2d`,
  noThresholds: (path: string) => `there is no file ${path}`,
  thresholdsChanged: (changed: string) => `thresholds changed: ${changed}`,
  noRows: 'no rows',
  firstToName: (counts: string) => `first to name: ${counts}`,
  rejects: (count: number) => `${count} ${count === 1 ? 'reject' : 'rejects'}`,
  rows: (count: number | undefined) => `${count} rows`,
  megabytes: (size: string) => `${size} MiB`,
  percent: (share: number) => `${share} %`,
  wrote: (target: string, what: string) => `wrote ${target}: ${what}`,
} as const;
