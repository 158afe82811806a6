export const messages = {
  summary: 'where the time of requests for a model went (queue, prefill, decode ...), against before',
  usage: `faultline stages CASE [--from TIME] [--to TIME] [--json]
  without times: the strongest incident, else the whole recording`,
  none: 'no span and no metric shows stages of requests in this time',
  during: (from: string, to: string) => `${from} to ${to}`,
  baseline: {
    none: 'before: too few requests are recorded',
    before: (from: string, to: string) => `before: ${from} to ${to}`,
    hour: (from: string, to: string, days: number) =>
      `before: the same hour of ${days} days, the last ${from} to ${to}`,
  },
  columns: ['service', 'model', 'stage', 'before', 'now', 'change', 'requests', 'from'],
  unknown: 'unknown',
  seconds: (seconds: number) => `${Number(seconds.toPrecision(3))} s`,
  times: (times: number) => `x ${Number(times.toPrecision(2))}`,
  spans: 'spans: median',
  metrics: 'metrics: mean of all requests',
  computed: 'computed from metrics: mean of all requests',
} as const;
