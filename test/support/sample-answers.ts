const EVERY_MS = 15_000;
const SERIES = 5;

const answered = (data: unknown): string => JSON.stringify({ status: 'success', data });

const value = (time_ms: number, series: number): string => String(((time_ms / EVERY_MS) * (series + 7)) % 1000);

/** The samples of `dcgm_power` of five GPUs at every 15 s, as `/api/v1/query` of a range selector answers them. */
export function samplesOf(body: string): string {
  const form = new URLSearchParams(body);
  const query = form.get('query') ?? '';
  const at_ms = Math.round(Number(form.get('time')) * 1000);
  const [, range] = /\[(\d+)ms\]$/.exec(query) ?? [];
  const vector = (number: number) =>
    answered({ resultType: 'vector', result: [{ metric: { __name__: 'power' }, value: [0, String(number)] }] });
  if (query.startsWith('count_over_time(vector')) return vector(1);
  if (range === undefined) return vector(query.startsWith('count by') ? SERIES : 20);
  const first_ms = Math.floor((at_ms - Number(range)) / EVERY_MS) * EVERY_MS + EVERY_MS;
  const result = Array.from({ length: SERIES }, (_, series) => {
    const values: unknown[] = [];
    for (let time_ms = first_ms; time_ms <= at_ms; time_ms += EVERY_MS)
      values.push([time_ms / 1000, value(time_ms, series)]);
    return { metric: { __name__: 'power', gpu: String(series), Hostname: 'h100-1' }, values };
  });
  return answered({ resultType: 'matrix', result: result.filter(({ values }) => values.length > 0) });
}

/** Of a quarter of an hour by slices of a minute. */
export const samplePlan = (url: string, more = ''): string =>
  `kind: prometheus\nurl: ${url}\nexemplars: false\nslice_s: 60\nrequests_per_s: 1000\n${more}`;

export const isSamples = (body: string): boolean => /ms%5D|ms\]/.test(body);
