import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generatePoints } from '../../bench/otlp-points.ts';
import { prepareCase, rowsOf } from '../../src/core/store/case-file/case-file.ts';
import { SourceWriter } from '../../src/core/store/writer/append.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';
import { openTestCore, temporaryFolder } from '../support/core.ts';

const source = { name: 'f', format: 'test', imported_at_ns: 1n, clock_offset_ns: 0n, clock_uncertainty_ns: 0n };

/** A point of the GPU, and the batch that it ends. */
function pointOf(builder: BatchBuilder, gpu: number, metric: string, time: number, names: readonly string[] = []) {
  const entity = builder.entity(
    'gpu',
    `GPU-${gpu}`,
    names.map((name) => ({ kind: 'uuid', name })),
  );
  const resource = builder.resource({ entity, attributes: `{"gpu":${gpu}}`, schema_url: '' });
  const series = builder.series({
    metric,
    kind: 'gauge',
    entity,
    resource,
    unit: '',
    description: '',
    temporality: 0,
    monotonic: false,
    attributes: '',
  });
  builder.table('point').push({ series, start_ns: 0n, time_ns: BigInt(time), value: gpu });
  return builder.finish(0);
}

test('two threads that each send an entity once: every row keeps its entity', async () => {
  const engine = await openNativeEngine(':memory:');
  await prepareCase(engine, 'numbered');
  const session = await engine.session();
  const [one, two] = [new BatchBuilder('1.0'), new BatchBuilder('2.0')];
  const writer = await SourceWriter.begin(session, source);
  const batches = [
    pointOf(one, 7, 'power', 1),
    pointOf(two, 8, 'power', 2),
    pointOf(one, 8, 'power', 3),
    pointOf(one, 7, 'heat', 4),
    // Sent again, with a name that was unknown when it was sent first.
    pointOf(two, 8, 'heat', 5, ['abc']),
    pointOf(two, 8, 'power', 6),
  ];
  expect(batches.map(({ entities }) => entities.length)).toEqual([1, 1, 1, 0, 1, 0]);
  expect(batches[5]?.series).toHaveLength(1);
  for (const batch of batches) await writer.append(batch);
  // Names without end: the numbering begins anew, and goes on to be understood.
  for (let i = 0; i < 200_000; i++) one.name(`name ${i}`);
  await writer.append(pointOf(one, 9, 'power', 7));
  const anew = pointOf(one, 7, 'heat', 8);
  expect(anew.entities).toHaveLength(1);
  await writer.append(anew);
  await writer.commit({ digest: 'x', bytes: 1 });
  const rows = rowsOf<{ time_ns: bigint; text: string }>(
    await session.query(
      `select time_ns, concat_ws(' ', s.metric, e.id, r.attributes, value) as text
       from point join series s on s.series_id = point.series join entity e on e.entity_id = s.entity
       join resource r on r.resource_id = s.resource order by time_ns`,
    ),
  );
  expect(rows.map(({ text }) => text)).toEqual(
    (
      [
        ['power', 7],
        ['power', 8],
        ['power', 8],
        ['heat', 7],
        ['heat', 8],
        ['power', 8],
        ['power', 9],
        ['heat', 7],
      ] as const
    ).map(([metric, gpu]) => `${metric} GPU-${gpu} {"gpu":${gpu}} ${gpu}.0`),
  );
  const [counts] = rowsOf<Record<string, bigint>>(
    await session.query(
      'select (select count(*) from entity) as entities, (select count(*) from series) as series, (select count(*) from alias) as aliases',
    ),
  );
  expect(counts).toEqual({ entities: 3n, series: 5n, aliases: 1n });
  session.close();
  await engine.close();
});

test('a file that several threads share gives each series its own points, whatever piece they lie in', async () => {
  const COUNT = 200_000;
  const file = join(await temporaryFolder(), 'points.binpb');
  await writeFile(file, generatePoints(COUNT));
  const core = await openTestCore();
  expect(core.sources(await core.import([file]))[0]?.rejects).toBe(0);
  await core.close();
  const engine = await openNativeEngine(join(core.path, 'case.duckdb'), { readOnly: true });
  const session = await engine.session();
  // Point i of block b is of gpu-(i % 50) on node-(b % 200), at its own second, and worth (31 b + i) % 1000 thousandths, stored in percent.
  const [found] = rowsOf<Record<string, bigint>>(
    await session.query(
      `with stored as (
         select e.id as gpu, r.attributes ->> '$."host.name"' as node, p.time_ns, p.value
         from point p join series s on s.series_id = p.series join entity e on e.entity_id = s.entity
         join resource r on r.resource_id = s.resource
       ), written as (
         select 'node-' || (i // 500 % 200) as node, i % 50 as gpu,
           1700000000000000000 + ((i // 500 // 200) * 10 + i % 500 // 50) * 1000000000 as time_ns, ((i // 500 * 31 + i % 500) % 1000) / 1000 as value
         from range(${COUNT}) r(i)
       )
       select (select count(*) from stored) as points, (select count(*) from series) as series,
         (select count(*) from written w join stored s on s.node = w.node and s.gpu like '%gpu-' || w.gpu and s.time_ns = w.time_ns and abs(s.value - 100 * w.value) < 1e-9) as same`,
    ),
  );
  expect(found).toEqual({ points: BigInt(COUNT), series: 10_000n, same: BigInt(COUNT) });
  session.close();
  await engine.close();
});
