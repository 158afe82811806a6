export const messages = {
  summary: 'find traces in TraceQL',
  usage: [
    "faultline traces CASE 'TRACEQL' [--from TIME] [--to TIME] [--order slowest|earliest|most_matched] [--limit 100] [--json]",
    "  for example '{status = error}', '{name =~ \"HTTP.*\" && duration > 500ms}', '{db.duration_ms > 50}'",
    'faultline traces CASE --cost-of TRACE_ID [--rates FILE] [--json]',
    '  GPU time and cost of one trace (docs/report.md, Cost)',
  ].join('\n'),
  truncated: (shown: number, all: number, order: string) =>
    `${shown} of ${all} traces shown (${order}); --limit shows more`,
  counted: (spans: number, traces: number) => `${spans} spans in ${traces} traces`,
  columns: {
    trace: 'trace',
    start: 'start',
    duration: 'duration ms',
    spans: 'spans',
    errors: 'errors',
    matched: 'matched',
    longest: 'longest ms',
    root: 'root',
  },
  root: (service: string, name: string) => `${service}: ${name}`,
  unknownService: 'unknown service',
  unnamed: 'unnamed',
  noRoot: (earliest: string) => `${earliest} (earliest span; no root was recorded)`,
  cost: {
    gpuSeconds: 'GPU-seconds',
    parallel: (requests: string) => `${requests} parallel requests`,
    perTokens: (cost: string) => `${cost} per 1,000 tokens`,
    unknown: (why: string) => `unknown (${why})`,
    total: (time: string, cost: string) => `total: ${time}, cost ${cost}`,
  },
} as const;
