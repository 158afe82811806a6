import { expect, test } from 'vitest';
import { memoryCore } from '../support/core.ts';

const LAST_NS = 2n ** 63n - 1n;
const BEGIN_NS = 1_777_644_000_000_000_000n;
const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'llm' } }] };

const attributes = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));

const span = (id: number, start_ns: bigint, end_ns: bigint) => ({
  traceId: id.toString(16).padStart(32, '0'),
  spanId: id.toString(16).padStart(16, '0'),
  ...{ name: 'chat', kind: 2, startTimeUnixNano: String(start_ns), endTimeUnixNano: String(end_ns) },
  attributes: attributes({ 'gen_ai.request.model': id % 2 === 0 ? 'a' : 'b' }),
});

const log = (time_ns: bigint) => ({
  timeUnixNano: String(time_ns),
  body: { stringValue: 'request completed' },
  attributes: attributes({ 'http.response.status_code': '200', duration_ms: '12' }),
});

/** A request every ten seconds for an hour, slow ones for ten minutes; beside them some that a broken clock put at the ends of what a time can be. */
const times = Array.from({ length: 360 }, (_, i) => BEGIN_NS + BigInt(i) * 10_000_000_000n);

test('requests at the ends of time take no conclusions from the others', async () => {
  const far = [span(1000, LAST_NS, LAST_NS), span(1001, 1n, LAST_NS), span(1002, 1n, 5n)];
  const spans = [
    ...times.map((time, i) => span(i + 1, time, time + (i >= 200 && i < 260 ? 4_000_000_000n : 200_000_000n))),
    ...far,
  ];
  const core = await memoryCore();
  await core.importJson(
    { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] },
    { resourceLogs: [{ resource, scopeLogs: [{ logRecords: [...times, 1n, LAST_NS].map(log) }] }] },
  );
  expect((await core.api.correlate({})).incidents).toHaveLength(1);
  await expect(core.api['costs.list']({ start_ns: BEGIN_NS, end_ns: LAST_NS })).resolves.toMatchObject({ lines: [] });
  await core.close();
});

test('a service that only logs its requests is judged beside a record of the last instant', async () => {
  const core = await memoryCore();
  const logRecords = [...times, LAST_NS].map(log);
  await core.importJson({ resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] });
  await expect(core.api.correlate({})).resolves.toBeDefined();
  await core.close();
});
