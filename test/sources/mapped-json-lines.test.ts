import { expect, test } from 'vitest';
import { applicationLog } from '../../src/main/sources/application-log/index.ts';
import { readSource } from '../support/read-source.ts';
import { inputOf } from '../support/source-input.ts';

const lines = [
  { When: '2026-05-01T14:10:00Z', What: { text: 'CUDA out of memory' }, How: 'bad', Box: 'gpu-01', time: 5 },
  { What: { text: 'without a time' } },
]
  .map((record) => JSON.stringify(record))
  .join('\n');
const mappingOf = (columns: Readonly<Record<string, string>>) => ({
  table: 'log' as const,
  columns: Object.fromEntries(Object.entries(columns).map(([target, column]) => [target, { column }])),
});

test('fields of JSON lines are offered, those inside of others, too', async () => {
  const { columns, targets } = await applicationLog.columns!(inputOf(lines));
  expect(columns.map(({ name }) => name)).toEqual(['When', 'What.text', 'How', 'Box', 'time']);
  expect(targets.log?.[0]).toEqual({ name: 'time', required: true });
});

test('JSON lines are read by the fields that the investigator names', async () => {
  const mapping = mappingOf({ time: 'When', body: 'What.text', severity_text: 'How', host: 'Box' });
  const { rows, entities } = await readSource(applicationLog, lines, { assume: { mapping } });
  expect(rows.log).toMatchObject([{ time_ns: 1_777_644_600_000_000_000n, body: 'CUDA out of memory' }]);
  expect(rows.log[0]!.attributes).toBe('{"field.time":5}');
  expect(rows.reject).toMatchObject([{ reason: 'a JSON record without a time' }]);
  expect(rows.event).toHaveLength(1);
  expect([...entities.keys()]).toContain('server:gpu-01');
});

test.each([
  [{ time: 'Then', body: 'What.text' }, 'no line of hidden has a field "Then"'],
  [{ time: 'When', colour: 'How' }, 'a log has no "colour"'],
])('a mapping that does not fit is refused: %j', async (columns, message) => {
  const assume = { mapping: mappingOf(columns) };
  await expect(readSource(applicationLog, lines, { assume })).rejects.toMatchObject({
    problem: { code: 'csv.mapping', message },
  });
});
