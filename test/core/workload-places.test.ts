import { expect, test } from 'vitest';
import { EntityGraph } from '../../src/core/analysis/topology/entity-graph.ts';
import type { EdgeFact, EntityFact } from '../../src/core/store/facts/reader.ts';
import type { EntityKind } from '../../src/model/entity.ts';
import type { EdgeKind } from '../../src/model/topology.ts';

const ALWAYS = { valid_from_ns: 0n, valid_to_ns: 2n ** 62n };

/** A graph of `kind:id` names, from lines such as `rank:5 runs_on gpu:0`. */
function graphOf(...links: string[]) {
  const names = [...new Set(links.flatMap((link) => [link.split(' ')[0]!, link.split(' ')[2]!]))];
  const { graph, keyOf } = built(names, links);
  return (device: string, work: string) => graph.relation(keyOf(device), keyOf(work));
}

function built(names: readonly string[], links: readonly string[]) {
  const keyOf = (name: string): number => names.indexOf(name) + 1;
  const entities = names.map((name) => {
    const [kind, id] = name.split(':') as [EntityKind, string];
    return { entity_id: keyOf(name), canonical_id: keyOf(name), kind, id } as EntityFact;
  });
  const edges = links.map((link) => {
    const [from, kind, to] = link.split(' ') as [string, EdgeKind, string];
    return { from_id: keyOf(from), kind, to_id: keyOf(to), ...ALWAYS } as EdgeFact;
  });
  return { graph: new EntityGraph(entities, edges, 1n), keyOf };
}

test('a process, a rank and a pod hang on what carries them, as a service does', () => {
  const relation = graphOf(
    'pdu:B feeds server:5',
    'server:5 contains gpu:0',
    'process:5/pid-1 runs_on server:5',
    'rank:5 runs_on gpu:0',
    'pod:trainer-5 runs_on node:5',
    'node:5 runs_on server:5',
    'service:api runs_on server:6',
    'pdu:A feeds server:6',
  );
  for (const work of ['process:5/pid-1', 'rank:5', 'pod:trainer-5']) {
    expect(relation('server:5', work)).toBe('mapped');
    expect(relation('pdu:B', work)).toBe('mapped');
    expect(relation('pdu:A', work)).not.toBe('mapped');
  }
  expect(relation('gpu:0', 'rank:5')).toBe('mapped');
  expect(relation('pdu:B', 'service:api')).not.toBe('mapped');
});

test('a job lives where its ranks and pods are; one rank does not live where another is', () => {
  const relation = graphOf(
    'server:5 contains gpu:5',
    'server:6 contains gpu:6',
    'rank:5 runs_on gpu:5',
    'rank:6 runs_on gpu:6',
    'rank:5 member_of job:llm',
    'rank:6 member_of job:llm',
    'pod:eval-0 member_of job:eval',
    'pod:eval-0 runs_on server:6',
  );
  expect(relation('gpu:5', 'job:llm')).toBe('mapped');
  expect(relation('server:6', 'job:llm')).toBe('mapped');
  expect(relation('server:6', 'job:eval')).toBe('mapped');
  expect(relation('server:5', 'job:eval')).not.toBe('mapped');
  expect(relation('gpu:6', 'rank:5')).not.toBe('mapped');
});

/** The relation by which an effect on one entity may have its cause on another. */
function relationsOf(...links: string[]) {
  const names = [...new Set(links.flatMap((link) => [link.split(' ')[0]!, link.split(' ')[2]!]))];
  const { graph, keyOf } = built(names, links);
  return (cause: string, effect: string) => graph.sourcesOf(keyOf(effect)).get(keyOf(cause));
}

test('cards that the map calls by their device are the interfaces that logs name', () => {
  const cables = [0, 1].flatMap((n) => [
    `server:gx-1 contains nic:gx-1/mlx5_${n}`,
    `server:gx-1 contains nic:gx-1/ibs${n}`,
    `switch:leaf-${n} contains port:leaf-${n}/7`,
    `port:leaf-${n}/7 connects nic:gx-1/mlx5_${n}`,
  ]);
  expect(relationsOf(...cables)('switch:leaf-1', 'nic:gx-1/ibs1')).toBe('below');
  expect(relationsOf(...cables)('switch:leaf-0', 'nic:gx-1/ibs1')).toBeUndefined();
  // A third kind of name: which of the two has the cables is unknown.
  const third = [0, 1].map((n) => `server:gx-1 contains nic:gx-1/eth${n}`);
  expect(relationsOf(...cables, ...third)('switch:leaf-1', 'nic:gx-1/ibs1')).toBeUndefined();
});

test('two PDUs that feed one machine are the other supply of each other', () => {
  const relation = relationsOf('pdu:A feeds server:1', 'pdu:B feeds server:1', 'pdu:C feeds server:2');
  expect(relation('pdu:A', 'pdu:B')).toBe('other supply');
  expect(relation('pdu:C', 'pdu:B')).toBeUndefined();
});

test('a Deployment that nothing links is the one of the service of its name, and no place of it', () => {
  const names = ['service:chat', 'service:ranker', 'job:prod/chat', 'job:prod/other'];
  const { graph, keyOf } = built(names, []);
  expect(graph.relation(keyOf('job:prod/chat'), keyOf('service:chat'))).toBe('mapped');
  expect(graph.relation(keyOf('job:prod/chat'), keyOf('service:ranker'))).not.toBe('mapped');
  expect(graph.relation(keyOf('job:prod/other'), keyOf('service:chat'))).not.toBe('mapped');
  expect(graph.isPlaced(keyOf('service:chat'))).toBe(false);
});
