export const messages = {
  summary: 'rank root causes, in a case or in PowerTrace files',
  usage: [
    'faultline correlate CASE [--service S] [--at TIME] [options]',
    'faultline correlate --events F --traces F --topology F [options]',
    '  options: --window 5 --lag 60 --baseline 600 --confidence 0.6 --gpu-rate USD_PER_HR --output timeline|json|markdown (--json)',
    '  --baseline-of NAME: a data source of normal days, of any date, shows how much services vary; beside --events and others a FILE',
    '  --rates FILE: GPU prices (docs/rates.example.yaml); adds "costs" to the JSON',
    '  what if: --without-layer LAYER --without-event ID --shift SOURCE=+-SECONDS --move-feed ENTITY=SUPPLY[,INSTEAD_OF] (no SUPPLY: removed)',
  ].join('\n'),
  noInput: 'name a CASE, or --events, --traces and --topology',
  twoInputs: 'name either a CASE or files, not both',
  noZone: {
    message: (source: string, reason: string) => `${source}: ${reason}`,
    hint: 'add Z or an offset such as +02:00; Faultline never guesses a time zone',
  },
  nothingRead: (source: string | undefined, reason: string | undefined) =>
    `no record could be read; the first reject: ${source}: ${reason}`,
  skipped: (source: string, reason: string) => `skipped ${source}: ${reason}`,
  moreSkipped: (records: number) => `${records} more records skipped`,
  whatIf: {
    noEvent: '--without-event needs the id of an event',
    layer: (layers: string, given: string) => `--without-layer must be one of ${layers}, not "${given}"`,
    shift: (given: string) => `invalid --shift "${given}": write SOURCE=+-SECONDS`,
    moveFeed: (given: string) => `invalid --move-feed "${given}": write ENTITY=SUPPLY[,INSTEAD_OF]`,
  },
} as const;
