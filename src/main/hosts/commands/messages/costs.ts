export const messages = {
  summary: 'what requests took of the GPUs that serve them, by model, tenant, route and hour',
  usage:
    'faultline costs CASE [--by service|model|tenant|route|hour] [--from TIME] [--to TIME] [--rates FILE | --gpu-rate N] [--csv | --json]',
  nothing:
    'no spans of requests in this time, and only of spans the GPU time is known; metrics and logs may count requests',
  notRecorded: 'not recorded',
  served: (service: string, serving: string, types: string) => `${service}: ${serving} (${types})`,
  type: (gpus: number, model: string, rate: string) => `${gpus} x ${model}, ${rate}`,
  unknownModel: 'model unknown',
  noRate: 'no rate',
  rate: (price: string, source: string, date: string) => `${price}, ${source}${date === '' ? '' : `, ${date}`}`,
  idle: (percent: string, cost: string) => `  without a request ${percent} of the time: ${cost}`,
  truncated: 'more lines than are listed',
  gpuSeconds: 'GPU s',
  columns: ['service', 'by', 'value', 'requests', 'GPU time', 'cost', 'per request', 'per 1,000 tokens'],
} as const;
