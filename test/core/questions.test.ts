import { afterAll, beforeAll, expect, test } from 'vitest';
import { prepareCase } from '../../src/core/store/case-file.ts';
import { questions } from '../../src/core/store/questions/index.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import type { Engine } from '../../src/model/engine.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openNativeEngine(':memory:');
  await prepareCase(engine, 'questions');
});
afterAll(() => engine.close());

test.each(Object.entries(questions))('question %s runs on an empty case', async (name, sql) => {
  const session = await engine.session();
  const parameters = new Set(sql.replaceAll(/--.*$/gm, '').match(/\$\d+/g) ?? []);
  // Window, then whatever the question's own comment names: an id, a limit, buckets or a JSON list.
  const buckets = ['laneMetrics', 'laneMetricRanges'].includes(name);
  const third = /^(lane|statistics|repair)/.test(name) && !buckets ? '[]' : 5n;
  // Baseline, window and a limit or rows from and to.
  const phases = ['spanShifts', 'spanSteps', 'logBodies', 'metricShifts'].includes(name);
  const samples: Record<string, bigint | string> = {
    $1: 0n,
    $2: 10n,
    $3: third,
    $4: (/^(lane|repair)/.test(name) && !buckets && name !== 'laneCollectives') || phases ? 5n : '[]',
    $5: buckets || name === 'laneEventDensity' ? '[]' : 1n,
    $6: /^laneEvent/.test(name) ? '[]' : 2n,
    $7: 3n,
  };
  const values = [...parameters].sort().map((parameter) => samples[parameter] as bigint | string);
  const answer = await session.query(sql, values);
  expect(answer.names.length).toBeGreaterThan(0);
  session.close();
});
