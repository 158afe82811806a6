import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { rapl } from '../../src/main/sources/rapl/index.ts';
import { ProblemError } from '../../src/model/problem.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { type Reading, readSource, reasonsOf, type Sample, samplesOf } from '../support/read-source.ts';
import { sharedData } from '../support/shared-data.ts';
import { CAPTURED_NS } from '../support/source-input.ts';

type Tree = Readonly<Record<string, string>>;
const fixtures = join(import.meta.dirname, '../../fixtures/rapl');
const treeOf = (folder: string): Tree =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((file) => statSync(file).isFile())
      .map((file) => [relative(folder, file), readFileSync(file, 'utf8')]),
  );
const SECOND = 1_000_000_000n;
const T0 = CAPTURED_NS;

/** Files of zones below one sample's folder. */
const zones = (base: string, values: Readonly<Record<string, Readonly<Record<string, string | number>>>>): Tree =>
  Object.fromEntries(
    Object.entries(values).flatMap(([zone, files]) =>
      Object.entries(files).map(([file, value]) => [`${base}/sys/class/powercap/${zone}/${file}`, `${value}\n`]),
    ),
  );
const of = (samples: readonly Sample[], metric: string, entity?: string, domain?: string) =>
  samples.filter(
    (sample) =>
      sample.metric === metric &&
      (entity === undefined || sample.entity === entity) &&
      (domain === undefined || sample.attributes.domain === domain),
  );
const numbers = (samples: readonly Sample[]): number[] => samples.map(({ value }) => value);
const read = (tree: Tree | string, options: Parameters<typeof readSource>[2] = {}) => readSource(rapl, tree, options);

describe('a series of trees', () => {
  let reading: Reading;
  let samples: readonly Sample[];
  beforeAll(async () => {
    reading = await read(treeOf(join(fixtures, 'node-7')), { name: 'node-7' });
    samples = samplesOf(reading);
  });

  test('power is energy over time, and a counter that went back has wrapped', () => {
    const power = of(samples, 'hw.power', 'cpu:node-7/cpu0', 'package');
    expect(power.map(({ time_ns }) => time_ns)).toEqual([T0 + 10n * SECOND, T0 + 20n * SECOND]);
    for (const value of numbers(power)) expect(value).toBeCloseTo(200, 6);
    expect(numbers(of(samples, 'hw.power', 'cpu:node-7/cpu1'))).toEqual([350, 350]);
  });

  test('memory has its own power; the power of cores is not added', () => {
    expect(numbers(of(samples, 'hw.power', 'cpu:node-7/cpu0', 'dram'))).toEqual([10, 10]);
    expect(numbers(of(samples, 'rapl.core.power', 'cpu:node-7/cpu0'))).toEqual([50, 50]);
    expect(new Set(of(samples, 'hw.power').map(({ attributes }) => attributes.domain))).toEqual(
      new Set(['package', 'dram', undefined]),
    );
  });

  test('the counters themselves, in joules', () => {
    expect(numbers(of(samples, 'hw.energy', 'cpu:node-7/cpu1'))).toEqual([1000, 4500, 8000]);
  });

  test('the memory-mapped view counts once, but its limits are others', () => {
    expect(of(samples, 'hw.energy', 'cpu:node-7/cpu0', 'package')).toHaveLength(3);
    const limits = of(samples, 'hw.power.limit').map(({ value, attributes }) => [attributes.interface, value]);
    expect(limits.filter(([view]) => view === 'intel-rapl-mmio')).toEqual(Array(3).fill(['intel-rapl-mmio', 280]));
    expect(reading.remarks.join()).toContain('intel-rapl-mmio counts the same energy');
  });

  test('a lowered limit is an event, and no limit is no sample', () => {
    expect(
      reading.rows.event.map(({ entity, type, time_ns, message }) => ({ entity, type, time_ns, message })),
    ).toEqual([
      {
        entity: 'cpu:node-7/cpu0',
        type: 'cpu_power_cap',
        time_ns: T0 + 10n * SECOND,
        message: 'long_term power limit of package: 350 W to 240 W',
      },
    ]);
    expect(of(samples, 'hw.power.limit', 'cpu:node-7/cpu1')).toEqual([]);
    const limit = of(samples, 'hw.power.limit', 'cpu:node-7/cpu0').find(({ value }) => value === 350);
    expect(limit?.attributes).toMatchObject({ constraint: 'long_term', window_s: 0.999424, max_power_w: 350 });
  });

  test('sensors: a package by its label, the machine by its meter, limits that are none left out', () => {
    expect(
      of(samples, 'hw.temperature', 'cpu:node-7/cpu0').map(({ value, attributes }) => [
        value,
        attributes.upper_critical,
      ]),
    ).toEqual([
      [61, 100],
      [70, 100],
      [79, 100],
    ]);
    expect(
      of(samples, 'hw.temperature', 'server:node-7').map(({ value, attributes }) => [value, attributes.upper_warning]),
    ).toEqual(Array(3).fill([38.85, undefined]));
    expect(numbers(of(samples, 'hw.power', 'server:node-7'))).toEqual([842, 842, 842]);
  });

  test('throttling of a package counts once, not once per logical CPU', () => {
    const counts = of(samples, 'hw.cpu.throttle', 'cpu:node-7/cpu0').map(({ value, attributes }) => [
      attributes.scope,
      attributes.logical_cpu,
      value,
    ]);
    expect(counts.slice(-3)).toEqual([
      ['core', 0, 6],
      ['package', undefined, 10],
      ['core', 1, 2],
    ]);
  });

  test('the server contains its processors', () => {
    expect(reading.rows.edge.map(({ from_entity, kind, to_entity }) => [from_entity, kind, to_entity])).toEqual([
      ['server:node-7', 'contains', 'cpu:node-7/cpu0'],
      ['server:node-7', 'contains', 'cpu:node-7/cpu1'],
    ]);
  });
});

