import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Api, FleetHeatEvent, Input, Output } from '../../src/model/contract/index.ts';
import { pulled, pullingCore, TestArchive } from '../support/archive-pull.ts';
import { sqlRows } from '../support/capture-run.ts';
import { hasClickHouse } from '../support/clickhouse.ts';
import { faultlineHere } from '../support/command-line-here.ts';
import { temporaryFolder } from '../support/core.ts';
import { fleetRows } from '../support/fleet-rows.ts';
import { FLEET_FROM_NS, FLEET_SECONDS } from '../support/fleet-statements.ts';

const minute_ns = 60_000_000_000n;
const from_ns = FLEET_FROM_NS;
const until_ns = from_ns + BigInt(FLEET_SECONDS) * 1_000_000_000n;

const searches = [
  '{}',
  '{status = error}',
  '{status != error && kind = server}',
  '{name =~ "get [01]"}',
  '{name !~ "get.*" && duration > 350ms}',
  '{span.gen_ai.request.model = "large" && duration > 300ms}',
  '{.region = "eu" && resource.service.name = "auth" && status = error}',
  '{span.quote = "it\'s \\\\ 5"}',
  '{span.peer != nil}',
  '{.peer = nil && kind = server && duration > 378ms}',
  '{!(span.peer = "llm") && duration > 340ms}',
  '{kind = client} > {name = "generate" && duration > 445ms}',
  '{name = "put"} < {name = "generate" && duration > 445ms}',
  '{service.name = "gateway" && duration > 378ms} >> {name = "put"}',
  '{name = "put"} << {kind = server && duration > 378ms}',
  '{name = "put"} ~ {name = "get 1"}',
  '{name = "put"} && {name = "get 2" && duration > 2.99ms}',
  '{name = "put" && duration > 3.999ms} || {status = error}',
  '{rootServiceName = "gateway" && name = "generate" && duration > 449ms}',
  '{traceDuration > 378ms && kind = client}',
  '{nestedSetParent < 0 && status = error}',
  '{service.name =~ "llm|auth"} | count() > 2',
  '{kind = internal} | max(duration) > 3.9995ms',
  '{statusMessage = "denied"}',
  '{parent.name = "generate" && duration > 3.9995ms}',
  '{parent.resource.service.name = "gateway" && parent.duration > 378ms}',
  '{duration * 1.1 > parent.duration && duration > 340ms}',
  '{duration > 340ms} | by(parent.name) | count() > 0',
];

const metrics = [
  '{} | rate()',
  '{status = error} | rate() by (resource.service.name)',
  '{kind = server} | count_over_time() by (name, status)',
  '{name = "generate"} | quantile_over_time(duration, .5, .99)',
  '{} | max_over_time(duration) by (parent.name)',
  '{} | avg_over_time(duration) by (span.gen_ai.request.model)',
  '{kind = client} | histogram_over_time(duration)',
  '{kind = server} | rate() by (name) | topk(2)',
  '{kind = server} | avg_over_time(duration) > 60ms',
  '{} | compare({status = error})',
  '{kind = server} | compare({duration > 100ms}, 3)',
];

type Search = Omit<Input<'traces.search'>, 'start_ns' | 'end_ns'>;

