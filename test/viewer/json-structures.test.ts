import { afterAll, beforeAll, expect, test } from 'vitest';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import type { Engine } from '../../src/model/storage/engine.ts';
import { openNodeWasmEngine } from '../support/wasm-engine.ts';

let desktop: Engine;
let viewer: Engine;
beforeAll(async () => {
  desktop = await openNativeEngine(':memory:');
  viewer = await openNodeWasmEngine();
});
afterAll(async () => {
  await desktop.close();
  await viewer.close();
});

/** Structures of questions, each with a document that a case might hold. */
const read: readonly (readonly [structure: string, document: string])[] = [
  ['["INTEGER"]', '[1, 2, 30]'],
  ['["VARCHAR"]', String.raw`["a", "it's \"b\"", "back\\slash", null, "NULL", "", " , "]`],
  ['["INTEGER"]', '[]'],
  ['["INTEGER"]', '[1, null]'],
  ['[{"name": "VARCHAR", "factor": "DOUBLE"}]', '[{"name": "a", "factor": 0.001}, {"name": "b"}, {"other": 1}]'],
  ['{"gap_s": "DOUBLE", "of": "VARCHAR"}', '{"gap_s": 1.5, "of": "rank"}'],
  ['{"gap_s": "DOUBLE"}', '{}'],
];

const answer = async (engine: Engine, sql: string, document: string) => {
  const session = await engine.session();
  const { columns } = await session.query(sql, [document]);
  session.close();
  return columns.map((column) => [...column]);
};

test.each(read)('%s of %s is read alike in the viewer', async (structure, document) => {
  const value = `json_transform($1::varchar::json, '${structure}')`;
  const sql = structure.startsWith('[')
    ? `select unnest(${value}, recursive := true)`
    : `select unnest([${value}], recursive := true)`;
  expect(await answer(viewer, sql, document)).toEqual(await answer(desktop, sql, document));
});
