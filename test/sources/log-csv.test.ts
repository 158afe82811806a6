import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { logCsv } from '../../src/main/sources/log-csv/index.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { readSource, reasonsOf } from '../support/read-source.ts';

test('a CSV of log records is read by its column names', async () => {
  const reading = await readSource(logCsv, readFileSync(join(import.meta.dirname, '../../fixtures/log-csv/logs.csv')));
  expect(reading.rows.log.map(({ severity, body }) => [severity, body])).toEqual([
    [17, 'CUDA out of memory'],
    [9, 'two\nlines, quoted'],
  ]);
  expect(reading.rows.event.map(({ type, entity }) => [type, entity])).toEqual([
    ['gpu_out_of_memory', 'service:trainer'],
  ]);
  expect(reasonsOf(reading)).toEqual(['a row without a time']);
});

test('columns of other names are mapped', async () => {
  const content = 'when,what,who\n2026-05-01T14:04:20Z,hello,api\n';
  const columns = { time: { column: 'when' }, body: { column: 'what' }, service: { column: 'who' } };
  const { rows, entities } = await readSource(logCsv, content, { assume: { mapping: { table: 'log', columns } } });
  expect(rows.log.map(({ body }) => body)).toEqual(['hello']);
  expect([...entities.keys()]).toEqual(['service:api']);
  const counted = { table: 'log', columns: { ...columns, time: { column: 'when', unit: 's' } } } as const;
  const inSeconds = await readSource(logCsv, 'when,what,who\n5.5,hello,api\n', { assume: { mapping: counted } });
  expect(inSeconds.rows.log.map(({ time_ns }) => time_ns)).toEqual([5_500_000_000n]);
  const wrong = { table: 'log', columns: { time: { column: 'nope' } } } as const;
  await expect(readSource(logCsv, content, { assume: { mapping: wrong } })).rejects.toThrow('no column "nope"');
});

test('columns are known in any case and with any separators; a trace id stands for a level', async () => {
  const text = [
    'Timestamp,Node,PodName,TraceID,SpanID,Log',
    '2026-05-01T14:04:20Z,n1,a-0,0af7651916cd43dd8448eb211c80319c,b7ad6b7169203331,"slow, again"',
  ].join('\n');
  expect(logCsv.detect(new FileHead(Buffer.from(text)))).toBe(true);
  const { rows, entities } = await readSource(logCsv, text);
  expect(rows.log).toMatchObject([{ body: 'slow, again', trace_lo: 0x8448eb211c80319cn }]);
  expect([...entities.keys()]).toContain('pod:a-0');
});