test.skipIf(!hasClickHouse())('a fleet that is asked in place answers as a case with its rows', async () => {
  const { plan } = await fleetRows();
  const core = await pullingCore();
  await pulled(core, { plan, from_ns, until_ns });
  const { api } = core;
  const window = { plan, from_ns, until_ns };

  const { impacts, services, requests } = await api['fleet.impacts']({ ...window, parts: true });
  expect([services, requests]).toEqual([3, FLEET_SECONDS * 4 * 3]);
  const found = impacts.map(({ service, parts, start_ns, end_ns, impact }) => ({
    service,
    parts,
    start_ns,
    end_ns,
    impact,
  }));
  expect(sorted(found)).toEqual(sorted(await impactsOfCase(api)));
  const what = impacts.map(({ service, parts: [part] }) => `${service} ${part?.name ?? ''}`);
  expect(what.sort()).toEqual(['auth ', 'gateway ', 'llm ', 'llm large']);
  for (const one of impacts) expect(one.times_worse).toBeGreaterThan(1.2);
  const { impacts: whole } = await api['fleet.impacts']({ ...window, services: ['auth'] });
  expect(whole.map(({ service }) => service)).toEqual(['auth']);
  const where = "ResourceAttributes['service.name'] = 'auth'";
  expect((await api['fleet.impacts']({ ...window, where })).impacts).toEqual(whole);

  await heatIsAsImpacts(api, window);

  for (const query of searches) {
    const search: Search = { query, order: 'earliest', limit: 300 };
    const own = await api['traces.search']({ ...search, start_ns: from_ns, end_ns: until_ns });
    expect([query, await api['fleet.traces']({ ...window, ...search })]).toEqual([query, own]);
    expect([query, own.trace_count > 0]).toEqual([query, true]);
  }
  for (const query of metrics) {
    const own = await api['traces.metric']({ query, start_ns: from_ns, end_ns: until_ns, buckets: 30 });
    expect([query, rounded(await api['fleet.metric']({ ...window, query, buckets: 30 }))]).toEqual([
      query,
      rounded(own),
    ]);
    expect([query, own.series.length > 0]).toEqual([query, true]);
  }
  for (const order of ['slowest', 'most_matched'] as const) {
    const search: Search = { query: '{name = "generate"} || {duration > 340ms}', order, limit: 20 };
    const { traces: own } = await api['traces.search']({ ...search, start_ns: from_ns, end_ns: until_ns });
    expect((await api['fleet.traces']({ ...window, ...search })).traces).toEqual(own);
  }

  const [slow] = (await api['fleet.traces']({ ...window, query: '{duration > 340ms}' })).traces;
  const one = await api['fleet.trace']({ ...window, trace_id: slow!.trace_id });
  const rows = await sqlRows(
    core,
    `select span_id, coalesce(parent_span_id, ''), service, name, start_ns, duration_ms from spans where trace_id = '${slow!.trace_id}' order by start_ns, span_id`,
  );
  const asRow = (span: (typeof one.spans)[number]) => [
    span.span_id,
    span.parent_span_id,
    span.service,
    span.name,
    String(span.start_ns),
    Number(span.duration_ns) / 1e6,
  ];
  expect(one.spans.map(asRow)).toEqual(rows);
  expect(rows).toHaveLength(5);

  const [start, end] = [from_ns + 25n * minute_ns, from_ns + 30n * minute_ns];
  const logs = await api['fleet.logs']({ plan, from_ns: start, until_ns: end, before_s: 25 * 60 });
  expect(logs).toEqual(await api['logs.templates']({ start_ns: start, end_ns: end }));
  expect(logs.templates.filter(({ novelty }) => novelty === 'new').map(({ text }) => text)).toEqual([
    'queue is full: <*> wait',
    'cuda error on gpu <*>',
  ]);
  await printsAnswers(plan, slow!.trace_id);
});

/** The matrix of a minute a column: worse where an impact is, and nowhere else. */
async function heatIsAsImpacts(api: Api, window: Omit<Input<'fleet.heat'>, 'buckets'>): Promise<void> {
  const events: FleetHeatEvent[] = [];
  for await (const event of api['fleet.heat']({ ...window, buckets: 60, rows: 2 })) events.push(event);
  const heat = events.at(-1);
  if (heat?.kind !== 'heat') throw new Error('no answer');
  expect(events.slice(0, -1)).toEqual(
    events.slice(0, -1).map(() => ({ kind: 'progress', done: expect.any(Number), services: 3 })),
  );
  expect(events.length).toBeGreaterThan(1);
  const { impacts } = await api['fleet.impacts'](window);
  expect([heat.impacts, heat.services, heat.requests]).toEqual([impacts, 3, FLEET_SECONDS * 4 * 3]);
  expect(heat.rows).toEqual([...new Set(impacts.map(({ service }) => service))].slice(0, 2));
  expect(heat.values).toHaveLength(2 * 60);
  for (const [row, service] of heat.rows.entries()) {
    const own = [...heat.values.subarray(row * 60, (row + 1) * 60)];
    const worst = impacts.find((one) => one.service === service)!;
    // The figures of an impact are rounded.
    expect(Math.abs(Math.max(...own) / worst.times_worse - 1)).toBeLessThan(0.02);
    for (const [minute, value] of own.entries()) {
      const begin_ns = from_ns + BigInt(minute) * minute_ns;
      const isDuring = impacts.some(
        (one) => one.service === service && one.start_ns < begin_ns + minute_ns && one.end_ns > begin_ns,
      );
      expect([service, minute, value > 1 && !isDuring]).toEqual([service, minute, false]);
    }
    const middle = Number((worst.start_ns + worst.end_ns) / 2n - from_ns) / 60e9;
    expect(own[Math.floor(middle)]).toBeGreaterThan(1.2);
  }
}

