import { expect, test } from 'vitest';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';

test('a database is closed when what is asked of it has been answered, and nothing is asked of it afterwards', async () => {
  const engine = await openNativeEngine(':memory:');
  const order: string[] = [];
  const session = await engine.session();
  const pending = session
    .query('select sum(hash(a.range) % 7)::double from range(20000) a, range(5000) b')
    .then(() => order.push('answered'))
    .finally(() => session.close());
  const closed = engine.close().then(() => order.push('closed'));
  await expect(engine.session()).rejects.toMatchObject({ problem: { code: 'case.closed' } });
  await Promise.all([pending, closed]);
  expect(order).toEqual(['answered', 'closed']);
});
