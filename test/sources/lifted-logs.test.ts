import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kernelLog } from '../../src/main/sources/kernel-log/index.ts';
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
