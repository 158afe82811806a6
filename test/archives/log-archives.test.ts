import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { nanosOf, ofKind, pulled, pullingCore, TestArchive } from '../support/archive-pull.ts';
import { sqlRows } from '../support/capture-run.ts';
import type { TestCore } from '../support/core.ts';

const from_ns = nanosOf('2026-05-01T14:00:00Z');
const until_ns = nanosOf('2026-05-01T14:10:00Z');
const LINES = 400;
/** Seven lines of equal time, then seven of the next, to beyond the window on both sides. */
const lines = Array.from({ length: LINES }, (_, at) => ({
  time_ns: from_ns - 60_000_000_000n + BigInt(Math.floor(at / 7)) * 15_000_000_000n,
  text: `request ${at} took 31 ms`,
  service: at % 3 === 0 ? 'llm' : 'search',
}));
const wanted = lines.filter(({ time_ns }) => time_ns >= from_ns && time_ns < until_ns);

const bodiesOf = async (core: TestCore): Promise<unknown[]> =>
  (await sqlRows(core, 'select body from logs')).map(([body]) => body).toSorted();
const texts = (some: readonly { text: string }[]) => some.map(({ text }) => text).toSorted();

/** Every third answer is a fault; those with lines are half, or an overload. */
function faulty(answer: (url: URL, body: string, method: string) => unknown): RequestListener {
  let at = 0;
  return (request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const text = JSON.stringify(answer(new URL(request.url!, 'http://here'), body, request.method!));
      const fault = at++ % 6;
      if (fault === 2) response.writeHead(429, { 'retry-after': 'soon' }).end('too many outstanding requests');
      else if (fault === 5) response.end(text.slice(0, -3));
      else response.end(text);
    });
  };
}

interface LokiLines {
  readonly path: string;
  readonly queries: string[];
}

/** Answers as documented: the oldest lines from `start` to before `end`, by streams. */
function loki({ queries }: Pick<LokiLines, 'queries'>): RequestListener {
  return faulty(({ pathname, searchParams }) => {
    const query = searchParams.get('query') ?? '';
    queries.push(query);
    const [start, end] = [BigInt(searchParams.get('start') ?? 0), BigInt(searchParams.get('end') ?? 0)];
    const found = lines.filter(
      ({ time_ns, service }) => time_ns >= start && time_ns < end && (!query.includes('llm') || service === 'llm'),
    );
    if (pathname.endsWith('/stats')) return { streams: 2, chunks: 3, entries: found.length, bytes: 99 };
    if (pathname.endsWith('/labels')) return { status: 'success', data: ['service_name'] };
    const page = found.slice(0, Number(searchParams.get('limit')));
    const result = ['llm', 'search'].map((service) => ({
      stream: { service_name: service },
      values: page
        .filter((line) => line.service === service)
        .map(({ time_ns, text }) => [String(time_ns), text, { structuredMetadata: { pod: 'pod-1' } }]),
    }));
    return { status: 'success', data: { resultType: 'streams', result, stats: {} } };
  });
}

test('Loki: pages that end within lines of equal time lose and double none', async () => {
  const queries: string[] = [];
  const archive = await new TestArchive(loki({ queries })).begin();
  const core = await pullingCore();
  const plan = `kind: loki\nurl: ${archive.url}\npage_lines: 10\nrequests_per_s: 1000\nslice_s: 240\n`;
  const events = await pulled(core, { plan, from_ns, until_ns });
  expect(ofKind(events, 'plan')[0]?.queries).toMatchObject([
    { query: '{service_name=~".+"}', rows: wanted.length, slices: 3 },
  ]);
  // An archive that wants fewer requests does not want shorter slices.
  expect(ofKind(events, 'done')).toMatchObject([{ pulled: 3, failed: 0 }]);
  expect(await bodiesOf(core)).toEqual(texts(wanted));

  const other = await pullingCore();
  await pulled(other, { plan, from_ns, until_ns, services: ['llm'], where: '|= "took"' });
  expect(queries.at(-1)).toBe('{service_name=~".+",service_name=~"llm"} |= "took"');
  expect(await bodiesOf(other)).toEqual(texts(wanted.filter(({ service }) => service === 'llm')));
});

