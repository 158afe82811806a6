import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failureRate } from '../../src/core/api/parts/failure-rate.ts';
import { isPartFault } from '../../src/model/telemetry/part-faults.ts';
import { memoryCore, temporaryFolder } from '../support/core.ts';

const uuid = (last: number): string => `GPU-00000000-0000-4000-8000-00000000000${last}`;
const head =
  'timestamp, hostname, index, uuid, serial, pci.bus_id, name, vbios_version, ecc.errors.corrected.aggregate.total, power.draw [W]';
const row = (hour: number, gpu: number, serial: string, vbios: string, errors: number): string =>
  `2026/03/14 ${String(hour).padStart(2, '0')}:00:00.000, n1, 0, ${uuid(gpu)}, ${serial}, 00000000:1B:00.0, H100, ${vbios}, ${errors}, 400.00 W`;

const time = (minute: number): string =>
  `${String(3 + Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

/** One slot: a GPU for five hours that fails, then another one whose firmware is changed. */
async function slot() {
  const folder = await temporaryFolder();
  const file = join(folder, 'smi.csv');
  const rows = [
    ...[0, 1, 2, 3, 4].map((hour) => row(hour, 1, 'S1', 'v1', 10 * hour)),
    ...[7, 8].map((hour) => row(hour, 2, 'S2', 'v1', 0)),
    ...[9, 10].map((hour) => row(hour, 2, 'S2', 'v2', 0)),
  ];
  await writeFile(file, `${[head, ...rows].join('\n')}\n`);
  const core = await memoryCore();
  await core.import([file]);
  const xid = (id: string, minute: number, code: number) => ({
    id,
    timestamp: `2026-03-14T04:${String(minute).padStart(2, '0')}:00.000Z`,
    source: 'nvml',
    type: 'xid_error',
    severity: 'critical',
    device_id: uuid(1),
    raw_message: `Xid ${code}`,
    metadata: { xid: code },
  });
  await core.importJson({ events: [xid('a', 1, 48), xid('b', 3, 64), xid('c', 30, 48), xid('d', 40, 13)] });
  return core;
}

test('a part has its serial, what failed within its recorded hours, how its errors grew, and what took its place', async () => {
  const core = await slot();
  const { parts, groups } = await core.api['parts.list']({});
  const [worn, spare] = [1, 2].map((gpu) => parts.find(({ entity }) => entity === `gpu:${uuid(gpu)}`)!);
  // Two Xids within ten minutes are one failure, a later one is another, one of a program is none.
  expect(worn).toMatchObject({ serial: 'S1', model: 'H100', place: 'n1', hours: 5, faults: 2 });
  expect(worn!.moments.map(({ type, role }) => [type, role])).toContainEqual(['replaced', 'work']);
  expect(worn!.replaced_by).toBe(spare!.entity);
  expect(worn!.counters).toMatchObject([{ metric: 'hw.gpu.ecc.corrected', value: 40, grown: 40 }]);
  expect(worn!.counters[0]!.course.reduce((sum, one) => sum + one, 0)).toBe(40);
  expect(spare).toMatchObject({ serial: 'S2', hours: 4, faults: 0, replaced_by: null });
  expect(spare!.moments.map(({ text }) => text)).toEqual(['took the place of serial S1', 'VBIOS v1 to v2']);
  expect(groups).toMatchObject([{ kind: 'gpu', model: 'H100', parts: 2, hours: 9, faults: 2, mean_hours: 4.5 }]);
  for (const { ref } of worn!.moments) expect((await core.api['evidence.get']({ ref })).title, ref).not.toBe('');
});

test('parts without a history are listed as they are built in, not by the UUIDs of their cards', async () => {
  const file = join(await temporaryFolder(), 'smi.csv');
  const card = (machine: string, index: number, last: number): string =>
    `2026/03/14 03:00:00.000, ${machine}, ${index}, ${uuid(last)}, , 00000000:${index + 10}:00.0, H100, v1, 0, 400.00 W`;
  await writeFile(
    file,
    `${[head, card('n10', 0, 1), card('n2', 10, 2), card('n2', 9, 5), card('n2', 0, 8)].join('\n')}\n`,
  );
  const core = await memoryCore();
  await core.import([file]);
  const { parts } = await core.api['parts.list']({});
  const gpus = parts.filter(({ entity }) => entity.startsWith('gpu:'));
  expect(gpus.map(({ entity }) => entity.slice(-1))).toEqual(['8', '5', '2', '1']);
});

test('a recording of 20 minutes is a third of an hour of each part, whichever hours of the clock it touches', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'smi.csv');
  const minutes = Array.from({ length: 20 }, (_, minute) =>
    row(3, 1, 'S1', 'v1', 0).replace('03:00', time(50 + minute)),
  );
  await writeFile(file, `${[head, ...minutes].join('\n')}\n`);
  const core = await memoryCore();
  await core.import([file]);
  const { parts, groups } = await core.api['parts.list']({});
  expect(parts.map(({ hours }) => hours)).toEqual([expect.closeTo(1 / 3, 2)]);
  // No failure in a third of an hour: no statement about hours without records.
  expect(groups[0]?.low_hours).toBeCloseTo(1 / 3 / 2.9957, 2);
});

test('the return request holds the failed part with its serial and records, and not the one that took its place', async () => {
  const core = await slot();
  const { text } = await core.api['report.render']({ layout: 'rma' });
  const table = text.slice(text.indexOf('## Parts'), text.indexOf('## Faults'));
  expect(table).toMatch(/\| S1 \| H100 \| v1 \| n1 \|/);
  expect(table).not.toContain('| S2 |');
  expect(text).toContain('To be written: which diagnostics ran');
});

test('GPUs have the errors and the Xids of a window, and null of what was not recorded', async () => {
  const core = await slot();
  const at = (hour: number): bigint => BigInt(Date.UTC(2026, 2, 14, hour)) * 1_000_000n;
  const fleetOf = async (from: number, until: number) => {
    const { gpus } = await core.api['gpus.fleet']({ start_ns: at(from), end_ns: at(until), buckets: 10 });
    return gpus.find(({ id }) => id === uuid(1))!;
  };
  expect(await fleetOf(2, 5)).toMatchObject({
    slot: 0,
    health: {
      // The sample before the window is where it began.
      corrected: 30,
      uncorrected: null,
      nvlink: null,
      xids: [
        { xid: 13, count: 1 },
        { xid: 48, count: 2 },
        { xid: 64, count: 1 },
      ],
    },
  });
  expect((await fleetOf(6, 10)).health).toMatchObject({ corrected: null, xids: [] });
});

describe('failures', () => {
  test('of programs, corrected or remapped in time are none of the part', () => {
    expect(isPartFault('xid_error', { xid: 79 })).toBe(true);
    expect(isPartFault('xid_error', { xid: 13 })).toBe(false);
    expect(isPartFault('xid_error', { xid: 63 })).toBe(false);
    expect(isPartFault('xid_error', {})).toBe(false);
    expect(isPartFault('ecc_error', { qualifiers: ['corrected'] })).toBe(false);
    expect(isPartFault('ecc_error', { qualifiers: ['uncorrected'] })).toBe(true);
    expect(isPartFault('row_remap', {})).toBe(false);
    expect(isPartFault('drive_failure', { qualifiers: ['predicted'] })).toBe(false);
    expect(isPartFault('power_brake', {})).toBe(false);
  });

  // Exact limits of a Poisson mean: Garwood (1936), table for 95 %: 0.0253 to 5.5716 for one, 1.6235 to 11.6683 for five.
  test('have an interval that is as wide as their number is small', () => {
    const one = failureRate(1, 1000);
    expect(one.mean_hours).toBe(1000);
    expect(one.low_hours).toBeCloseTo(1000 / 5.5716, 1);
    expect(one.high_hours! / (1000 / 0.025318)).toBeCloseTo(1, 3);
    const five = failureRate(5, 1000);
    expect(five.low_hours).toBeCloseTo(1000 / 11.6683, 1);
    expect(five.high_hours).toBeCloseTo(1000 / 1.6235, 0);
    expect(failureRate(0, 1000)).toMatchObject({ mean_hours: null, high_hours: null });
    expect(failureRate(0, 1000).low_hours).toBeCloseTo(1000 / 2.9957, 1);
    expect(failureRate(3, 0)).toEqual({ mean_hours: null, low_hours: null, high_hours: null });
  });
});
