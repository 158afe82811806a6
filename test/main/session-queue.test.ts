import { expect, test } from 'vitest';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';

test('what several ask of one session at once is answered one after another, each with its own rows', async () => {
  const engine = await openNativeEngine(':memory:');
  const session = await engine.session();
  const order: number[] = [];
  const sums = Array.from({ length: 6 }, async (_, nth) => {
    const { columns } = await session.query(`select sum(i + ${nth})::double from range(200000) r(i)`);
    order.push(nth);
    return columns[0]?.[0];
  });
  let rows = 0;
  for await (const piece of session.stream('select i::integer as i from range(200000) r(i)', { i: 'i32' }))
    rows += piece.count;
  expect(rows).toBe(200_000);
  const whole = (200_000 * 199_999) / 2;
  expect(await Promise.all(sums)).toEqual(Array.from({ length: 6 }, (_, nth) => whole + nth * 200_000));
  expect(order).toEqual([0, 1, 2, 3, 4, 5]);
  session.close();
  await engine.close();
});
