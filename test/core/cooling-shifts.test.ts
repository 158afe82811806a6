import { expect, test } from 'vitest';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';
import { appendSample } from '../../src/model/rows/records.ts';
import { nanos } from '../../src/model/time.ts';
import { derivedLive, START_NS, STEP_NS } from '../support/live-derived.ts';

type Reading = Readonly<{
  metric: 'hw.coolant.flow' | 'hw.temperature';
  attributes: object;
  values: readonly number[];
}>;

/** Events of one cooling unit with one reading, a sample each 10 s. */
const derived = ({ metric, attributes, values }: Reading, kind: 'cooling' | 'server' = 'cooling') =>
  derivedLive(values.length, (from, to) => {
    const builder = new BatchBuilder();
    const entity = builder.entity(kind, 'cdu-1');
    for (let at = from; at < Math.min(to, values.length); at++) {
      const time_ns = nanos(START_NS + BigInt(at) * STEP_NS);
      appendSample(builder, { entity, metric, attributes: { ...attributes }, time_ns, value: values[at]! });
    }
    return builder.finish(0);
  });

const level = (count: number, value: number): number[] =>
  Array.from({ length: count }, (_, i) => value * (1 + 0.004 * Math.sin(1.7 * i)));
const flow = (...values: readonly number[]): Reading => ({
  metric: 'hw.coolant.flow',
  attributes: {},
  values,
});
const warmth = (sensor: string, ...values: readonly number[]): Reading => ({
  metric: 'hw.temperature',
  attributes: { sensor },
  values,
});

test('a flow that falls far below its usual one is low until it is back, though most samples are of the fault', async () => {
  expect(await derived(flow(...level(20, 410), ...level(40, 225), ...level(20, 405)))).toEqual([
    'cdu-1 coolant_flow_low 20',
    'cdu-1 coolant_flow_restored 60',
  ]);
});

test('water or air that is supplied much warmer than usual is too warm; what comes back may be', async () => {
  const rising = Array.from({ length: 30 }, (_, i) => 33 + 0.5 * i);
  expect(await derived(warmth('supply', ...level(20, 33), ...rising))).toEqual(['cdu-1 temperature_high 31']);
  expect(await derived(warmth('return', ...level(20, 33), ...rising))).toEqual([]);
});

test('one bad reading, a small change, a level from the start and other machines are no shift', async () => {
  expect(await derived(flow(...level(20, 410), 0, ...level(20, 410)))).toEqual([]);
  expect(await derived(flow(...level(20, 410), ...level(20, 340)))).toEqual([]);
  expect(await derived(flow(...level(5, 410), ...level(30, 225)))).toEqual([]);
  expect(await derived(flow(...level(20, 410), ...level(20, 225)), 'server')).toEqual([]);
});

test('a unit that states a limit is judged by it alone', async () => {
  const stated = { ...flow(...level(20, 410), ...level(20, 225)), attributes: { lower_warning: 200 } };
  expect(await derived(stated)).toEqual([]);
});
