import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { logAnswers } from '../../src/main/sources/log-answers/index.ts';
import { readSource, reasonsOf } from '../support/read-source.ts';

const read = (name: string) =>
  readSource(logAnswers, readFileSync(join(import.meta.dirname, '../../fixtures/log-answers', name)));
const TRACE_LOW = 0x8448eb211c80319cn;

test('streams of Loki name their service, pod and node; lines and metadata name level and trace', async () => {
  const reading = await read('loki.json');
  const { log, event } = reading.rows;
  expect(log.map(({ time_ns, severity, trace_lo, body }) => [time_ns, severity, trace_lo, body])).toEqual([
    [1_777_644_264_200_000_000n, 0, 0n, 'skipping event trace_id=abc'],
    [1_777_644_264_300_000_000n, 13, TRACE_LOW, 'slow'],
    [1_777_644_264_400_000_000n, 17, TRACE_LOW, 'CUDA out of memory. Tried to allocate 20.00 GiB'],
  ]);
  expect(event.map(({ type, entity }) => [type, entity])).toEqual([['gpu_out_of_memory', 'service:fault-remediation']]);
  expect([...reading.entities.keys()]).toEqual(
    expect.arrayContaining(['service:fault-remediation', 'pod:gpu/fr-0', 'node:node-3']),
  );
  expect(reading.rows.edge.map(({ from_entity, kind, to_entity }) => [from_entity, kind, to_entity])).toContainEqual([
    'pod:gpu/fr-0',
    'runs_on',
    'node:node-3',
  ]);
  expect(reasonsOf(reading)).toEqual(['an entry without a line']);
});

test('hits of Elasticsearch are records, in an answer and one per line', async () => {
  const answer = await read('elasticsearch.json');
  expect(answer.rows.log).toMatchObject([{ severity: 17, trace_lo: TRACE_LOW }]);
  expect([...answer.entities.keys()]).toEqual(expect.arrayContaining(['service:api', 'pod:web/api-0']));
  expect(reasonsOf(answer)).toEqual(['a record without a time']);
  expect((await read('elasticsearch-dump.ndjson')).rows.log.map(({ body }) => body)).toEqual(['one', 'two']);
});

test('events of CloudWatch Logs give the same events as the log itself', async () => {
  const { rows, entities } = await read('cloudwatch-logs.json');
  expect(rows.event.map(({ type }) => type)).toEqual(['gpu_out_of_memory']);
  expect(rows.log.map(({ body, severity, scope }) => [body, severity, scope])).toEqual([
    ['CUDA out of memory. Tried to allocate 20.00 GiB', 17, 'trainer'],
    ['hello', 9, ''],
  ]);
  expect([...entities.keys()]).toContain('node:node-3');
});

test('messages of a Loki tail are read, one after the other', async () => {
  const { rows, entities } = await read('loki-tail.json');
  expect(rows.log.map(({ severity, time_ns }) => [severity, time_ns])).toEqual([
    [17, 1_777_644_258_123_456_789n],
    [17, 1_777_644_259_000_000_000n],
  ]);
  expect([...entities.keys()]).toEqual(expect.arrayContaining(['rank:rank-3', 'pod:ml/worker-1']));
});
