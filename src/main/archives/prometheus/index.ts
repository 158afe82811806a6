import { z } from 'zod';
import type { PullEstimate, TimeWindow } from '../../../model/storage/archive.ts';
import { passed } from '../../capture/connection-checks.ts';
import type { ArchiveKind, KindQuery } from '../archive-kind.ts';
import { httpPlan } from '../connection-plan.ts';
import { httpLogin } from '../http/login.ts';
import { namesMetric, oneOfMatcher, SELECTOR, withMatchers } from '../label-matchers.ts';
import { MILLISECOND, MOST_POINTS, PrometheusApi } from './api.ts';

const planSchema = httpPlan(
  'prometheus',
  {
    match: z
      .array(z.string().max(10_000).regex(SELECTOR, 'must be a selector of series: {job="dcgm"}, or up'))
      .min(1)
      .max(100)
      .default(['{__name__!=""}'])
      .describe('selectors of the series to pull; one series must not be in two of them'),
    step_s: z
      .number()
      .min(0.001)
      .max(86_400)
      .nullable()
      .default(null)
      .describe('value at every step, in seconds; null: samples as they were recorded'),
    exemplars: z.boolean().default(true).describe('pull exemplars, which lead from metrics to traces'),
    service_label: z
      .string()
      .regex(/^[a-zA-Z_]\w*$/)
      .default('job')
      .describe('label that --services selects by'),
  },
  {
    title: 'Prometheus',
    description: 'servers with the HTTP API of Prometheus: Prometheus, VictoriaMetrics, Mimir, Thanos',
  },
);

type PrometheusPlan = z.output<typeof planSchema>;

export const prometheusArchive: ArchiveKind<typeof planSchema> = {
  kind: 'prometheus',
  plan: planSchema,
  login: httpLogin,
  queries: async ({ plan, client, selection: { services, where } }) => {
    const api = new PrometheusApi(client);
    const matchers = [
      ...(services.length > 0 ? [oneOfMatcher(plan.service_label, services)] : []),
      ...(where === null ? [] : [where]),
    ];
    const selectors = plan.match.map((selector) => withMatchers(selector, matchers));
    return selectors.flatMap((selector) => [
      sampleQuery(api, selector, plan),
      ...(plan.exemplars ? [exemplarQuery(api, selector)] : []),
    ]);
  },
  probe: async (client, _plan, signal) => {
    await new PrometheusApi(client).instant('vector(1)', 10_000_000_000n, signal);
    return passed('values', 'it answers queries');
  },
};

function sampleQuery(api: PrometheusApi, selector: string, { step_s }: PrometheusPlan): KindQuery {
  const common = { format: 'prometheus-json', estimate: estimated(api, selector, step_s) };
  if (step_s === null)
    return {
      ...common,
      text: selector,
      grain_ns: MILLISECOND,
      documents: async function* (window, signal) {
        yield (await api.samples(selector, window, signal)).body;
      },
    };
  const step_ns = BigInt(Math.round(step_s * 1000)) * MILLISECOND;
  return {
    ...common,
    text: `${selector} every ${step_s} s`,
    grain_ns: step_ns,
    longest_ns: step_ns * MOST_POINTS,
    documents: async function* (window, signal) {
      yield (await api.steps(selector, window, step_ns, signal)).body;
    },
  };
}

const exemplarQuery = (api: PrometheusApi, selector: string): KindQuery => ({
  text: `exemplars of ${selector}`,
  format: 'prometheus-json',
  grain_ns: MILLISECOND,
  documents: async function* (window, signal) {
    yield (await api.exemplars(selector, window, signal)).body;
  },
});

/** A sample in an answer: its time, its value, and its share of the labels. */
const BYTES_PER_SAMPLE = 30;
const PROBED_S = 300;

/** Series at three instants of the window, times the samples of the metric with the most series. */
function estimated(api: PrometheusApi, selector: string, step_s: number | null) {
  return async ({ from_ns, until_ns }: TimeWindow, signal: AbortSignal): Promise<PullEstimate> => {
    const length_s = Number((until_ns - from_ns) / MILLISECOND) / 1000;
    const last_ns = until_ns - MILLISECOND;
    const instants = [from_ns, (from_ns + last_ns) / 2n, last_ns];
    const counted = await Promise.all(
      instants.map((at_ns) => api.instant(`count by (__name__) (${selector})`, at_ns, signal)),
    );
    const totals = counted.map((metrics) => metrics.reduce((sum, { value }) => sum + value, 0));
    const series = Math.max(...totals);
    // There may be series between these instants.
    if (series === 0) return { rows: null, bytes: null };
    const at = totals.indexOf(series);
    const { labels } = counted[at]!.reduce((most, one) => (one.value > most.value ? one : most));
    const metric = namesMetric(selector)
      ? selector
      : withMatchers(selector, [`__name__=${JSON.stringify(labels['__name__'] ?? '')}`]);
    const perSeries =
      step_s === null ? await api.instant(`avg(count_over_time(${metric}[${PROBED_S}s]))`, instants[at]!, signal) : [];
    const perSecond = step_s === null ? (perSeries[0]?.value ?? 0) / PROBED_S : 1 / step_s;
    const rows = Math.ceil(series * length_s * perSecond);
    return { rows, bytes: rows * BYTES_PER_SAMPLE };
  };
}
