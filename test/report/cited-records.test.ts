import { expect, test } from 'vitest';
import { queries } from '../../src/core/store/queries/index.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { ProblemError } from '../../src/model/problem.ts';
import type { Engine, SqlValue } from '../../src/model/storage/engine.ts';
import { incident } from '../bundle/bundle-case.ts';
import { memoryCore } from '../support/core.ts';

/** Calls `before` with each statement. */
async function watched(before: (sql: string, values: readonly SqlValue[]) => void): Promise<Engine> {
  const engine = await openNativeEngine(':memory:');
  return {
    ...engine,
    session: async () => {
      const session = await engine.session();
      return {
        ...session,
        query: async (sql, values = [], signal) => {
          before(sql, values);
          return session.query(sql, values, signal);
        },
      };
    },
  };
}

test('a report reads its cited events, entities and the summary of its case at once, not record by record', async () => {
  const asked: string[] = [];
  const core = await memoryCore({ engine: await watched((sql) => asked.push(sql)) });
  await core.import(incident('pdu-sag'));
  await core.api['report.document']({});
  asked.length = 0;
  const { document } = await core.api['report.document']({});
  const times = (sql: string): number => asked.filter((one) => one === sql).length;
  const cited = (kind: string): number => document.evidence.filter((one) => one.ref.startsWith(`${kind}:`)).length;
  expect(cited('event')).toBeGreaterThan(1);
  expect(cited('entity')).toBeGreaterThan(1);
  expect(times(queries.eventRecords)).toBe(1);
  expect(times(queries.entityAliases)).toBe(1);
  // For what its sections state, and for all records together.
  expect(times(queries.entitiesIntroduced)).toBe(2);
});

test('an event that cannot be read hides no other', async () => {
  let damaged = '';
  const engine = await watched((sql, [ids]) => {
    if (sql === queries.eventRecords && damaged !== '' && String(ids).split(',').includes(damaged))
      throw new ProblemError({ code: 'case.damaged', message: 'a block cannot be read' });
  });
  const core = await memoryCore({ engine });
  await core.import(incident('pdu-sag'));
  const whole = (await core.api['report.document']({})).document.evidence;
  const ref = whole.find((one) => one.kind === 'event')!.ref;
  damaged = ref.slice('event:'.length);
  const { evidence } = (await core.api['report.document']({})).document;
  const unread = evidence.filter(({ kind }) => kind === 'unread');
  expect(unread.map((one) => one.ref)).toEqual([ref]);
  expect(evidence.filter((one) => one.ref !== ref)).toEqual(whole.filter((one) => one.ref !== ref));
});