describe('one tree', () => {
  test('the recorded one: hexadecimal zones, limits that are none, counters but no power', async () => {
    const reading = await read(treeOf(join(fixtures, 'procfs')), { name: 'procfs', assume: { device: 'build-3' } });
    const samples = samplesOf(reading);
    expect([...reading.entities.keys()].sort()).toEqual(['cpu:build-3/cpu0', 'cpu:build-3/cpu10', 'server:build-3']);
    expect(numbers(of(samples, 'hw.energy'))).toEqual([240_422.366267, 240_422.366267]);
    expect(of(samples, 'hw.power')).toEqual([]);
    expect(of(samples, 'hw.power.limit')).toEqual([]);
    expect(numbers(of(samples, 'rapl.core.energy'))).toEqual([118_821.284256]);
    expect(
      of(samples, 'hw.cpu.throttle').map(({ value, attributes }) => [attributes.scope, attributes.logical_cpu, value]),
    ).toEqual([
      ['core', 0, 10_084],
      ['package', 0, 34_818],
      ['core', 1, 523],
      ['package', 1, 34_818],
    ]);
    expect(reading.rows.reject).toEqual([]);
    expect(reading.remarks).toEqual([
      'no times in the files: taken as recorded at 2026-01-01T00:00:00.000Z (file time)',
    ]);
  });

  test('as in /sys, with colons', async () => {
    const folder = sharedData('rapl/procfs/fixtures');
    const reading = await read(treeOf(folder), { name: 'n1' });
    expect(numbers(of(samplesOf(reading), 'hw.energy', 'cpu:n1/cpu10'))).toEqual([240_422.366267]);
  });

  test('counters that the copying user may not read are not zero', async () => {
    const tree = zones('n', { 'intel-rapl:0': { name: 'package-0', energy_uj: '', constraint_0_power_limit_uw: '' } });
    const reading = await read({
      ...tree,
      'n/sys/class/powercap/intel-rapl:1/energy_uj': 'cat: energy_uj: Permission denied',
    });
    expect(reading.rows.point).toEqual([]);
    expect(reading.rows.reject).toEqual([]);
    expect(reading.remarks.join()).toContain('readable by root only since Linux 5.10');
  });

  test('psys is the platform: its entity is the server', async () => {
    const zone = { name: 'psys', max_energy_range_uj: 262_143_328_850 };
    const reading = await read(
      {
        ...zones('1767225600', { 'intel-rapl:1': { ...zone, energy_uj: 0 } }),
        ...zones('1767225610', { 'intel-rapl:1': { ...zone, energy_uj: 5_000_000_000 } }),
      },
      { name: 'n' },
    );
    const [power] = of(samplesOf(reading), 'hw.power');
    expect(power).toMatchObject({ entity: 'server:n', value: 500, attributes: { domain: 'psys' } });
  });

  test('dies of a package, and zones in nested folders', async () => {
    const at = 'sys/devices/virtual/powercap/intel-rapl/intel-rapl:2';
    const reading = await read(
      {
        [`${at}/name`]: 'package-1-die-1\n',
        [`${at}/energy_uj`]: '1000000',
        [`${at}/intel-rapl:2:0/name`]: 'dram\n',
        [`${at}/intel-rapl:2:0/energy_uj`]: '2000000',
      },
      { name: 'n' },
    );
    expect(
      samplesOf(reading).map(({ entity, value, attributes }) => [entity, value, attributes.domain, attributes.die]),
    ).toEqual([
      ['cpu:n/cpu1', 1, 'package', '1'],
      ['cpu:n/cpu1', 2, 'dram', '1'],
    ]);
  });
});

