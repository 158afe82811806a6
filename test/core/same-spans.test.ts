import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SourceInfo } from '../../src/model/contract/index.ts';
import { memoryCore, type TestCore, temporaryFolder } from '../support/core.ts';

const fixture = (path: string) => join(import.meta.dirname, '../../fixtures', path);

const tablesWithRows = ['span', 'span_event', 'span_link', 'log', 'event', 'reject'] as const;

/** The count that each source states, and the rows that the case holds of it. */
async function expectCountsRight(core: TestCore): Promise<void> {
  const info = await core.api['case.current']({});
  for (const source of info?.sources ?? [])
    for (const table of tablesWithRows) {
      const sql = `select count(*) from ${table} where source_id = ${source.source_id}`;
      const spanCount = Number((await core.api['query.sql']({ sql })).rows[0]?.[0]);
      const stated = table === 'reject' ? source.rejects : (source.rows[table] ?? 0);
      expect([source.name, table, stated]).toEqual([source.name, table, spanCount]);
    }
}

async function importOneByOne(...files: string[]): Promise<{ core: TestCore; sources: SourceInfo[] }> {
  const core = await memoryCore();
  for (const file of files) await core.import([file]);
  await expectCountsRight(core);
  return { core, sources: (await core.api['case.current']({}))?.sources ?? [] };
}

const rowsOf = async (core: TestCore, sql: string) => (await core.api['query.sql']({ sql })).rows;

test('a batch as protobuf after the same batch as JSON is stored once, with a remark', async () => {
  const [json, protobuf] = ['jsonl', 'proto'].map((kind) => fixture(`otlp/framings/fileexporter-traces.${kind}`));
  const { core, sources } = await importOneByOne(json!, protobuf!);
  const [first, second] = sources;
  const spans = first?.rows.span ?? 0;
  expect(spans).toBeGreaterThan(100);
  const { span: _, ...rest } = first?.rows ?? {};
  expect(second?.rows).toEqual(rest);
  expect(second?.remarks).toContain(
    `${spans} spans were already in the case from fileexporter-traces.jsonl and are stored once`,
  );
  expect(await rowsOf(core, 'select count(*) from spans')).toEqual([[spans]]);
});

test('Jaeger cuts to microseconds: its spans are those of the OTLP request it was made of', async () => {
  for (const order of [1, -1]) {
    const files = ['otlp/jaeger-ui/otlp2jaeger-in.json', 'jaeger-json/api/otlp2jaeger-out.json'].map(fixture);
    const { sources } = await importOneByOne(...(order === 1 ? files : files.reverse()));
    expect(sources[0]?.rows.span).toBe(1);
    expect(sources[1]?.rows.span).toBeUndefined();
    expect(sources[1]?.remarks).toContain(`1 span was already in the case from ${sources[0]?.name} and is stored once`);
  }
});

const START = 1_700_000_000_000_000_000n;
interface SpanOptions {
  readonly id?: string;
  readonly kind?: number;
  readonly trace?: string;
  readonly start?: bigint;
  readonly name?: string;
  /** Names and nanoseconds after the start. */
  readonly events?: readonly (readonly [string, number])[];
  readonly links?: readonly string[];
}
function span(options: SpanOptions = {}) {
  const { id = '00f067aa0ba902b7', kind = 3, trace = '5b8aa5a2d2c872e8321cf37308d69df2', start = START } = options;
  const { name = 'GET /', events = [], links = [] } = options;
  return {
    traceId: trace,
    spanId: id,
    name,
    kind,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + 1_000_000n),
    events: events.map(([event, after]) => ({ name: event, timeUnixNano: String(start + BigInt(after)) })),
    links: links.map((spanId) => ({ traceId: trace, spanId })),
  };
}
const request = (...spans: readonly object[]) => ({
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'api' } }] },
      scopeSpans: [{ scope: { name: 'test' }, spans }],
    },
  ],
});

