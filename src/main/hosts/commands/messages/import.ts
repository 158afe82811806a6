export const messages = {
  summary: 'import recorded files into a case; creates the case if needed',
  usage: [
    'faultline import CASE FILE... [--as FORMAT] [--zone ZONE] [--date-order ORDER] [--year YEAR] [--device NAME] [--clock SOURCE=+-SECONDS] [--map COLUMNS] [--keep] [--force] [--dry-run] [--json]',
    '  --date-order  order of dates such as 05/01/2026: day-first, month-first or year-first',
    '  --year        year of the first time, for files whose times have none; --dry-run shows what files leave open',
    '  --keep   keep files with mostly unreadable records, without a prompt',
    '  --force  import files again that are already in the case',
  ].join('\n'),
  invalidClock: (given: string) => `invalid --clock "${given}": write SOURCE=+-SECONDS`,
  invalidMap: (pair: string) => `invalid --map "${pair}": write TABLE,NAME=COLUMN[:UNIT],...`,
  invalidOrder: (given: string, known: string) => `invalid --date-order "${given}": write one of ${known}`,
  invalidYear: (given: string) => `invalid --year "${given}": write four digits`,
  invalidTable: '--map must begin with one of span, log, metric, event, edge',
  cancelled: (files: number) =>
    `cancelled: ${files === 1 ? 'the file imported before stays' : `the ${files} files imported before stay`} in the case, the rest is not imported`,
  /** What `--dry-run` prints of a file. */
  found: {
    unknown: (name: string, reason: string) => `unknown   ${name}: ${reason}`,
    noFormat: 'no known format',
    files: (count: number) => `${count} files, `,
    timeOf: (line: string) => `  the time of "${line}" can be`,
    reading: (clock: string, option: string, isGuess: boolean) =>
      `    ${clock}  ${option}${isGuess ? '  (guess)' : ''}`,
    captured: (from: string | null, time: string) => `, ${from} ${time}`,
  },
  progress: {
    bytes: (done: string, total: string) => `${done} of ${total}`,
    rows: (rows: number, perSecond: number) => `${rows} rows, ${perSecond} rows/s`,
    left: (seconds: number) => `, ${seconds} s left`,
  },
  imported: (name: string, format: string, rows: string) => `imported ${name} (${format}): ${rows}`,
  skipped: (file: string, reason: string) => `skipped  ${file}: ${reason}`,
  refused: (file: string, reason: string) => `refused  ${file}: ${reason}`,
  /** What to add to the command so that it imports the file. */
  hints: {
    duplicate: 'not imported; --force imports it again',
    mostlyRejected: 'not imported; --keep imports the readable records',
  },
  /** The prompt for a file of which most records could not be read; the answers are y, a and s. */
  prompt: {
    rejects: (file: string, rejects: number, records: number) =>
      `${file}: ${rejects} of ${records} records could not be read`,
    reason: (count: number, reason: string) => `${count} x ${reason}`,
    keep: 'Keep the rest of it?',
    answers: 'y/N',
    answersForAll: 'y/N, a: yes to all that follow, s: no to all that follow',
  },
} as const;
