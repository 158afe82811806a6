import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { applicationLog } from '../../src/main/sources/application-log/index.ts';
import { kernelLog } from '../../src/main/sources/kernel-log/index.ts';
import { logCsv } from '../../src/main/sources/log-csv/index.ts';
import { otlpJson } from '../../src/main/sources/otlp-json/index.ts';
import { readSource } from '../support/read-source.ts';

const TRACE = '00000000000000000000000000abc002';
const SPAN = '0000000000000012';
const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
const otlp = (...records: readonly object[]) =>
  JSON.stringify({
    resourceLogs: [
      {
        resource: { attributes: [text('service.name', 'api')] },
        scopeLogs: [{ logRecords: records.map((one, i) => ({ timeUnixNano: `177764426420000000${i}`, ...one })) }],
      },
    ],
  });

test('OTLP records that carry a JSON line, or ids as attributes or text, name their span and level', async () => {
  const json = JSON.stringify({ level: 'WARN', msg: 'skipping', trace_id: TRACE, span_id: SPAN });
  const content = otlp(
    { body: { stringValue: json } },
    { body: { stringValue: 'skipping' }, attributes: [text('trace_id', TRACE), text('span_id', SPAN)] },
    { body: { stringValue: `skipping trace_id=${TRACE} span_id=${SPAN}` }, severityNumber: 9 },
    { body: { stringValue: json }, severityNumber: 9, traceId: '0af7651916cd43dd8448eb211c80319c' },
    { body: { stringValue: 'trace_id=abc' } },
  );
  const { rows } = await readSource(otlpJson, content);
  expect(rows.log.map(({ severity, trace_lo, span_id }) => [severity, trace_lo, span_id])).toEqual([
    [13, 0xabc002n, 0x12n],
    [0, 0xabc002n, 0x12n],
    [9, 0xabc002n, 0x12n],
    [9, 0x8448eb211c80319cn, 0n],
    [0, 0n, 0n],
  ]);
});

test('a message of the journal that is JSON names its trace', async () => {
  const file = join(import.meta.dirname, '../../fixtures/kernel-log/journal-of-service.json');
  const { rows } = await readSource(kernelLog, readFileSync(file));
  expect(rows.log.map(({ trace_lo }) => trace_lo)).toEqual([0xabc002n]);
});

test('a Kubernetes event is known by its attributes alone', async () => {
  const attributes = [
    text('k8s.event.reason', 'Evicted'),
    text('k8s.pod.name', 'a-0'),
    text('k8s.namespace.name', 'n'),
  ];
  const { rows } = await readSource(otlpJson, otlp({ severityNumber: 13, body: { stringValue: 'gone' }, attributes }));
  expect(rows.event.map(({ type, entity }) => [type, entity])).toEqual([['pod_evicted', 'pod:n/a-0']]);
});

test.each([
  ['ERROR: disk failed', 17],
  ['error: disk failed', 17],
  ['Warning: slow', 13],
  ['[warn] slow', 13],
  ['<INFO> ready', 9],
  ['FATAL disk failed', 21],
  ['panic: runtime error: index out of range', 21],
  ['NOTICE: table exists', 10],
  ['Error while reading is a sentence', 0],
  ['Information about errors', 0],
  ['Trace: of what', 0],
  ['INFORMATION', 0],
  ['fine, thank you', 0],
])('%j states its level, in whatever carries it', async (body, severity) => {
  const time = '2026-05-01T14:04:18Z';
  const carriers = [
    [applicationLog, `${JSON.stringify({ time, msg: body, service: 'a' })}\n`],
    [applicationLog, `${time} stdout F ${body}\n`],
    [logCsv, `timestamp,message,host\n${time},"${body}",node-1\n`],
    [otlpJson, otlp({ body: { stringValue: body } })],
    [kernelLog, `May  1 14:04:18 node-1 app[7]: ${body}\n`],
  ] as const;
  for (const [source, content] of carriers) {
    const { rows } = await readSource(source, content);
    expect(
      rows.log.map((row) => row.severity),
      source.id,
    ).toEqual([severity]);
  }
});

test('a level that is stated beside the text counts', async () => {
  const { rows } = await readSource(otlpJson, otlp({ severityNumber: 9, body: { stringValue: 'ERROR: old' } }));
  expect(rows.log[0]?.severity).toBe(9);
});

test('rank and request of a body become attributes of OTLP records and of the journal', async () => {
  const json = JSON.stringify({ level: 'info', msg: 'a', rank: 3, request_id: 'r-1' });
  const content = otlp(
    { body: { stringValue: json } },
    { body: { stringValue: '[rank7]: lost a peer' }, attributes: [text('k', 'v')] },
    { body: { stringValue: 'level=info msg=b request_id=r-2' } },
    { body: { stringValue: json }, attributes: [{ key: 'rank', value: { intValue: '5' } }] },
    { body: { stringValue: 'frank words' } },
  );
  const { rows } = await readSource(otlpJson, content);
  expect(rows.log.map(({ attributes }) => attributes)).toEqual([
    '{"rank":3,"request.id":"r-1"}',
    '{"k":"v","rank":7}',
    '{"request.id":"r-2"}',
    '{"rank":5,"request.id":"r-1"}',
    '',
  ]);
  const entry = { __REALTIME_TIMESTAMP: '1777644258000000', _HOSTNAME: 'node-1', SYSLOG_IDENTIFIER: 'app' };
  const journal = ['[rank7]: lost a peer', json].map((MESSAGE) => `${JSON.stringify({ ...entry, MESSAGE })}\n`);
  const lines = (await readSource(kernelLog, journal.join(''))).rows.log;
  expect(lines.map(({ attributes }) => attributes)).toEqual([
    expect.stringContaining('"rank":7'),
    expect.stringContaining('"rank":3,"request.id":"r-1"'),
  ]);
});
