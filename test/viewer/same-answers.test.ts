import { expect, test } from 'vitest';
import type { Api } from '../../src/model/contract/index.ts';
import { exported, opened } from '../bundle/bundle-case.ts';
import { demoCore } from '../support/demo-core.ts';
import { viewed } from '../support/wasm-engine.ts';

async function demoBundle(): Promise<string> {
  return (await exported(await demoCore())).path;
}

/** One of nearly every question that a window asks of a case at rest. */
async function queries(api: Api): Promise<Readonly<Record<string, () => Promise<unknown>>>> {
  const [incident] = await api['incidents.list']({});
  const [start_ns, end_ns] = [incident!.start_ns, incident!.end_ns];
  const around = { start_ns: start_ns - 60_000_000_000n, end_ns: end_ns + 60_000_000_000n };
  const onset_ns = incident!.onset_ns;
  const lanes = (await api['timeline.lanes']({})).map(({ id }) => id).slice(0, 120);
  const refs = incident?.steps.map(({ ref }) => ref) ?? [];
  const flame = async () => {
    for await (const _ of api['traces.prepare']({}));
    return api['traces.flame']({ ...around });
  };
  const sql = (text: string) => () => api['query.sql']({ sql: text, limit: 50 });
  return {
    incidents: () => api['incidents.list']({}),
    info: () => api['case.current']({}),
    clocks: () => api['clocks.list']({}),
    report: () => api['report.render']({}),
    document: () => api['report.document']({}),
    grafana: () => api['report.render']({ format: 'grafana' }),
    correlate: () => api.correlate({}).then(({ generated_at: _, ...rest }) => rest),
    lanes: () => api['timeline.lanes']({}),
    data: () => api['timeline.data']({ ...around, buckets: 200, lanes }),
    statistics: () => api['timeline.statistics']({ ...around, lanes: lanes.slice(0, 60) }),
    overview: () => api['timeline.overview']({ ...around, buckets: 300 }),
    silences: () => api['timeline.silences']({}),
    events: () => api['rows.list']({ ...around, table: 'event' }),
    spans: () => api['rows.list']({ ...around, table: 'span', limit: 300 }),
    logs: () => api['rows.list']({ ...around, table: 'log', limit: 300 }),
    evidence: () => Promise.all(refs.map((ref) => api['evidence.get']({ ref }))),
    topology: () => api['topology.get']({}),
    telemetry: () => api['incidents.telemetry']({}),
    schema: () => api['sql.schema']({}),
    search: () => api.search({ text: 'llama' }),
    ids: () => api.search({ text: 'Xid 79' }),
    histograms: sql('select * from histograms order by all limit 20'),
    lifecycle: () => api['lifecycle.list'](around),
    notices: () => api['notices.list']({ at_ns: onset_ns }),
    patterns: () => api['patterns.list']({}),
    fleet: () => api['gpus.fleet']({ ...around, buckets: 60 }),
    differences: () => api['differences.find']({ region: { start_ns, end_ns }, baseline: { kind: 'rest' } }),
    templates: () => api['logs.templates'](around),
    traces: () => api['traces.search']({ query: '{ status = error && span.http.response.status_code >= 500 }' }),
    cost: async () => {
      const { traces } = await api['traces.search']({ query: '{ resource.service.name = "llama-70b" }', limit: 5 });
      return Promise.all(traces.map(({ trace_id }) => api['trace.cost']({ trace_id })));
    },
    tokens: async () => {
      const { traces } = await api['traces.search']({ query: '{ resource.service.name = "llama-70b" }', limit: 5 });
      return Promise.all(traces.map(({ trace_id }) => api['trace.tokens']({ trace_id })));
    },
    flame,
    values: sql(
      `select 1 as a, 2 as a, 12345678901234567890::ubigint, sum(x), avg(x), 1.50::decimal(9, 3), null, true, 'x'::blob, date '2026-03-14',
         timestamp '2026-03-14 02:17:54.25', timestamptz '2026-03-14 02:00:00+00', [1, 2], map {'k': 1}, 'nan'::double,
         time '01:02:03', 1::hugeint, 0.1::float, uuid '00000000-0000-0000-0000-000000000001' from range(5) t(x)`,
    ),
    json: sql(
      `select attributes ->> '$."gen_ai.request.model"' as model, json_type(attributes, '/http.response.status_code') as type,
         json_array_length('[1, 2]') as n, json_valid('{') as bad, json_keys(attributes) as keys, count(*) as n
       from spans group by all order by all`,
    ),
    views: sql('select * from spans order by start_ns, trace_id, span_id limit 20'),
    explained: sql('explain select 1'),
  };
}

const exact = new Set(['report', 'document', 'incidents', 'correlate', 'grafana', 'values', 'json']);

/** Several threads add up doubles in whatever order they come to them: the last digits of a mean are nobody's. */
function rounded(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? value : Number(value.toPrecision(12));
  if (value instanceof Float64Array) return Float64Array.from(value, (one) => rounded(one) as number);
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, rounded(one)]));
}

test('the viewer answers as the desktop does, question by question', async () => {
  const path = await demoBundle();
  const desktop = await opened(path);
  const viewer = await viewed(path);
  const [there, here] = [await queries(desktop.api), await queries(viewer.api)];
  for (const name of Object.keys(there)) {
    const [wanted, found] = [await there[name]?.(), await here[name]?.()];
    expect({ [name]: exact.has(name) ? found : rounded(found) }).toEqual({
      [name]: exact.has(name) ? wanted : rounded(wanted),
    });
  }
  await viewer.close();
});
