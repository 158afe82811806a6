import { expect, test } from 'vitest';
import { memoryCore } from '../support/core.ts';

const START = 1_767_225_600_000_000_000n;
const text = (key: string, value: string) => ({ key, value: { stringValue: value } });

/** Ten requests: web calls api, api calls db twice, every fifth time the first of them fails; a job calls db alone. */
async function callCase() {
  const core = await memoryCore();
  const of = (service: string, spans: readonly object[]) => ({
    resource: { attributes: [text('service.name', service), text('host.name', `${service}-1`)] },
    scopeSpans: [{ spans }],
  });
  const span = (trace: number, id: number, parent: number, ms: number, more: object = {}) => ({
    traceId: String(trace).padStart(32, '0'),
    spanId: String(id).padStart(16, '0'),
    ...(parent === 0 ? {} : { parentSpanId: String(parent).padStart(16, '0') }),
    name: `call ${id}`,
    kind: 2,
    startTimeUnixNano: String(START + BigInt(trace) * 1_000_000_000n + BigInt(id) * 1_000_000n),
    endTimeUnixNano: String(START + BigInt(trace) * 1_000_000_000n + BigInt(id + ms) * 1_000_000n),
    ...more,
  });
  const requests = Array.from({ length: 10 }, (_, at) => at + 1);
  const failed = { status: { code: 2, message: 'refused' }, attributes: [{ key: 'code', value: { intValue: '79' } }] };
  const ok = { attributes: [text('db/system', 'postgres'), text('code', 'none')] };
  await core.importJson({
    resourceSpans: [
      of(
        'web',
        requests.map((trace) => span(trace, 1, 0, 100)),
      ),
      of(
        'api',
        requests.flatMap((trace) => [span(trace, 2, 1, 80), span(trace, 3, 2, 70)]),
      ),
      of(
        'db',
        requests.flatMap((trace) => [span(trace, 4, 3, 10, trace % 5 === 0 ? failed : ok), span(trace, 5, 3, 30, ok)]),
      ),
      of('job', [span(99, 1, 0, 50)]),
    ],
  });
  return core;
}

test('calls between services: spans within a service are none, and what nobody called comes from outside', async () => {
  const core = await callCase();
  const { services, calls, share } = await core.api['traces.services']({});
  expect(share).toBe(1);
  const known = calls.map(({ caller, callee, calls: count, errors }) => [caller, callee, count, errors]);
  expect(known.sort()).toEqual(
    [
      [null, 'job', 1, 0],
      [null, 'web', 10, 0],
      ['api', 'db', 20, 2],
      ['web', 'api', 10, 0],
    ].sort(),
  );
  const db = services.find(({ service }) => service === 'db');
  expect(db).toMatchObject({ calls: 20, errors: 2, p50_ms: 20, p95_ms: 30 });
  expect(services.map(({ service }) => service).sort()).toEqual(['api', 'db', 'job', 'web']);
});

test('names and values complete a search from the spans of the window', async () => {
  const core = await callCase();
  const tags = await core.api['traces.tags']({});
  expect(tags).toContainEqual({ scope: 'span', name: 'db/system', spans: 18 });
  expect(tags).toContainEqual({ scope: 'resource', name: 'host.name', spans: 51 });
  const values = async (field: string, more: object = {}) =>
    (await core.api['traces.values']({ field, ...more })).map(({ value, is_number, spans }) => [
      value,
      is_number,
      spans,
    ]);
  expect(await values('resource.service.name')).toEqual([
    ['api', false, 20],
    ['db', false, 20],
    ['web', false, 10],
    ['job', false, 1],
  ]);
  expect(await values('span.code')).toEqual([
    ['none', false, 18],
    ['79', true, 2],
  ]);
  expect(await values('.db/system', { text: 'POST' })).toEqual([['postgres', false, 18]]);
  expect(await values('host.name', { text: 'b-1' })).toEqual([
    ['db-1', false, 20],
    ['web-1', false, 10],
    ['job-1', false, 1],
  ]);
  expect(await values('statusMessage')).toEqual([['refused', false, 2]]);
  expect(await values('duration')).toEqual([]);
  const early = { start_ns: START, end_ns: START + 500_000_000n };
  expect(await core.api['traces.tags'](early)).toEqual([]);
});