describe('between two samples', () => {
  const pair = (first: object, second: object, names = ['1767225600', '1767225610']) => ({
    ...zones(names[0]!, { 'intel-rapl:0': { name: 'package-0', ...first } }),
    ...zones(names[1]!, { 'intel-rapl:0': { name: 'package-0', ...second } }),
  });
  const powerOf = async (tree: Tree, options = {}) => {
    const reading = await read(tree, { name: 'n', ...options });
    return {
      values: numbers(of(samplesOf(reading), 'hw.power')),
      remarks: reading.remarks.join(),
      events: reading.rows.event,
    };
  };

  test('a counter that went back without a known range gives no power', async () => {
    const { values, remarks } = await powerOf(pair({ energy_uj: 9_000_000 }, { energy_uj: 1_000_000 }));
    expect(values).toEqual([]);
    expect(remarks).toContain('max_energy_range_uj is missing');
  });

  test('a counter that was reset is not a wrap of megawatts', async () => {
    const range = { max_energy_range_uj: 262_143_328_850 };
    const { values, remarks } = await powerOf(
      pair({ energy_uj: 9_000_000, ...range }, { energy_uj: 1_000_000, ...range }),
    );
    expect(values).toEqual([]);
    expect(remarks).toContain('reset');
  });

  test('samples so far apart that wraps stay unseen get a remark', async () => {
    const range = { max_energy_range_uj: 65_532_610_987 };
    const { values, remarks } = await powerOf(
      pair({ energy_uj: 0, ...range }, { energy_uj: 60_000_000_000, ...range }, ['1767225600', '1767225900']),
    );
    expect(values).toEqual([200]);
    expect(remarks).toContain('wrapped unseen');
  });

  test('raised limits, and limits that come and go', async () => {
    const limit = (watts: number) => ({ constraint_0_name: 'short_term', constraint_0_power_limit_uw: watts * 1e6 });
    expect((await powerOf(pair(limit(200), limit(300)))).events).toMatchObject([{ type: 'power_cap_removed' }]);
    expect((await powerOf(pair(limit(4090), limit(300)))).events).toMatchObject([{ type: 'cpu_power_cap' }]);
    expect((await powerOf(pair(limit(300), limit(4090)))).events).toMatchObject([{ type: 'power_cap_removed' }]);
    expect((await powerOf(pair(limit(300), { ...limit(300), enabled: 0 }))).events).toMatchObject([
      { type: 'power_cap_removed' },
    ]);
    expect((await powerOf(pair(limit(300), limit(300)))).events).toEqual([]);
    expect((await powerOf(pair(limit(300), { constraint_0_power_limit_uw: '' }))).events).toEqual([]);
  });

  test('folders without a time, by the times of their files', async () => {
    const tree = pair({ energy_uj: 0 }, { energy_uj: 3_000_000_000 }, ['before', 'after']);
    const captured_ns = Object.fromEntries(
      Object.keys(tree).map((path) => [path, path.startsWith('before') ? T0 : T0 + 10n * SECOND]),
    );
    expect((await powerOf(tree, { captured_ns })).values).toEqual([300]);
  });

  test('local times are in the given zone, else in UTC with a remark', async () => {
    const tree = pair({ energy_uj: 0 }, { energy_uj: 3_000_000_000 }, ['2026-01-01T01-00-00', '20260101-010010']);
    const berlin = samplesOf(await read(tree, { name: 'n', assume: { zone: 'Europe/Berlin' } }));
    expect(of(berlin, 'hw.energy').map(({ time_ns }) => time_ns)).toEqual([T0, T0 + 10n * SECOND]);
    expect((await powerOf(tree)).remarks).toContain('times have no zone: read as UTC');
  });
});

