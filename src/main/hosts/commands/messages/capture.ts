export const messages = {
  summary: 'record live feeds into a case, until Ctrl-C or for a duration',
  usage: [
    'faultline capture PLAN.yaml --case CASE [--duration 10m] [--json]',
    'faultline capture PLAN.yaml --test [--json]',
    '  --test checks every feed and every push step by step, and records nothing',
    '  a plan lists feeds:  feeds: [{kind: otlp, grpc: "127.0.0.1:4317", http: "127.0.0.1:4318"}, {kind: rapl, every_s: 1}]',
  ].join('\n'),
  invalidDuration: (duration: string) => `invalid --duration "${duration}": write 90s, 10m, 2h or 1d`,
  planUnreadable: {
    message: (path: string) => `the plan ${path} cannot be read`,
    hint: 'check the path',
  },
  testsFailed: {
    message: (failed: number, all: number) => `${failed} of ${all} tests did not pass`,
    hint: 'see the hint of each failed step above',
  },
  passed: 'ok',
  failed: 'FAILED',
  check: (name: string, step: string, result: string, detail: string) => `${name}: ${step} ${result}, ${detail}`,
  recording: (feeds: string, name: string) => `recording ${feeds} into ${name}; Ctrl-C ends it`,
  state: (time: string, name: string, state: string, reason: string) => `${time} ${name}: ${state}, ${reason}`,
  notice: (time: string, text: string) => `${time} notice: ${text}`,
  disk: {
    full: 'the disk is full: rows are buffered in memory, and senders must wait; make room',
    written: 'there is room again: the buffered rows are written',
  },
  rowsWritten: (rows: number) => `${rows} rows written`,
  rowsOf: (feed: string, rows: number) => `${feed}: ${rows} rows`,
  lost: (records: number) => `, ${records} records lost`,
  ending: 'completing the case; Ctrl-C ends at once, and the next opening completes the case',
} as const;
