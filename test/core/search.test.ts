import { expect, test } from 'vitest';
import { memoryCore } from '../support/core.ts';
import { demoCore } from '../support/demo-core.ts';

test('a text is found in names of entities, events, spans and logs, and each leads to its record', async () => {
  const core = await demoCore();
  const about = await core.api.search({ text: 'GPU-NODE-05' });
  expect(about.entities[0]).toMatchObject({ key: 'server:gpu-node-05', layer: 'server' });
  expect(about.events[0]).toMatchObject({ device: 'gpu-node-05', type: 'psu_failover' });
  const events = (await core.api.search({ text: 'voltage sag' })).events;
  expect(events[0]).toMatchObject({ type: 'voltage_sag', device: 'PDU-B-rack-22', severity: 0 });
  // Words in any order, over type, entity and message.
  expect((await core.api.search({ text: 'node-06 failover' })).events).toMatchObject([
    { type: 'psu_failover', device: 'gpu-node-06' },
  ]);
  expect((await core.api.search({ text: 'gpu node-05/gpu-1' })).entities[0]).toMatchObject({ id: 'gpu-node-05/GPU-1' });
  expect((await core.api.search({ text: 'llama-70b generate' })).spans[0]).toMatchObject({ service: 'llama-70b' });
  expect((await core.api.search({ text: 'full cache preempting' })).logs[0]?.body).toContain('preempting sequence');
  const { rows } = await core.api['query.sql']({
    sql: "select name, count(*) from spans where name ilike '%infer%' or name ilike '%chat%' group by name order by 2 desc limit 1",
  });
  const [name = '', count = 0] = rows[0] as [string, number];
  const { spans } = await core.api.search({ text: name, limit: 50 });
  expect(spans.filter((one) => one.name === name).reduce((sum, one) => sum + one.spans, 0)).toBe(Number(count));
  const word = await core.api['query.sql']({ sql: 'select body from logs where length(body) > 12 limit 1' });
  const body = String(word.rows[0]?.[0]);
  const { logs } = await core.api.search({ text: body.slice(2, 40).toUpperCase(), limit: 3 });
  expect(logs.length).toBeGreaterThan(0);
  for (const { ref } of [...events, ...spans.slice(0, 2), ...logs])
    expect((await core.api['evidence.get']({ ref })).ref).toBe(ref);
  const none = await core.api.search({ text: "'; drop table event; --" });
  expect([none.entities, none.events, none.spans, none.logs].flat()).toEqual([]);
});

test('an id of any kind is found: trace, span, traceparent, GPU UUID, pod uid, serial number, event, Xid, host', async () => {
  const core = await memoryCore();
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
  const span = (spanId: string, start: number) => ({
    traceId: trace,
    spanId,
    name: `step ${spanId.at(-1)}`,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + 1000),
  });
  const uid = '0d9c7a34-1b1c-4a55-9c55-0123456789ab';
  const resource = {
    attributes: [
      text('service.name', 'chat'),
      text('host.name', 'node-5.example.org'),
      text('k8s.pod.name', 'chat-0'),
      text('k8s.pod.uid', uid),
    ],
  };
  const gpu = 'GPU-11111111-2222-3333-4444-555555555555';
  const psu = {
    attributes: [text('hw.type', 'power_supply'), text('hw.id', 'psu-1'), text('hw.serial_number', 'SN4711X')],
  };
  const event = {
    timeUnixNano: '1777644000000000000',
    body: { stringValue: 'NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.' },
    attributes: [text('gpu.uuid', gpu)],
  };
  await core.importJson(
    {
      resourceSpans: [
        {
          resource,
          scopeSpans: [
            { spans: [span('00f067aa0ba902b7', 1777644000000000000), span('00f067aa0ba902b8', 1777644000000000500)] },
          ],
        },
      ],
    },
    { resourceLogs: [{ resource, scopeLogs: [{ logRecords: [event] }] }] },
    {
      resourceMetrics: [
        {
          resource: psu,
          scopeMetrics: [
            {
              metrics: [
                {
                  name: 'hw.power',
                  unit: 'W',
                  gauge: { dataPoints: [{ timeUnixNano: '1777644000000000000', asDouble: 1 }] },
                },
              ],
            },
          ],
        },
      ],
    },
  );
  await core.importJson({
    events: [
      {
        id: 'evt-9f3',
        timestamp: '2026-05-01T14:10:00Z',
        source: 'aws',
        type: 'instance_retirement',
        severity: 'high',
        device_id: 'i-1',
        raw_message: 'retired',
        metadata: { arn: 'arn:aws:health:1' },
      },
    ],
  });
  const find = (wanted: string) => core.api.search({ text: wanted });
  expect((await find(trace.toUpperCase())).ids).toMatchObject([
    { trace_id: trace, is_span: false, spans: 2, service: 'chat' },
  ]);
  expect((await find('00f067aa0ba902b8')).ids).toMatchObject([{ is_span: true, name: 'step 8' }]);
  expect((await find(`00-${trace}-00f067aa0ba902b8-01`)).ids.map(({ is_span }) => is_span)).toEqual([false, true]);
  expect((await find(gpu)).entities).toMatchObject([{ kind: 'gpu' }]);
  expect((await find(uid)).entities).toMatchObject([{ key: 'pod:chat-0', what: 'kubernetes_pod_uid' }]);
  expect((await find('sn4711x')).entities).toMatchObject([{ kind: 'psu', name: 'SN4711X' }]);
  for (const xid of ['Xid 79', 'xid:79', 'XID=79', gpu])
    expect((await find(xid)).events).toMatchObject([{ type: 'xid_error' }]);
  for (const id of ['evt-9f3', 'arn:aws:health:1'])
    expect((await find(id)).events).toMatchObject([{ type: 'instance_retirement' }]);
  expect((await find('node-5.example.org')).entities.map(({ kind }) => kind)).toContain('server');
  const traces = (query: string) =>
    core.api['traces.search']({ query, start_ns: null, end_ns: null, order: 'slowest', limit: 5 });
  for (const id of [trace, '00f067aa0ba902b7', uid, 'node-5.example.org', `00-${trace}-00f067aa0ba902b8-01`])
    expect((await traces(id)).traces.map(({ trace_id }) => trace_id)).toEqual([trace]);
  expect((await traces('00f067aa0ba902ff')).traces).toEqual([]);
});
