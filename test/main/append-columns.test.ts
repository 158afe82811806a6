import { expect, test } from 'vitest';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import type { AppendRows, Session } from '../../src/model/storage/engine.ts';

/** A text column of these texts, with bytes before it that belong to others. */
function column(texts: readonly Uint8Array[]): AppendRows {
  const before = Buffer.from('others');
  const offsets = new Uint32Array(texts.length + 1);
  offsets[0] = before.length;
  for (const [i, text] of texts.entries()) offsets[i + 1] = offsets[i]! + text.length;
  const values = Int32Array.from(texts, (_, i) => i);
  return {
    columns: [
      { type: 'i32', values },
      { type: 'text', values: { bytes: Buffer.concat([before, ...texts]), offsets } },
    ],
    count: texts.length,
  };
}

const ways: Readonly<Record<string, (session: Session, rows: AppendRows) => Promise<void>>> = {
  appended: (session, { columns, count }) => session.append('t', columns, count),
  'pulled by an INSERT': (session, rows) => {
    const left: (AppendRows | 'end')[] = [rows];
    return session.insert('t', { types: rows.columns.map(({ type }) => type), next: () => left.shift() ?? 'end' });
  },
};

async function stored(texts: readonly Uint8Array[], put: (typeof ways)[string]): Promise<readonly unknown[]> {
  const engine = await openNativeEngine(':memory:');
  const session = await engine.session();
  await session.execute('create table t (i integer, text varchar)');
  await put(session, column(texts));
  const { columns } = await session.query('select text from t order by i');
  session.close();
  await engine.close();
  return columns[0] ?? [];
}

test.each(Object.entries(ways))('texts of any length come back as they were when %s', async (_, put) => {
  // In place up to 12 bytes, beyond that behind an address; more than one chunk, and chunks of short ones only.
  const texts = Array.from({ length: 9000 }, (_, i) =>
    i < 5000 ? 'ü€𝄞x'.repeat(i % 29).slice(0, i % 37) : 'n'.repeat(i % 5),
  ).map((text) => Buffer.from(text).toString());
  expect(
    await stored(
      texts.map((text) => Buffer.from(text)),
      put,
    ),
  ).toEqual(texts.map((text) => text || null));
  const long = ['x'.repeat(3_000_000), '', 'y'.repeat(5_000_000)];
  expect(
    await stored(
      long.map((text) => Buffer.from(text)),
      put,
    ),
  ).toEqual([long[0], null, long[2]]);
});

test.each(Object.entries(ways))('a text that is no UTF-8 harms none of its neighbours when %s', async (_, put) => {
  const texts = [
    Buffer.from('a text before it'),
    Buffer.from([0x61, 0xff, 0xfe, 0x62]),
    Buffer.from('a text behind it'),
  ];
  expect(await stored(texts, put)).toEqual(['a text before it', 'a��b', 'a text behind it']);
});
