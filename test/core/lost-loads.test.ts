import { expect, test } from 'vitest';
import type { EntityKind } from '../../src/model/entity.ts';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';
import { appendEdge, appendSample } from '../../src/model/rows/records.ts';
import type { RowBatch } from '../../src/model/rows/rows.ts';
import { nanos } from '../../src/model/time.ts';
import { derivedLive, START_NS, STEP_NS } from '../support/live-derived.ts';

/** Powers in W by `kind id`, one sample each 10 s; the parts of `whole`. */
type Powers = Readonly<Record<string, readonly number[]>>;

function batchOf(whole: EntityKind, powers: Powers, from: number, to: number): RowBatch {
  const builder = new BatchBuilder();
  const around = builder.entity(whole, 'whole');
  for (const [i, [name, values]] of Object.entries(powers).entries()) {
    const [kind, id] = name.split(' ') as [EntityKind, string];
    const entity = builder.entity(kind, id);
    appendEdge(builder, { from: around, kind: 'contains', to: entity, provenance: 'test' });
    for (let at = from; at < Math.min(to, values.length); at++) {
      const time_ns = nanos(START_NS + BigInt(at) * STEP_NS + BigInt(i) * 1_000_000n);
      appendSample(builder, { entity, metric: 'hw.power.input', time_ns, value: values[at]! });
    }
  }
  return builder.finish(0);
}

const derived = (whole: EntityKind, powers: Powers): Promise<string[]> =>
  derivedLive(Math.max(...Object.values(powers).map(({ length }) => length)), (from, to) =>
    batchOf(whole, powers, from, to),
  );

const steady = (count: number, watts: number): number[] => Array.from({ length: count }, (_, i) => watts + (i % 3));

test('a supply without load while the other one has some is lost, until it has load again', async () => {
  const powers = {
    'psu whole/psu1': steady(40, 400),
    'psu whole/psu2': [...steady(20, 400), ...steady(10, 0).map(() => 0), ...steady(10, 400)],
  };
  expect(await derived('server', powers)).toEqual(['whole/psu2 psu_failure 20', 'whole/psu2 psu_restored 30']);
});

test('an outlet without load while others of its PDU have some went off', async () => {
  const powers = {
    'outlet whole/1': steady(30, 200),
    'outlet whole/2': [...steady(20, 180), ...Array<number>(10).fill(0)],
    'outlet whole/3': Array<number>(30).fill(0),
  };
  expect(await derived('pdu', powers)).toEqual(['whole/2 outlet_off 20']);
});

test('a machine that was switched off, a supply that always or often rests, and one bad reading are no lost supply', async () => {
  const off = [...steady(20, 400), ...Array<number>(10).fill(0)];
  expect(await derived('server', { 'psu whole/psu1': off, 'psu whole/psu2': off })).toEqual([]);
  const resting = Array<number>(30).fill(0);
  expect(await derived('server', { 'psu whole/psu1': steady(30, 400), 'psu whole/psu2': resting })).toEqual([]);
  const turns = Array.from({ length: 40 }, (_, i) => (i % 10 < 5 ? 0 : 300));
  expect(await derived('server', { 'psu whole/psu1': steady(40, 400), 'psu whole/psu2': turns })).toEqual([]);
  const bad = [...steady(20, 400), 0, ...steady(9, 400)];
  expect(await derived('server', { 'psu whole/psu1': steady(30, 400), 'psu whole/psu2': bad })).toEqual([]);
  expect(await derived('server', { 'psu whole/psu2': off })).toEqual([]);
});

test('a phase of a PDU without current while another one has some lost its breaker, once for all recorders', async () => {
  const builderOf = (from: number, to: number): RowBatch => {
    const builder = new BatchBuilder();
    const entity = builder.entity('pdu', 'pdu-a');
    const at = (phase: string, source: string, i: number, value: number) =>
      appendSample(builder, {
        entity,
        metric: 'hw.current',
        time_ns: nanos(START_NS + BigInt(i) * STEP_NS),
        value,
        attributes: { phase, via: source },
      });
    for (let i = from; i < Math.min(to, 40); i++)
      for (const source of ['snmp', 'exporter']) {
        at('L1', source, i, 20 + (i % 3));
        at('L2', source, i, i < 20 || i >= 30 ? 24 + (i % 2) : 0);
        at('L3', source, i, 0);
      }
    return builder.finish(0);
  };
  expect(await derivedLive(40, builderOf)).toEqual(['pdu-a breaker_trip 20', 'pdu-a outlet_on 30']);
});

test('a PDU that is switched off as a whole lost no phase', async () => {
  const batch = (from: number, to: number): RowBatch => {
    const builder = new BatchBuilder();
    const entity = builder.entity('pdu', 'pdu-a');
    for (let i = from; i < Math.min(to, 30); i++)
      for (const phase of ['L1', 'L2'])
        appendSample(builder, {
          entity,
          metric: 'hw.current',
          time_ns: nanos(START_NS + BigInt(i) * STEP_NS),
          value: i < 20 ? 24 : 0,
          attributes: { phase },
        });
    return builder.finish(0);
  };
  expect(await derivedLive(30, batch)).toEqual([]);
});
