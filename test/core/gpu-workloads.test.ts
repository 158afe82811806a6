import { expect, test } from 'vitest';
import { peersAmong, workOf } from '../../src/core/analysis/gpus/gpu-workloads.ts';
import type { EdgeFact, EntityFact } from '../../src/core/store/facts/reader.ts';

const entityList = [
  'rack:r',
  'server:a',
  'gpu:a/0',
  'gpu:a/1',
  'rank:t/0',
  'job:train',
  'pod:p',
  'service:chat',
  'job:old',
];
const entities = entityList.map((key, i): EntityFact => {
  const [kind = '', id = ''] = key.split(':');
  return { entity_id: i, canonical_id: i, kind: kind as EntityFact['kind'], id };
});
const place = (key: string): number => entityList.indexOf(key);
const edge = (from: string, kind: string, to: string, until = 100n): EdgeFact =>
  ({ from_id: place(from), kind, to_id: place(to), valid_from_ns: 0n, valid_to_ns: until }) as EdgeFact;
const edges = [
  edge('rack:r', 'contains', 'server:a'),
  edge('server:a', 'contains', 'gpu:a/0'),
  edge('server:a', 'contains', 'gpu:a/1'),
  edge('rank:t/0', 'runs_on', 'gpu:a/0'),
  edge('rank:t/0', 'member_of', 'job:train'),
  edge('pod:p', 'runs_on', 'server:a'),
  edge('service:chat', 'runs_on', 'pod:p'),
  edge('job:old', 'runs_on', 'gpu:a/0', 10n),
];

test('a GPU is used by the jobs and services that run on it then, else by those of its machine', () => {
  const used = workOf({ entities, edges, observers: new Set() }, { start_ns: 50n, end_ns: 60n });
  expect(used(place('gpu:a/0'))).toEqual(['job:train']);
  expect(used(place('gpu:a/1'))).toEqual(['service:chat']);
  expect(workOf({ entities, edges, observers: new Set() }, { start_ns: 0n, end_ns: 60n })(place('gpu:a/0'))).toEqual([
    'job:old',
    'job:train',
  ]);
});

test('a few GPUs that an exporter does not name are compared with the rest of their service', () => {
  const named = ['service:dcgm-exporter', 'service:chat'];
  const works = [['service:chat'], ...Array.from({ length: 7 }, () => named), ['service:other'], []];
  const peersOf = peersAmong(works);
  expect(peersOf(0)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(peersOf(3)).toEqual(peersOf(0));
  expect([peersOf(8), peersOf(9)]).toEqual([[8], [9]]);
});