describe('what belongs to a tree', () => {
  const root = (path: string) => rapl.gather?.root(path, new FileHead(new Uint8Array()));
  const owns = (path: string) => rapl.gather?.owns?.(path);

  test.each([
    ['node-7/sys/class/powercap/intel-rapl:0/energy_uj', 'node-7'],
    ['node-7/2026-01-01T00-00-00Z/sys/class/powercap/intel-rapl:0:1/name', 'node-7'],
    ['node-7/1767225600/class/hwmon/hwmon2/temp1_input', 'node-7'],
    ['node-7/sample-3/sys/class/thermal/thermal_zone0/temp', 'node-7'],
    ['sys/devices/system/cpu/cpu17/thermal_throttle/core_throttle_count', ''],
    ['powercap/intel-rapl/intel-rapl:0/intel-rapl:0:0/constraint_0_name', ''],
    ['a/b/intel-rapl-mmio_0/constraint_1_power_limit_uw', 'a/b'],
    ['n/sys/class/powercap/intel-rapl/uevent', 'n'],
  ])('%s of %s', (path, series) => {
    expect(owns(path)).toBe(true);
    expect(root(path)).toBe(series);
  });

  test.each(['etc/hostname', 'node-7/notes/name', 'class/net/eth0/name', 'intel-rapl.txt', 'proc/cpuinfo'])(
    '%s does not',
    (path) => {
      expect(owns(path)).toBe(false);
    },
  );

  test('numbers and other words give no time', () => {
    for (const text of ['240422366267\n', '1', 'package', 'package-0 and more', 'name\n', ''])
      expect(rapl.detect(new FileHead(Buffer.from(text)))).toBe(false);
    for (const text of ['package-0\n', 'long_term\n', 'package-12-die-1'])
      expect(rapl.detect(new FileHead(Buffer.from(text)))).toBe(true);
  });
});

