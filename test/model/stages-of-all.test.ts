import { expect, test } from 'vitest';
import { stagesOfAllText } from '../../src/model/incident/incident.ts';

const of = (kind: 'model' | 'tenant' | 'replica' | 'rank', name: string) =>
  stagesOfAllText({ affected_parts: [{ kind, name }] });

test('stages beside an incident of one tenant or replica are stated to be of all requests', () => {
  expect(of('tenant', 'acme')).toBe(
    'Stages are of all requests of a service; those for tenant acme, which degraded, may differ.',
  );
  expect(of('replica', 'vllm-3')).toContain('those on replica vllm-3, which');
});

test('stages that are of what degraded need no such words', () => {
  expect([stagesOfAllText({ affected_parts: [] }), of('model', 'small'), of('rank', 'rank 3')]).toEqual(['', '', '']);
});
