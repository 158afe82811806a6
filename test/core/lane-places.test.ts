import { expect, test } from 'vitest';
import { placesOf } from '../../src/core/api/lanes/lane-places.ts';
import type { EdgeFact, EntityFact } from '../../src/core/store/facts/reader.ts';
import { type EntityKind, entityKinds } from '../../src/model/entity.ts';
import { ALWAYS_FROM, ALWAYS_TO } from '../../src/model/rows/rows.ts';
import type { EdgeKind } from '../../src/model/topology.ts';

/** Lines like `rack:r contains server:s`, with an optional end of validity. */
function places(...lines: readonly string[]): Record<string, string> {
  const entities: EntityFact[] = [];
  const number = (name: string): number => {
    const [kind = '', id = ''] = name.split(':');
    const found = entities.find((one) => one.kind === kind && one.id === id);
    if (found) return found.entity_id;
    expect(entityKinds).toContain(kind);
    const entity_id = entities.length;
    entities.push({ entity_id, canonical_id: entity_id, kind: kind as EntityKind, id });
    return entity_id;
  };
  const edges = lines.map((line): EdgeFact => {
    const [from = '', kind = '', to = '', until] = line.split(' ');
    return {
      from_id: number(from),
      kind: kind as EdgeKind,
      to_id: number(to),
      valid_from_ns: ALWAYS_FROM,
      valid_to_ns: until ? BigInt(until) : ALWAYS_TO,
    };
  });
  const placeOf = placesOf(entities, edges);
  return Object.fromEntries(
    entities.map(({ entity_id, kind, id }) => [`${kind}:${id}`, placeOf(entity_id).join(' > ')]),
  );
}

test('a GPU is in its server and rack, a PSU and a PDU in theirs, a rank in its job', () => {
  const found = places(
    'rack:r contains server:s',
    'server:s contains gpu:g',
    'server:s contains psu:p',
    'pdu:d feeds rack:r',
    'pdu:d feeds server:s',
    'rank:0 runs_on gpu:g',
    'rank:0 member_of job:j',
    'pod:p runs_on server:s',
    'service:v runs_on pod:p',
  );
  expect(found).toEqual({
    'rack:r': '',
    'server:s': 'rack:r',
    'gpu:g': 'rack:r > server:s',
    'psu:p': 'rack:r > server:s',
    'pdu:d': 'rack:r',
    'rank:0': 'job:j',
    'job:j': '',
    'pod:p': 'rack:r > server:s',
    'service:v': '',
  });
});

test('an entity with two containers has none; a moved entity has its latest container', () => {
  expect(places('rack:a contains server:s', 'rack:b contains server:s')['server:s']).toBe('');
  expect(places('rack:a contains server:s 50', 'rack:b contains server:s')['server:s']).toBe('rack:b');
  expect(places('pdu:d feeds rack:a', 'pdu:d feeds rack:b')['pdu:d']).toBe('');
});

test('links in a circle end', () => {
  const { 'server:a': place = '' } = places('server:a contains server:b', 'server:b contains server:a');
  expect(place.split(' > ').length).toBeLessThanOrEqual(8);
});
