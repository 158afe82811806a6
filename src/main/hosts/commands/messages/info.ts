export const messages = {
  summary: 'sources, clocks, row counts, rejects, time range and layers of a case',
  usage: 'faultline info CASE [--rejects] [--json]',
  rejectReason: (source: string, rows: number, reason: string) =>
    `rejects  ${source}: ${rows} ${rows === 1 ? 'row' : 'rows'}: ${reason}`,
  reject: (source: string, file: string | null, at: number, reason: string) =>
    `reject  ${source}${file === null ? '' : `, ${file}`}  at ${at}: ${reason}`,
  labels: {
    case: 'case',
    recorded: 'recorded',
    rows: 'rows',
    rejects: 'rejects',
    layers: 'layers',
    sources: 'sources',
  },
  case: (name: string, schema: number) => `${name} (schema ${schema})`,
  range: (from: string, to: string) => `${from} to ${to}`,
  none: 'none',
  layersMissing: (layers: string) => `  (not recorded: ${layers})`,
  clockSet: (seconds: number) => `  clock ${seconds} s`,
  clock: (estimate: string) => `clock: ${estimate}`,
} as const;