async function importRequests(...requests: readonly object[]): Promise<{ core: TestCore; sources: SourceInfo[] }> {
  const folder = await temporaryFolder();
  const paths = requests.map((_, i) => join(folder, `part-${i + 1}.json`));
  for (const [i, path] of paths.entries()) await writeFile(path, JSON.stringify(requests[i]));
  return importOneByOne(...paths);
}

test('the half of a shared span that stays keeps its events and links; the half that goes takes its own', async () => {
  const client = span({ kind: 3, events: [['client sent', 10]], links: ['00000000000000c1'] });
  const server = span({ kind: 2, events: [['server took', 20]], links: ['00000000000000c2'] });
  const { core, sources } = await importRequests(request(client), request(client, server));
  expect(sources.map(({ rows }) => rows)).toEqual([
    { span: 1, span_event: 1, span_link: 1 },
    { span: 1, span_event: 1, span_link: 1 },
  ]);
  const events = 'select n.text from span_event e join name n on n.name_id = e.name order by e.source_id';
  expect(await rowsOf(core, events)).toEqual([['client sent'], ['server took']]);
  expect(await rowsOf(core, "select printf('%x', linked_span_id) from span_link order by source_id")).toEqual([
    ['c1'],
    ['c2'],
  ]);
});

test('other kinds, other microseconds and other traces are other spans; a microsecond cut short is not', async () => {
  const { sources } = await importRequests(
    request(span({ start: START + 999n, events: [['only once', 1]] }), span({ id: '00f067aa0ba902b8' })),
    request(
      span({ start: START, events: [['only once', 1]] }),
      span({ kind: 2, id: '00f067aa0ba902b8' }),
      span({ start: START + 1000n, id: '00f067aa0ba902b8' }),
      span({ trace: '5b8aa5a2d2c872e8321cf37308d69df3' }),
    ),
  );
  expect(sources[1]?.rows).toEqual({ span: 3 });
  expect(sources[1]?.remarks).toEqual(['1 span was already in the case from part-1.json and is stored once']);
});

test('a clock correction is an opinion: the same recorded times are the same span', async () => {
  const folder = await temporaryFolder();
  const paths = [join(folder, 'a.json'), join(folder, 'b.json')];
  await writeFile(paths[0]!, JSON.stringify(request(span())));
  await writeFile(paths[1]!, JSON.stringify(request(span(), span({ id: '00f067aa0ba902b8' }))));
  const core = await memoryCore();
  await core.import([paths[0]!]);
  const handles = [await core.register(paths[1]!)];
  for await (const _ of core.api['import.run']({ handles, clocks: { 'b.json': { offset_s: 3600 } } }));
  expect((await core.api['case.current']({}))?.rows.span).toBe(2);
  await expectCountsRight(core);
});

test('spans of several sources are reported with their names; data sources of other times are not read', async () => {
  const ids = ['01', '02', '03', '04'].map((end) => `00f067aa0ba902${end}`);
  const later = span({ id: ids[3]!, start: START + 3_600_000_000_000n });
  const { sources } = await importRequests(
    ...ids.slice(0, 3).map((id) => request(span({ id }))),
    request(later),
    request(...ids.slice(0, 3).map((id) => span({ id }))),
  );
  expect(sources[4]?.rows).toEqual({});
  expect(sources[4]).toMatchObject({
    remarks: ['3 spans were already in the case from part-1.json, part-2.json and part-3.json and are stored once'],
  });
});

test('what a collector sent twice within one file is stored once, with its events; pieces of one span all stay', async () => {
  const twice = span({
    events: [
      ['a', 1],
      ['b', 2],
    ],
    links: ['00000000000000c1'],
  });
  const piece = span({ id: '00f067aa0ba902b8', name: 'first piece' });
  const { sources } = await importRequests(request(twice, piece, { ...piece, name: 'second piece' }, twice, twice));
  expect(sources[0]).toMatchObject({
    rows: { span: 3, span_event: 2, span_link: 1 },
    remarks: ['2 spans were more than once in this file and are stored once'],
  });
});
