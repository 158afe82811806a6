import { afterAll, beforeAll, expect, test } from 'vitest';
import { correctTimes } from '../../src/core/analysis/clocks/correct-times.ts';
import { orderOf } from '../../src/core/analysis/clocks/order.ts';
import { readClocks } from '../../src/core/analysis/clocks/read-clocks.ts';
import { EntityGraph } from '../../src/core/analysis/topology/entity-graph.ts';
import { prepareCase } from '../../src/core/store/case-file/case-file.ts';
import { createReader } from '../../src/core/store/facts/reader.ts';
import { SourceWriter } from '../../src/core/store/writer/append.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';
import type { Engine, Session } from '../../src/model/storage/engine.ts';

const START_NS = 1_767_225_600_000_000_000n;
const HOUR_NS = 3_600_000_000_000n;
const DERIVED = { derived_from: { sampling_floor_s: 15 } };

let engine: Engine;
let session: Session;
beforeAll(async () => {
  engine = await openNativeEngine(':memory:');
  await prepareCase(engine, 'clocks');
  session = await engine.session();
  await source('kernel.log', 0, 0);
  await source('dcgm.csv', 3600.5, 0);
  await source('bmc.json', -20, 20);
});
afterAll(async () => {
  session.close();
  await engine.close();
});

const instants = [130, 610.5, 1500.25, 2222, 3111.125];

/** @param ahead,given seconds: by how much its clock is off, and what the investigator adds to it */
async function source(name: string, ahead: number, manual_s: number): Promise<void> {
  const writer = await SourceWriter.begin(session, {
    name,
    format: 'test',
    imported_at_ns: 0n,
    clock_offset_ns: BigInt(manual_s) * 1_000_000_000n,
    clock_uncertainty_ns: 0n,
  });
  const builder = new BatchBuilder();
  instants.forEach((at, i) => {
    builder.table('event').push({
      original_id: `${name} ${i}`,
      time_ns: START_NS + BigInt(Math.round((at + ahead) * 1e9)),
      entity: builder.entity('gpu', `GPU-${i}`),
      origin: builder.name('test'),
      type: builder.name('xid_error'),
      severity: 1,
      message: '',
      attributes: '',
      raw: '',
      details: '',
    });
  });
  if (name === 'dcgm.csv')
    builder.table('event').push({
      original_id: 'derived:1',
      time_ns: START_NS + HOUR_NS,
      entity: builder.entity('gpu', 'GPU-0'),
      origin: builder.name('derived'),
      type: builder.name('thermal_throttle'),
      severity: 1,
      message: '',
      attributes: JSON.stringify(DERIVED),
      raw: '',
      details: '',
    });
  await writer.append(builder.finish(0));
  await writer.commit({ digest: '', bytes: 0 });
}

test('the clocks of a case are estimated from its events, also of a source in another zone', async () => {
  const reader = createReader(session);
  const graph = new EntityGraph(await reader.entities(), await reader.edges(), START_NS);
  const { estimates, floors } = await readClocks(reader, graph, [START_NS, START_NS + HOUR_NS]);
  expect([...floors.values()]).toEqual([15]);
  expect(estimates.map(({ name, method }) => [name, method])).toEqual([
    ['kernel.log', 'linked_pairs'],
    ['dcgm.csv', 'linked_pairs'],
    ['bmc.json', 'given'],
  ]);
  const [kernel, dcgm, bmc] = estimates;
  expect(kernel).toMatchObject({ error: 'none', correction_ns: 0n });
  expect(bmc).toMatchObject({ offset_ns: 20_000_000_000n, correction_ns: 0n, remark: 'set by the investigator' });
  expect(Number(dcgm?.offset_ns) / 1e9).toBeCloseTo(-3600.5, 1);
  expect(dcgm?.remark).toBe(
    'recorded 1 h ahead of bmc.json: looks like a time zone (UTC+1), not a drifting clock; 0.50 s remain',
  );
  expect(dcgm?.refs).toHaveLength(10);
  const refs = (await reader.events(START_NS - HOUR_NS, START_NS + 2n * HOUR_NS)).map((e) => `event:${e.event_id}`);
  expect(refs).toEqual(expect.arrayContaining((dcgm?.refs ?? []).flatMap((pair) => [pair.cause_ref, pair.effect_ref])));
});

test('corrected times bring together what happened together, and leave its order undecided', async () => {
  const reader = createReader(session);
  const graph = new EntityGraph(await reader.entities(), await reader.edges(), START_NS);
  const { estimates, floors } = await readClocks(reader, graph, [START_NS, START_NS + HOUR_NS]);
  const recorded = await reader.events(START_NS - HOUR_NS, START_NS + 3n * HOUR_NS);
  const events = correctTimes(recorded, estimates).filter(({ type }) => type === 'xid_error');
  const clocks = new Map(estimates.map((estimate) => [estimate.source_id, estimate]));
  expect(events).toHaveLength(15);
  for (let i = 0; i < events.length; i += 3) {
    const together = events.slice(i, i + 3);
    expect(new Set(together.map(({ device_id }) => device_id)).size).toBe(1);
    const [first, , last] = together as [(typeof events)[0], (typeof events)[0], (typeof events)[0]];
    expect(Number(last.time_ns - first.time_ns) / 1e9).toBeLessThan(0.1);
    expect(orderOf(first, last, { clocks, floors })).toBe('undecided');
    if (i > 0) expect(orderOf(events[i - 1]!, first, { clocks, floors })).toBe('before');
  }
  expect(recorded.some(({ time_ns }) => time_ns > START_NS + HOUR_NS + 1_000_000_000n)).toBe(true);
});
