export const messages = {
  summary: 'pull a time window out of an archive (ClickHouse, Prometheus, Loki, Tempo, a bucket ...) into a case',
  usage: [
    'faultline pull CASE ARCHIVE.yaml --from TIME [--to TIME] [--services a,b] [--where CONDITION] [--keep] [--json]',
    'faultline pull CASE ARCHIVE.yaml --from TIME [--to TIME] --plan [--json]',
    'faultline pull ARCHIVE.yaml --test [--json]',
    '  times are 2024-01-15T14:00:00Z, now, or so long ago: 90m, 6h, 2d; --to is now where it is left out',
    '  --plan shows what would be pulled, as the archive estimates it, and pulls nothing',
    '  what the case has already is not pulled again; Ctrl-C keeps whole slices, and the next pull continues',
  ].join('\n'),
  window: (archive: string, from: string, until: string) => `${archive}: ${from} until ${until}`,
  planned: (slices: number, rows: string, bytes: string) => `${slices} slices, ${rows}, ${bytes}`,
  more: (queries: number, slices: number, bytes: string) =>
    `and ${queries} more queries: ${slices} slices, about ${bytes}`,
  aboutRows: (rows: number) => `about ${rows} rows`,
  aboutBytes: (size: string) => `about ${size}`,
  unknownRows: 'rows unknown',
  unknownBytes: 'size unknown',
  present: (percent: string) => `; ${percent} is in the case`,
  progress: (done: number, slices: number, rows: number) => `${done} of ${slices} slices, ${rows} rows`,
  left: (seconds: number) => `, ${seconds} s left`,
  repeated: (repeats: number, reason: string) => `, ${repeats} requests repeated: ${reason}`,
  slice: (query: string, from: string, until: string) => `${query}, ${from} until ${until}`,
  notPulled: (slice: string, reason: string) => `not pulled: ${slice}: ${reason}`,
  done: (pulled: number, rows: number) => `${pulled} slices pulled, ${rows} rows`,
  cancelled: (pulled: number) => `cancelled after ${pulled} slices`,
  incomplete: {
    message: (failed: number, left: number) =>
      `${failed} slices could not be pulled${left > 0 ? `, and ${left} were not asked for any more` : ''}`,
    hint: 'whole slices are in the case; pull again to ask for the missing ones only',
  },
} as const;
