import { expect, test } from 'vitest';
import { evidenceText } from '../../src/core/analysis/evidence/index.ts';
import { besideRestarted, restarted } from '../../src/core/analysis/evidence/software.ts';

test('evidence that software started again is a sentence, not the id of its kind', () => {
  const started = { service: 'chat', on: 'chat-0', message: 'Started container', before_s: 2, atLimit: false };
  expect(evidenceText({ kind: restarted.id, parameters: started })).toBe(
    'software of chat started 2 s before the first anomaly (chat-0: Started container)',
  );
  const beside = { service: 'cache', affected: 'store' };
  expect(evidenceText({ kind: besideRestarted.id, parameters: beside })).toContain('store calls cache');
});
