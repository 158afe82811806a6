import { z } from 'zod';
import { fail } from '../../../model/problem.ts';
import type { PullEstimate, TimeWindow } from '../../../model/storage/archive.ts';
import { passed } from '../../capture/connection-checks.ts';
import type { ArchiveKind, KindQuery } from '../archive-kind.ts';
import { httpPlan } from '../connection-plan.ts';
import type { ArchiveClient, Members } from '../http/archive-client.ts';
import { httpLogin } from '../http/login.ts';
import { oneOfMatcher, SELECTOR, withMatchers } from '../label-matchers.ts';
import { before, linesOf } from './answer.ts';

const planSchema = httpPlan(
  'loki',
  {
    match: z
      .array(z.string().max(10_000).regex(SELECTOR, 'must be a stream selector: {namespace="train"}'))
      .min(1)
      .max(100)
      .default(['{service_name=~".+"}'])
      .describe('stream selectors of the logs to pull; one stream must not be in two of them'),
    service_label: z
      .string()
      .regex(/^[a-zA-Z_]\w*$/)
      .default('service_name')
      .describe('label that --services selects by'),
    page_lines: z
      .number()
      .int()
      .min(2)
      .max(100_000)
      .default(5000)
      .describe('lines of one answer, at most max_entries_limit_per_query of the server'),
  },
  { title: 'Loki', description: 'logs of servers with the HTTP API of Loki' },
);

type LokiPlan = z.output<typeof planSchema>;

/** Loki (https://grafana.com/docs/loki/latest/reference/loki-http-api/). */
export const lokiArchive: ArchiveKind<typeof planSchema> = {
  kind: 'loki',
  plan: planSchema,
  login: httpLogin,
  queries: async ({ plan, client, selection: { services, where } }) => {
    const matchers = services.length > 0 ? [oneOfMatcher(plan.service_label, services)] : [];
    return plan.match.map((one): KindQuery => {
      const selector = withMatchers(one, matchers);
      const text = where === null ? selector : `${selector} ${where}`;
      return {
        text,
        format: 'log-answers',
        grain_ns: 1n,
        estimate: (window, signal) => estimated(client, selector, window, signal),
        documents: (window, signal) => pages(client, plan, text, window, signal),
      };
    });
  },
  probe: async (client, _plan, signal) => {
    const { members } = await client.json(
      { path: '/loki/api/v1/labels' },
      ({ status }) => status === 'success',
      signal,
    );
    const { data } = members;
    return passed('values', `${Array.isArray(data) ? data.length : 0} labels`);
  },
};

const tooLarge = /exceeds? the (?:limit|maximum)|too (?:many|large|far)|limit reached/i;

async function estimated(
  client: ArchiveClient,
  query: string,
  { from_ns, until_ns }: TimeWindow,
  signal: AbortSignal,
): Promise<PullEstimate> {
  const range = { query, start: String(from_ns), end: String(until_ns) };
  const isStatistics = ({ entries }: Members) => typeof entries === 'number';
  const { members } = await client.json({ path: '/loki/api/v1/index/stats', query: range }, isStatistics, signal);
  const { entries, bytes } = members;
  return { rows: Number(entries), bytes: typeof bytes === 'number' ? bytes : null };
}

const isStreams = ({ status, data }: Members): boolean => {
  const { resultType, result } = (data ?? {}) as Members;
  return status === 'success' && resultType === 'streams' && Array.isArray(result);
};

/**
 * A full page may end within lines of equal time: those of its last time are left to the next page, which begins with them.
 */
async function* pages(
  client: ArchiveClient,
  { page_lines }: LokiPlan,
  text: string,
  { from_ns, until_ns }: TimeWindow,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  // Metadata of a line stay apart from the labels of its stream.
  const headers = { 'x-loki-response-encoding-flags': 'categorize-labels' };
  const common = { path: '/loki/api/v1/query_range', headers, tooLarge };
  for (let start_ns = from_ns; ; ) {
    const range = { start: String(start_ns), end: String(until_ns), limit: String(page_lines), direction: 'forward' };
    const { body, members } = await client.json({ ...common, query: { query: text, ...range } }, isStreams, signal);
    const { count, last_ns } = linesOf(members);
    if (count < page_lines || last_ns === undefined) {
      yield body;
      return;
    }
    if (last_ns >= until_ns) fail('archive.refused', `${client.base}: it answers lines after the end of the slice`);
    if (last_ns <= start_ns)
      fail(
        'archive.slice_too_large',
        `${count} lines have the same time: raise page_lines, and the limit of the server`,
      );
    yield Buffer.from(`${JSON.stringify(before(members, last_ns))}\n`);
    start_ns = last_ns;
  }
}