async function impactsOfCase(api: Api) {
  const views = await api['incidents.list']({});
  return views.map(({ service, incident: { affected_parts, impact }, onset_earliest_ns, end_ns }) => ({
    service,
    parts: affected_parts,
    start_ns: onset_earliest_ns,
    end_ns,
    impact,
  }));
}

/** The engines add up in another order. */
const rounded = ({ series, ...metric }: Output<'traces.metric'>) => ({
  ...metric,
  series: series.map(({ labels, values }) => ({
    labels,
    values: values.map((value) => value && Number(value.toPrecision(9))),
  })),
});

const sorted = <T extends { readonly service: string; readonly start_ns: bigint }>(all: readonly T[]): T[] =>
  all.toSorted((a, b) => (a.service < b.service ? -1 : a.service > b.service ? 1 : Number(a.start_ns - b.start_ns)));

async function printsAnswers(plan: string, trace_id: string): Promise<void> {
  const file = join(await temporaryFolder(), 'fleet.yaml');
  await writeFile(file, plan);
  const time = ['--from', '2026-05-01T14:00:00Z', '--to', '2026-05-01T15:00:00Z'];
  const impacts = await faultlineHere('fleet', file, 'impacts', ...time);
  expect(impacts.out.split('\n')[0]).toMatch(/^times worse +from +until +P99 ms/);
  expect(impacts.out).toMatch(/2026-05-01T14:2\d:\d\d.*-> .*llm\n/);
  expect(impacts.out).toContain('3 services with 43200 requests');
  expect((await faultlineHere('fleet', file, 'traces', '{status = error}', ...time, '--limit', '3')).out).toContain(
    'auth: check',
  );
  const rate = await faultlineHere('fleet', file, 'traces', '{status = error} | rate() by (name)', ...time);
  expect(rate.out).toMatch(/^time +.*check 1\/s/);
  const compared = await faultlineHere('fleet', file, 'traces', '{} | compare({status = error})', ...time);
  expect(compared.out).toMatch(/^\d+ selected spans, \d+ others\n/);
  expect(compared.out).toMatch(/\nstatus +error +100\.0 % +0\.0 % /);
  expect((await faultlineHere('fleet', file, 'trace', trace_id)).out).toMatch(
    /0\.000 ms +\d+\.\d+ ms +gateway: GET \/v1\n/,
  );
  const logs = await faultlineHere(
    'fleet',
    file,
    'logs',
    '--from',
    '2026-05-01T14:25:00Z',
    '--to',
    '2026-05-01T14:30:00Z',
    '--before',
    '25m',
  );
  expect(logs.out).toMatch(/new +\d+ +cuda error on gpu <\*>/);
  const wrong = await faultlineHere('fleet', file, 'traces', '{name =~ "("}', ...time);
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('this pattern cannot be used')]);
  expect((await faultlineHere('fleet', file, 'trace', 'ff')).err).toContain('the archive has no trace');
  expect((await faultlineHere('fleet', file, 'weather', ...time)).code).toBe(2);
}

