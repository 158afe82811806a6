import { expect, test } from 'vitest';
import { prepareCase, rowsOf } from '../../src/core/store/case-file/case-file.ts';
import { SourceWriter } from '../../src/core/store/writer/append.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';
import { tables } from '../../src/model/rows/rows.ts';
import type { Session } from '../../src/model/storage/engine.ts';

async function withCase(work: (session: Session) => Promise<void>): Promise<void> {
  const engine = await openNativeEngine(':memory:');
  await prepareCase(engine, 'store');
  const session = await engine.session();
  await work(session);
  session.close();
  await engine.close();
}

const source = { name: 'f', format: 'test', imported_at_ns: 1n, clock_offset_ns: 0n, clock_uncertainty_ns: 0n };
const end = { digest: 'x', bytes: 1 };

test.each(Object.keys(tables))('table %s has the columns of rows.ts, in their order', (name) =>
  withCase(async (session) => {
    const found = await session.query(
      'select column_name from duckdb_columns() where table_name = $1 order by column_index',
      [name],
    );
    const own = (found.columns[0] as string[]).filter((column) => column !== 'source_id' && column !== 'event_id');
    expect(own).toEqual(Object.keys(tables[name as keyof typeof tables]));
  }),
);

test('batches number names, entities and series across batches and imports', () =>
  withCase(async (session) => {
    for (const round of [1, 2]) {
      const writer = await SourceWriter.begin(session, source);
      for (let batch = 0; batch < 2; batch++) {
        const builder = new BatchBuilder();
        const entity = builder.entity('gpu', `GPU-${batch}`);
        const series = builder.series({
          metric: 'gpu.power',
          kind: 'gauge',
          entity,
          resource: -1,
          unit: 'W',
          description: '',
          temporality: 0,
          monotonic: false,
          attributes: '',
        });
        builder
          .table('point')
          .push({ series, start_ns: 0n, time_ns: BigInt(round * 10 + batch), value: batch === 0 ? Number.NaN : 5 });
        await writer.append(builder.finish(0));
      }
      await writer.commit(end);
    }
    const [counts] = rowsOf<Record<string, bigint>>(
      await session.query(
        'select (select count(*) from entity) as entities, (select count(*) from series) as series, (select count(*) from point where value is null) as gaps',
      ),
    );
    expect(counts).toEqual({ entities: 2n, series: 2n, gaps: 2n });
  }));

test('text of any script, empty text and long text come back as they went in', () =>
  withCase(async (session) => {
    const texts = [
      '',
      'a',
      'exactly12byt',
      'a text that is longer than a DuckDB inline string',
      'Größe 電源 🔥',
      '\u0000nul',
      'x'.repeat(100_000),
    ];
    const builder = new BatchBuilder();
    for (const body of texts) {
      builder.table('reject').push({ file: body, at: 1n, reason: body, excerpt: '' });
    }
    const writer = await SourceWriter.begin(session, source);
    await writer.append(builder.finish(0));
    await writer.commit(end);
    const found = await session.query('select reason from reject order by rowid');
    expect(found.columns[0]).toEqual(texts.map((text) => (text === '' ? null : text)));
  }));

test('more rows than one vector, with NULLs in the last partial one', () =>
  withCase(async (session) => {
    const count = 2048 * 3 + 5;
    const builder = new BatchBuilder();
    const entity = builder.entity('gpu', 'GPU-0');
    const series = builder.series({
      metric: 'm',
      kind: 'gauge',
      entity,
      resource: -1,
      unit: '',
      description: '',
      temporality: 0,
      monotonic: false,
      attributes: '',
    });
    for (let i = 0; i < count; i++)
      builder.table('point').push({ series, start_ns: 0n, time_ns: BigInt(i), value: i % 7 === 3 ? Number.NaN : i });
    const writer = await SourceWriter.begin(session, source);
    await writer.append(builder.finish(0));
    await writer.commit(end);
    const [sums] = rowsOf<Record<string, unknown>>(
      await session.query(
        'select count(*) as n, count(value) as known, sum(value) as total, max(time_ns) as last from point',
      ),
    );
    const retained = Array.from({ length: count }, (_, i) => i).filter((i) => i % 7 !== 3);
    expect(sums).toEqual({
      n: BigInt(count),
      known: BigInt(retained.length),
      total: retained.reduce((a, b) => a + b, 0),
      last: BigInt(count - 1),
    });
  }));

test('a rolled back import leaves no row of any table behind', () =>
  withCase(async (session) => {
    const builder = new BatchBuilder();
    builder.table('event').push({
      original_id: 'e',
      time_ns: 1n,
      entity: builder.entity('pdu', 'P'),
      origin: builder.name('o'),
      type: builder.name('t'),
      severity: 0,
      message: '',
      attributes: '',
      raw: '',
      details: '',
    });
    const writer = await SourceWriter.begin(session, source);
    await writer.append(builder.finish(0));
    await writer.rollback();
    for (const name of ['event', 'entity', 'name', 'source']) {
      expect((await session.query(`select count(*)::integer from ${name}`)).columns[0]).toEqual([0]);
    }
  }));
