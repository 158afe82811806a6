import { z } from 'zod';
import type { PullEstimate, TimeWindow } from '../../../model/storage/archive.ts';
import { passed } from '../../capture/connection-checks.ts';
import type { ArchiveKind, KindQuery } from '../archive-kind.ts';
import { httpPlan } from '../connection-plan.ts';
import type { ArchiveClient, Members } from '../http/archive-client.ts';
import { httpLogin } from '../http/login.ts';
import { PointInTime } from './point-in-time.ts';

const MILLISECOND = 1_000_000n;

const planSchema = httpPlan(
  'elasticsearch',
  {
    index: z
      .string()
      .regex(/^[^/\\?"<>| #]{1,500}$/, 'must be an index, an alias or a pattern: logs-*')
      .describe('index, alias, data stream or pattern of the logs: logs-*'),
    time_field: z.string().min(1).max(500).default('@timestamp').describe('field with the time of a document'),
    service_field: z
      .string()
      .min(1)
      .max(500)
      .default('service.name')
      .describe('keyword field that --services selects by'),
    page_documents: z.number().int().min(1).max(10_000).default(2000).describe('documents of one answer'),
  },
  { title: 'Elasticsearch', description: 'logs in Elasticsearch (7.12 or later) or OpenSearch (2.4 or later)' },
);

type ElasticsearchPlan = z.output<typeof planSchema>;

/** Elasticsearch and OpenSearch: search with a point in time (https://www.elastic.co/docs/api/doc/elasticsearch/group/endpoint-search). */
export const elasticsearchArchive: ArchiveKind<typeof planSchema> = {
  kind: 'elasticsearch',
  plan: planSchema,
  login: httpLogin,
  queries: async ({ plan, client, selection: { services, where } }): Promise<KindQuery[]> => {
    const filters = [
      ...(services.length > 0 ? [{ terms: { [plan.service_field]: services } }] : []),
      ...(where === null ? [] : [{ query_string: { query: where } }]),
    ];
    const time = plan.time_field === '@timestamp' ? [] : [`by ${plan.time_field}`];
    const text = [plan.index, ...time, ...filters.map((filter) => JSON.stringify(filter))].join(' ');
    const search = { client, plan, filters };
    return [
      {
        text,
        format: 'log-answers',
        grain_ns: MILLISECOND,
        estimate: (window, signal) => estimated(search, window, signal),
        documents: (window, signal) => pages(search, window, signal),
      },
    ];
  },
  probe: async (client, plan, signal) => {
    const count = await counted(client, plan.index, { match_all: {} }, signal);
    return passed('values', `${count} documents in ${plan.index}`);
  },
};

interface Search {
  readonly client: ArchiveClient;
  readonly plan: ElasticsearchPlan;
  readonly filters: readonly object[];
}

function queryOf({ plan: { time_field }, filters }: Search, { from_ns, until_ns }: TimeWindow): object {
  const range = {
    gte: Number(from_ns / MILLISECOND),
    lt: Number(until_ns / MILLISECOND),
    format: 'epoch_millis',
  };
  return { bool: { filter: [{ range: { [time_field]: range } }, ...filters] } };
}

/** All shards and clusters answered: where some failed, the others' documents would be half an answer. */
const isWhole = ({ _shards, _clusters, timed_out }: Members): boolean => {
  const { failed } = (_shards ?? {}) as Members;
  const clusters = (_clusters ?? {}) as Members;
  const away = ['skipped', 'partial', 'failed'].some((name) => Number(clusters[name] ?? 0) > 0);
  return failed === 0 && !away && timed_out !== true;
};

const hitsOf = ({ hits }: Members): readonly unknown[] | undefined => {
  const { hits: list } = (hits ?? {}) as { readonly hits?: unknown };
  return Array.isArray(list) ? (list as readonly unknown[]) : undefined;
};

/** A full page states where the next one begins. */
const isContinued = (hits: readonly unknown[] | undefined, full: number): boolean =>
  hits !== undefined && (hits.length < full || Array.isArray((hits.at(-1) as { readonly sort?: unknown }).sort));

async function counted(client: ArchiveClient, index: string, query: object, signal: AbortSignal): Promise<number> {
  const isCount = (members: Members) => typeof members['count'] === 'number' && isWhole(members);
  const { members } = await client.json({ path: `/${index}/_count`, json: { query } }, isCount, signal);
  return Number(members['count']);
}

async function estimated(search: Search, window: TimeWindow, signal: AbortSignal): Promise<PullEstimate> {
  return { rows: await counted(search.client, search.plan.index, queryOf(search, window), signal), bytes: null };
}

async function* pages(search: Search, window: TimeWindow, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { client, plan } = search;
  const { time_field, page_documents } = plan;
  const point = await PointInTime.open(client, plan.index, signal);
  try {
    // As text, times of nanoseconds survive as well; OpenSearch has no formats here.
    const format = point.isOpenSearch ? {} : { format: 'strict_date_optional_time_nanos' };
    const byTime = { [time_field]: { order: 'asc', ...format } };
    const sort = [byTime, { [point.tiebreaker]: 'asc' }];
    const query = queryOf(search, window);
    let after: unknown;
    do {
      const json = {
        size: page_documents,
        query,
        sort,
        pit: point.reference,
        ...(after !== undefined && { search_after: after }),
      };
      const isPage = (members: Members) => isWhole(members) && isContinued(hitsOf(members), page_documents);
      const { body, members } = await client.json(
        { path: '/_search', json: { ...json, track_total_hits: false } },
        isPage,
        signal,
      );
      yield body;
      yield Buffer.from('\n');
      const hits = hitsOf(members) ?? [];
      after = hits.length < page_documents ? undefined : (hits.at(-1) as { readonly sort?: unknown }).sort;
    } while (after !== undefined);
  } finally {
    await point.close();
  }
}