test('what is asked is bound, not written into SQL; each statement is for reading, with limits', async () => {
  const asked: { readonly query: URLSearchParams; readonly sql: string }[] = [];
  const archive = await new TestArchive((request, response) => {
    let sql = '';
    request.on('data', (chunk) => (sql += chunk));
    request.on('end', () => {
      asked.push({ query: new URL(request.url!, 'http://localhost').searchParams, sql });
      response.end(
        sql.includes('system.tables') ? '{"data":[{"name":"otel_traces"},{"name":"otel_logs"}]}' : '{"data":[]}',
      );
    });
  }).begin();
  const core = await pullingCore();
  const plan = `kind: clickhouse\nurl: ${archive.url}\nrequests_per_s: 1000\ntimeout_s: 7\nmemory_gib: 3\n`;
  const hostile = "x') OR 1 = 1; DROP TABLE otel_traces --\\";
  const window = { plan, from_ns, until_ns, services: [hostile] };
  await core.api['fleet.impacts'](window);
  await core.api['fleet.logs'](window);
  const text = JSON.stringify(hostile);
  await core.api['fleet.traces']({
    ...window,
    query: `{name = ${text} || span.${text} =~ ${text} || resource.a = ${text}} >> {statusMessage < ${text}}`,
  });
  const own = asked.filter(({ sql }) => !sql.includes('system.tables'));
  expect(own.length).toBeGreaterThan(3);
  for (const { sql, query } of asked) {
    expect(sql).not.toContain('DROP');
    const limits = ['readonly', 'max_execution_time', 'max_memory_usage'].map((name) => query.get(name));
    expect(limits).toEqual(['2', '7', String(3 * 1024 ** 3)]);
  }
  expect(
    own.some(({ query }) => [...query].some(([name, value]) => name.startsWith('param_') && value.includes('DROP'))),
  ).toBe(true);
});

test('what cannot be asked is refused in one line', async () => {
  const answers = ['{"data":[{"name":"otel_traces"}]}', ''];
  const archive = await new TestArchive((request, response) => {
    request.resume();
    request.on('end', () => {
      const answer = answers.shift();
      if (answer) response.end(answer);
      else response.writeHead(500).end('Code: 241. DB::Exception: Memory limit (for query) exceeded');
    });
  }).begin();
  const core = await pullingCore();
  const plan = `kind: clickhouse\nurl: ${archive.url}\nrequests_per_s: 1000\n`;
  const asked = { plan, from_ns, until_ns };
  await expect(core.api['fleet.impacts'](asked)).rejects.toMatchObject({ problem: { code: 'fleet.too_much' } });
  answers.push('{"data":[]}');
  await expect(core.api['fleet.logs'](asked)).rejects.toMatchObject({ problem: { code: 'fleet.no_table' } });
  answers.push('{"data":[{"name":"otel_traces"}]}', '{"data":[{"service":5}]}');
  await expect(core.api['fleet.impacts'](asked)).rejects.toThrow('other columns');
  const metric = { ...asked, query: '{} | avg_over_time(duration) by (name)', buckets: 2 };
  for (const row of ['{"bucket":"0"}', '{"bucket":0,"group_0":{"a":1},"value_0":1}', '{"bucket":0,"other":1}']) {
    answers.push('{"data":[{"name":"otel_traces"}]}', `{"data":[${row}]}`);
    await expect(core.api['fleet.metric'](metric)).rejects.toThrow('other columns');
  }
  const ofName = (bucket: number, value: number | null) => ({ bucket, group_0: 'get', value_0: value });
  answers.push('{"data":[{"name":"otel_traces"}]}', JSON.stringify({ data: [ofName(0, null), ofName(1, 2)] }));
  expect((await core.api['fleet.metric'](metric)).series.map(({ values }) => values)).toEqual([[null, 2]]);
  const entered = { service: 'a', standing: 2, spans: '5', first_ns: '1', last_ns: '2', all_spans: '5' };
  const requests = ['firsts', 'lasts', 'ends', 'counts', 'failures', 'p30', 'p50', 'p70', 'p95', 'p99'].map((name) => [
    name,
    [1],
  ]);
  for (const slots of [[1.5], [1, 2], [null], 'x']) {
    const row = { service: 'a', slots, ...Object.fromEntries(requests) };
    answers.push(
      '{"data":[{"name":"otel_traces"}]}',
      JSON.stringify({ data: [entered] }),
      JSON.stringify({ data: [row] }),
    );
    await expect(core.api['fleet.impacts'](asked)).rejects.toThrow('other columns');
  }
  await expect(core.api['fleet.impacts']({ ...asked, until_ns: from_ns })).rejects.toThrow('ends before it begins');
  const loki = `kind: loki\nurl: ${archive.url}\n`;
  await expect(core.api['fleet.impacts']({ ...asked, plan: loki })).rejects.toMatchObject({
    problem: { code: 'fleet.no_store' },
  });
});