test('Loki: more lines of one time than a page holds are named, not lost', async () => {
  const archive = await new TestArchive(loki({ queries: [] })).begin();
  const core = await pullingCore();
  const plan = `kind: loki\nurl: ${archive.url}\npage_lines: 5\nparallel: 1\nrequests_per_s: 1000\n`;
  const events = await pulled(core, { plan, from_ns, until_ns: from_ns + 1n });
  expect(ofKind(events, 'done')).toMatchObject([{ pulled: 0, failed: 1 }]);
  expect(ofKind(events, 'problem')[0]?.problem.message).toContain('lines have the same time: raise page_lines');
});

/** A point in time with `search_after`, as documented; OpenSearch has other paths. */
function elasticsearch(distribution: 'opensearch' | undefined, closed: Set<string>): RequestListener {
  let points = 0;
  const tiebreaker = distribution ? '_id' : '_shard_doc';
  return faulty(({ pathname }, body, method) => {
    const json = body === '' ? {} : (JSON.parse(body) as Record<string, never>);
    if (pathname === '/') return { version: { number: '8.14.0', ...(distribution && { distribution }) } };
    if (method === 'DELETE') {
      closed.add(distribution ? (json['pit_id']![0] as string) : json['id']!);
      return { succeeded: true };
    }
    const wantedPath = distribution ? '/logs-*/_search/point_in_time' : '/logs-*/_pit';
    if (pathname === wantedPath) {
      const id = `point-${points++}`;
      return distribution ? { pit_id: id } : { id };
    }
    const {
      query,
      size,
      search_after: after,
      sort,
    } = json as unknown as {
      query: { bool: { filter: { range?: { '@timestamp': { gte: number; lt: number } } }[] } };
      size: number;
      search_after?: [string, number];
      sort: Record<string, unknown>[];
    };
    const { gte, lt } = query.bool.filter[0]!.range!['@timestamp'];
    const found = lines
      .map((line, at) => ({ ...line, at, ms: Number(line.time_ns / 1_000_000n) }))
      .filter(({ ms }) => ms >= gte && ms < lt);
    const shards = { _shards: { total: 2, successful: 2, failed: 0 } };
    if (pathname.endsWith('/_count')) return { count: found.length, ...shards };
    expect(Object.keys(sort[1]!)).toEqual([tiebreaker]);
    const rest = after === undefined ? found : found.filter(({ at }) => at > after[1]);
    const hits = rest.slice(0, size).map(({ ms, at, text, service }) => {
      const time = new Date(ms).toISOString();
      return {
        _index: 'logs-1',
        _source: { '@timestamp': time, message: text, service: { name: service } },
        sort: [time, at],
      };
    });
    return { took: 1, timed_out: false, ...shards, hits: { hits } };
  });
}

test.each([undefined, 'opensearch'] as const)(
  'Elasticsearch (%s): pages of a point in time, which is closed',
  async (distribution) => {
    const closed = new Set<string>();
    const archive = await new TestArchive(elasticsearch(distribution, closed)).begin();
    const core = await pullingCore();
    const plan = `kind: elasticsearch\nurl: ${archive.url}\nindex: logs-*\npage_documents: 10\nrequests_per_s: 1000\nslice_s: 240\n`;
    const events = await pulled(core, { plan, from_ns, until_ns });
    expect(ofKind(events, 'plan')[0]?.queries).toMatchObject([{ query: 'logs-*', rows: wanted.length, slices: 3 }]);
    expect(ofKind(events, 'problem')).toEqual([]);
    expect(await bodiesOf(core)).toEqual(texts(wanted));
    // Of each slice; one whose opening answer was cut off is not known, and ends by itself.
    expect(closed.size).toBeGreaterThanOrEqual(3);
  },
);

test('Elasticsearch: an answer in which a shard or cluster failed, or whose time ran out, is half', async () => {
  let at = 0;
  const complete = elasticsearch(undefined, new Set());
  const archive = await new TestArchive((request, response) => {
    const half = [
      { timed_out: true, _shards: { failed: 0 } },
      { timed_out: false, _shards: { failed: 1 } },
      { timed_out: false, _shards: { failed: 0 }, _clusters: { total: 2, successful: 1, skipped: 1 } },
    ][request.url === '/_search' ? at++ : Number.MAX_SAFE_INTEGER];
    if (!half) return complete(request, response);
    response.end(JSON.stringify({ ...half, hits: { hits: [] } }));
  }).begin();
  const core = await pullingCore();
  const plan = `kind: elasticsearch\nurl: ${archive.url}\nindex: logs-*\nrequests_per_s: 1000\n`;
  await pulled(core, { plan, from_ns, until_ns });
  expect(await bodiesOf(core)).toEqual(texts(wanted));
});
