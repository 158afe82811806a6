import { expect, test } from 'vitest';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';
import { appendSample, type NewSample } from '../../src/model/rows/records.ts';
import { nanos } from '../../src/model/time.ts';
import { derivedLive, START_NS, STEP_NS } from '../support/live-derived.ts';

type Reading = Readonly<{
  metric: NewSample['metric'];
  attributes: object;
  values: readonly number[];
}>;

/** Events of one cooling unit or machine with one reading, a sample each 10 s. */
const derived = ({ metric, attributes, values }: Reading, kind: 'cooling' | 'server' | 'pod' = 'cooling') =>
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
  expect(await derived(flow(...level(20, 410), ...level(22, 225), ...level(5, 405)))).toEqual([
    'cdu-1 coolant_flow_low 20',
    'cdu-1 coolant_flow_restored 42',
  ]);
});

test('water or air that is supplied much warmer than usual is too warm; what comes back may be', async () => {
  const rising = Array.from({ length: 15 }, (_, i) => 33 + 0.5 * i);
  expect(await derived(warmth('supply', ...level(20, 33), ...rising))).toEqual(['cdu-1 temperature_high 31']);
  expect(await derived(warmth('return', ...level(20, 33), ...rising))).toEqual([]);
});

test('one bad reading, a small change, a level from the start and other machines are no shift', async () => {
  expect(await derived(flow(...level(20, 410), 0, ...level(5, 410)))).toEqual([]);
  expect(await derived(flow(...level(20, 410), ...level(8, 340)))).toEqual([]);
  expect(await derived(flow(...level(5, 410), ...level(22, 225)))).toEqual([]);
  expect(await derived(flow(...level(20, 410), ...level(8, 225)), 'server')).toEqual([]);
});

test('a unit that states a limit is judged by it alone', async () => {
  const stated = { ...flow(...level(20, 410), ...level(8, 225)), attributes: { lower_warning: 200 } };
  expect(await derived(stated)).toEqual([]);
});

/** Seconds waited, by the share of time of each step of 10 s; it began to count long ago. */
function waiting(metric: string, ...shares: readonly number[]): Reading {
  let seconds = 5000;
  return { metric: counted(metric), attributes: {}, values: shares.map((share) => (seconds += 10 * share)) };
}
const counted = (name: string): Reading['metric'] => ({ name, unit: 's', counter: true });
const cpu = 'node_pressure_cpu_waiting_seconds_total';

test('a machine on which work waits far longer than usual is under pressure until it hardly waits any more', async () => {
  const busy = waiting(cpu, ...level(20, 0.01), ...level(8, 0.6), ...level(5, 0.02));
  expect(await derived(busy, 'server')).toEqual(['cdu-1 resource_pressure 20', 'cdu-1 resource_pressure_ended 28']);
  const stalled = waiting('node_pressure_io_waiting_seconds_total', ...level(20, 0.02), ...level(8, 0.4));
  expect(await derived(stalled, 'server')).toEqual(['cdu-1 resource_pressure 20']);
});

test('work that always waits, waits a little more, or waits in a pod is no pressure of its machine', async () => {
  expect(await derived(waiting(cpu, ...level(20, 0.3), ...level(8, 0.7)), 'server')).toEqual([]);
  expect(await derived(waiting(cpu, ...level(20, 0.001), ...level(8, 0.1)), 'server')).toEqual([]);
  expect(await derived(waiting(cpu, ...level(20, 0.01), ...level(8, 0.6)), 'pod')).toEqual([]);
});

test('a machine that starts again counts from zero, which is no pressure', async () => {
  const before = waiting(cpu, ...level(20, 0.01)).values;
  const after = waiting(cpu, ...level(20, 0.01)).values.map((value) => value - 5000);
  expect(await derived({ metric: counted(cpu), attributes: {}, values: [...before, ...after] }, 'server')).toEqual([]);
});
