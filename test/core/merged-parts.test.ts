import { expect, test } from 'vitest';
import { mergeParts } from '../../src/core/store/writer/merge-parts.ts';

/** Pairs that are joined, of entities of this kind that stand as `id` or, with the name that a recorder gave, `id = name`. */
function joined(
  kind: string,
  parts: readonly string[],
  machines = ['h1'],
  same: Readonly<Record<string, string>> = {},
) {
  const written = [...machines.map((id) => ({ kind: 'server', id })), ...parts.map((id) => ({ kind, id }))];
  const entities = written.map(({ kind, id }, entity_id) => ({ entity_id, kind, id: id.split(' = ')[0]! }));
  const given = new Map(written.map(({ id }, entity_id) => [entity_id, id.split(' = ')[1] ?? '']));
  const pairs: string[] = [];
  const leader = (id: number) => {
    const other = same[entities[id]!.id];
    return other === undefined ? id : entities.findIndex((one) => one.id === other);
  };
  const join = (a: number, b: number) => pairs.push(`${entities[a]!.id} = ${entities[b]!.id}`);
  mergeParts({ entities, names: [], leader, join, demote: () => undefined }, given);
  return pairs;
}

test('supplies of one machine are one where recorders differ in the word before the number', () => {
  expect(joined('psu', ['h1/PSU1', 'h1/PSU2', 'h1/psu-PSU1', 'h1/psu-PSU2'])).toEqual([
    'h1/PSU1 = h1/psu-PSU1',
    'h1/PSU2 = h1/psu-PSU2',
  ]);
  expect(joined('psu', ['h1/psu-0 = PSU1', 'h1/psu-1 = PSU2', 'h1/Power Supply 1', 'h1/Power Supply 2'])).toEqual([
    'h1/psu-0 = h1/Power Supply 1',
    'h1/psu-1 = h1/Power Supply 2',
  ]);
  expect(joined('cooling', ['h1/fan-Fan1A', 'h1/Fan1A'])).toEqual(['h1/fan-Fan1A = h1/Fan1A']);
});

test('numbers that need not mean the same place stay apart', () => {
  expect(joined('psu', ['h1/psu-0', 'h1/psu-1', 'h1/PSU1', 'h1/PSU2'])).toEqual([]);
  expect(joined('psu', ['h1/PSU-A', 'h1/PSU-B', 'h1/psu-1', 'h1/psu-2'])).toEqual([]);
  expect(joined('psu', ['h1/PSU1', 'h2/psu-PSU1'], ['h1', 'h2'])).toEqual([]);
  // Two boards of one machine each have a supply 1.
  expect(joined('psu', ['h1/psu-PSU1', 'h1/psu-PSU1@board-2 = PSU1', 'h1/PSU1'])).toEqual([]);
  // A port's word is part of its name.
  expect(joined('port', ['h1/fan1', 'h1/1'])).toEqual([]);
});

test('a service called like a machine has no parts', () => {
  const entities = [
    { entity_id: 0, kind: 'server', id: 'h1' },
    { entity_id: 1, kind: 'server', id: 'h1.example.com' },
    { entity_id: 2, kind: 'nic', id: 'h1/eth0' },
    { entity_id: 3, kind: 'nic', id: 'h1.example.com/eth0' },
    { entity_id: 4, kind: 'service', id: 'h1' },
  ];
  const pairs: string[] = [];
  const leader = (id: number) => (id === 1 ? 0 : id);
  const join = (a: number, b: number) => pairs.push(`${a} = ${b}`);
  mergeParts({ entities, names: [], leader, join, demote: () => undefined }, new Map());
  expect(pairs).toEqual(['2 = 3']);
});

test('parts of the same name are one where their machines are', () => {
  const machines = ['h1', 'h1.example.com', 'h2'];
  const parts = ['h1/Ethernet1', 'h1.example.com/ethernet1', 'h2/Ethernet1'];
  expect(joined('port', parts, machines, { 'h1.example.com': 'h1' })).toEqual([
    'h1/Ethernet1 = h1.example.com/ethernet1',
  ]);
});