describe('CSV', () => {
  test('a series of counters', async () => {
    const reading = await read(readFileSync(join(fixtures, 'counters.csv'), 'utf8'), { name: 'node-9.csv' });
    const samples = samplesOf(reading);
    const power = numbers(of(samples, 'hw.power', 'cpu:node-9/cpu0', 'package'));
    expect(power).toHaveLength(2);
    expect(power[0]).toBeCloseTo(100.1, 9);
    expect(power[1]).toBe(200);
    expect(numbers(of(samples, 'hw.power', 'cpu:node-9/cpu0', 'dram'))).toEqual([10, 10, 10]);
    expect(numbers(of(samples, 'hw.power', 'server:node-9', 'psys'))).toEqual([812.5, 640, 655]);
    expect(numbers(of(samples, 'hw.power.limit'))).toEqual([350, 240, 240]);
    expect(of(samples, 'hw.energy')[0]?.time_ns).toBe(T0);
    expect(reasonsOf(reading)).toEqual(['cannot read the time "oops"']);
    expect(reading.remarks).toContain('the column "note" has no known meaning and was left out');
  });

  test('zones by their folders, milliseconds, dates', async () => {
    const text =
      'time_ms;intel-rapl:a energy_uj;intel-rapl:a:1 power_uw\n1767225600000;0;5000000\n1767225601000;300000000;6000000\n';
    const samples = samplesOf(await read(text, { name: 'n.csv' }));
    expect(numbers(of(samples, 'hw.power', 'cpu:n/cpu10'))).toEqual([300]);
    expect(numbers(samples.filter(({ metric }) => metric === 'rapl.zone 1.power'))).toEqual([5, 6]);
    const dated = await read('timestamp,package-0 power_w\n2026-01-01 00:00:00,80\n2026-01-01T00:00:10Z,90\n', {
      name: 'n.csv',
    });
    expect(samplesOf(dated).map(({ time_ns }) => time_ns)).toEqual([T0, T0 + 10n * SECOND]);
    expect(dated.remarks.join()).toContain('read as UTC');
  });

  test('load profiles of CodeCarbon: what RAPL and the plug measured, estimates under their own names', async () => {
    const file = sharedData('rapl/codecarbon/AMD_Threadripper');
    const [name] = readdirSync(file).filter((entry) => entry.includes('all_cores'));
    const reading = await read(readFileSync(join(file, name!), 'utf8'), { assume: { device: 'bench-1' } });
    const samples = samplesOf(reading);
    expect(of(samples, 'hw.power', 'cpu:bench-1/cpu0')[1]?.value).toBeCloseTo(43.3016, 3);
    expect(of(samples, 'hw.power', 'server:bench-1')[1]).toMatchObject({
      value: 147,
      attributes: { domain: 'wall socket' },
    });
    expect(of(samples, 'codecarbon.estimated_power')).toHaveLength(reading.rows.event.length);
    expect(reading.rows.event[0]).toMatchObject({ type: 'process_event', entity: 'server:bench-1' });
  });

  test('a profile without a plug has no power of zero at the socket', async () => {
    const text = 'task_name,timestamp,cpu_load,temperature,rapl_power,tapo_power\nidle,1736866099.99,2.5,49,0.17,0\n';
    const samples = samplesOf(await read(text, { name: 'n.csv' }));
    expect(of(samples, 'hw.power').map(({ entity, value }) => [entity, value])).toEqual([['cpu:n/cpu0', 0.17]]);
  });

  test.each([
    'timestamp,value\n1,2\n',
    'time,power_w\n1,2\n',
    'name,package-0 energy_uj\nx,1\n',
    'timestamp,service_name,cpu_load\n1,a,2\n',
    'package-0 is a word, timestamp too',
  ])('%j is not claimed', (text) => {
    expect(rapl.detect(new FileHead(Buffer.from(text)))).toBe(false);
  });
});

describe('hostile input', () => {
  test('values that are none are rejects, the rest is read', async () => {
    const tree = zones('n', {
      'intel-rapl:0': { name: 'package-0', energy_uj: 'NaN', constraint_0_power_limit_uw: '1e9' },
      'intel-rapl:1': { name: 'package-1', energy_uj: '-5', max_energy_range_uj: '9'.repeat(400) },
      'intel-rapl:2': { name: '__proto__', energy_uj: '1000000' },
      'intel-rapl:3': { name: 'x'.repeat(9_000_000), energy_uj: '99999999999999999999' },
    });
    const reading = await read(tree, { name: 'n' });
    expect(reasonsOf(reading).every((reason) => reason === 'not a number')).toBe(true);
    expect(reading.rows.reject).toHaveLength(2);
    expect(samplesOf(reading).map(({ metric }) => metric)).toEqual(['rapl.__proto__.energy', 'hw.energy']);
  });

  test('times beyond the calendar are ignored', async () => {
    const tree = { ...zones('9999999999999999999', { 'intel-rapl:0': { name: 'package-0', energy_uj: 1 } }) };
    expect((await read(tree, { name: 'n' })).rows.point).toHaveLength(1);
    const csv = await read('timestamp,package-0 power_w\n9999999999999999999,1\n99999-01-01,1\n1e400,1\n,1\n', {
      name: 'n.csv',
    });
    expect(csv.rows.point).toEqual([]);
    expect(csv.rows.reject).toHaveLength(4);
  });

  test('nothing to read is a refusal', async () => {
    await expect(read('')).rejects.toThrow(ProblemError);
    await expect(read({ 'sys/class/powercap/intel-rapl/uevent': '' })).rejects.toThrow(ProblemError);
  });
});

test('a value that never ends is cut at the same byte however it comes', async () => {
  const chip = { 'n/sys/class/hwmon/hwmon3/name': 'x'.repeat(9000), 'n/sys/class/hwmon/hwmon3/power1_average': '1\n' };
  const whole = samplesOf(await read(chip));
  expect(whole).toHaveLength(1);
  for (const piece of [3, 1000, 5000]) expect(samplesOf(await read(chip, { piece }))).toEqual(whole);
});
