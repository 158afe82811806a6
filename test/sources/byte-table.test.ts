import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteTable } from '../../src/main/sources/otlp/byte-table.ts';

/** Few different bytes, so that many texts are alike up to their last byte. */
const text = fc.uint8Array({ maxLength: 13, max: 2 });

test('equal bytes beside equal seeds have one number, wherever in whatever buffer they lie; others never do', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(text, fc.nat({ max: 2 }), fc.nat({ max: 9 })), { maxLength: 200 }), (input) => {
      const table = new ByteTable();
      const known = new Map<string, number>();
      for (const [bytes, seed, shift] of input) {
        const whole = new Uint8Array(shift + bytes.length + 3);
        whole.set(bytes, shift);
        const view = whole.subarray(shift % 3);
        const start = shift - (shift % 3);
        const number = table.intern(view, start, start + bytes.length, seed);
        const key = `${seed}:${bytes.join()}`;
        if (!known.has(key)) known.set(key, known.size);
        expect(number).toBe(known.get(key));
        expect(table.text(number)).toBe(String.fromCharCode(...bytes));
      }
    }),
  );
});

test('more different texts than it stores: it forgets all of them, and changes its epoch', () => {
  const table = new ByteTable();
  const bytes = new Uint8Array(4);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < 65_536; i++) {
    view.setUint32(0, i);
    expect(table.intern(bytes, 0, 4)).toBe(i);
  }
  expect(table.epoch).toBe(0);
  view.setUint32(0, 70_000);
  expect(table.intern(bytes, 0, 4)).toBe(0);
  expect(table.epoch).toBe(1);
});
