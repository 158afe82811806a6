import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { snmpWalk } from '../../src/main/sources/snmp-walk/index.ts';
import { readSource, type Sample, samplesOf } from '../support/read-source.ts';
import { sharedDataIfPresent } from '../support/shared-data.ts';

/**
 * The answer key: what LibreNMS makes of recordings of 51 real devices (GPL, so the files stay outside). Every expected
 * sensor that has a raw value must appear under its OID with the right quantity, unit and value; what is expected
 * wrongly is named here, with the reason, and must be used.
 */
interface Expected {
  readonly device: string;
  readonly kind: string;
  readonly oid: string;
  readonly description: string;
  readonly raw: string;
  readonly value: number;
  readonly userFunction: string;
}

/** Unit of the sample, how many of it one of the key's units is, and the common metrics that it may be. */
const quantities: Readonly<Record<string, { unit: string; factor?: number; metrics: readonly string[] }>> = {
  voltage: { unit: 'V', metrics: ['hw.voltage', 'hw.battery.voltage'] },
  current: { unit: 'A', metrics: ['hw.current', 'hw.battery.current'] },
  power: {
    unit: 'W',
    metrics: ['hw.power', 'hw.power.input', 'hw.power.output', 'hw.power.capacity'],
  },
  power_consumed: { unit: 'J', factor: 3_600_000, metrics: ['hw.energy'] },
  power_factor: { unit: '1', metrics: ['hw.power.factor'] },
  frequency: { unit: 'Hz', metrics: ['hw.frequency'] },
  load: { unit: '%', metrics: ['hw.load'] },
  charge: { unit: '%', metrics: ['hw.battery.charge'] },
  percent: { unit: '%', metrics: [] },
  humidity: { unit: '%', metrics: ['hw.humidity'] },
  temperature: { unit: 'Cel', metrics: ['hw.temperature', 'hw.battery.temperature', 'hw.dew_point'] },
  runtime: { unit: 's', factor: 60, metrics: ['hw.battery.time_left', 'hw.battery.time_on'] },
  delay: { unit: 's', metrics: ['hw.battery.time_left'] },
  fanspeed: { unit: 'rpm', metrics: ['hw.fan.speed'] },
  dbm: { unit: 'dBm', metrics: [] },
  // Fans' cubic feet, kilopascals: the metrics' units are others.
  airflow: { unit: 'm3/h', factor: 1.699_010_795_52, metrics: ['hw.airflow'] },
  pressure: { unit: 'Pa', factor: 1000, metrics: ['hw.pressure'] },
};
/** Own metrics (setpoints, nominal voltages) may replace a quantity if their unit is right. */
const isOwn = (metric: string): boolean => !metric.startsWith('hw.');

interface Exception {
  readonly device: string;
  readonly kind: string;
  readonly oid?: RegExp;
  readonly why: string;
  /** Nothing may appear, or this must. */
  readonly instead:
    | null
    | ((row: Expected) => { readonly metric: string; readonly unit: string; readonly value: number });
}
const nothing = null;
const exceptions: readonly Exception[] = [
  {
    device: 'apc_environmental-manager',
    kind: 'humidity',
    oid: /\.6\.0\.[12]$/,
    why: '-1: the probes have no humidity',
    instead: nothing,
  },
  {
    device: 'netmanplus_204',
    kind: 'current',
    oid: /33\.1\.(3\.3\.1\.4|2\.6)/,
    why: '-1: the agent does not measure it; no current is -0.1 A on all lines',
    instead: nothing,
  },
  {
    device: 'huaweiups_ups2000',
    kind: 'runtime',
    oid: /\.2\.3\.0$/,
    why: '4294967295 is -1 unsigned: not reported',
    instead: nothing,
  },
  { device: 'socomec-ups', kind: 'runtime', oid: /\.2\.3\.0$/, why: '65535: not reported', instead: nothing },
  { device: 'poweralert_ups', kind: 'temperature', oid: /33\.1\.2\.7\.0$/, why: '-273: no probe', instead: nothing },
  {
    device: 'huaweiups_ups2000',
    kind: 'frequency',
    why: 'raw 500 is 50 Hz by the RFC; the key divides by 100 and expects 5 Hz',
    instead: () => ({ metric: 'hw.frequency', unit: 'Hz', value: 50 }),
  },
  {
    device: 'raritan-pdu_px3',
    kind: 'power_factor',
    why: 'the key leaves per cent: two decimal digits are configured',
    instead: ({ raw }) => ({ metric: 'hw.power.factor', unit: '1', value: Number(raw) / 100 }),
  },
  {
    device: 'sentry3_3phase',
    kind: 'power_factor',
    why: 'the key leaves per cent',
    instead: () => ({ metric: 'hw.power.factor', unit: '1', value: 1 }),
  },
  {
    device: 'schleifenbauer',
    kind: 'power',
    why: 'what the device calls power is apparent (229 V x 0.32 A = 73 VA at a power factor of 0.46)',
    instead: ({ value }) => ({ metric: 'hw.power.apparent', unit: 'VA', value }),
  },
  {
    device: 'apc_isx-pdu',
    kind: 'power',
    oid: /\.(14\.1\.6\.\d|4\.4\.0)$/,
    why: 'apparent power under the key’s word power',
    instead: ({ value }) => ({ metric: 'hw.power.apparent', unit: 'VA', value }),
  },
  {
    device: 'digipower',
    kind: 'power',
    why: 'estimated: the current times 230; the device has no power',
    instead: () => ({ metric: 'hw.current', unit: 'A', value: 0 }),
  },
  {
    device: 'apc_inrow-dx',
    kind: 'power',
    why: 'the device reports kW; the key expects watts',
    instead: ({ value }) => ({ metric: 'coolingUnitStatusAnalogValue', unit: 'W', value: value * 1000 }),
  },
  {
    device: 'apc_inrow-dx',
    kind: 'fanspeed',
    why: 'the device reports percent',
    instead: ({ value }) => ({ metric: 'hw.fan.speed_ratio', unit: '%', value }),
  },
  {
    device: 'apc_airfm',
    kind: 'pressure',
    oid: /5\.2\.2\.1\.(8|10)\.1$/,
    why: 'air pressure in pascals, which the key writes as thousandths of a kilopascal',
    instead: ({ raw }) => ({ metric: 'hw.pressure', unit: 'Pa', value: Number(raw) }),
  },
  {
    device: 'eatonups',
    kind: 'state',
    oid: /8\.2\.0\.0$/,
    why: 'the key repeats the instance in the OID',
    instead: nothing,
  },
];

function expectedRows(): Expected[] {
  const file = sharedDataIfPresent('snmp/oracle.tsv');
  if (file === null) return [];
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [, device = '', kind = '', oid = '', , description = '', , , , raw = '', value = '', userFunction = ''] =
        line.split('\t');
      return { device, kind, oid, description, raw, value: Number(value), userFunction };
    });
}

const rows = expectedRows();
const key = sharedDataIfPresent('snmp/oracle.tsv');
const recordings =
  key === null
    ? []
    : readdirSync(join(dirname(key), 'librenms'), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.snmprec'))
        .map((name) => join(dirname(key), 'librenms', name))
        .sort();

async function samplesByOid(file: string): Promise<Map<string, Sample[]>> {
  const reading = await readSource(snmpWalk, readFileSync(file), { name: basename(file) });
  expect(reading.rows.reject).toEqual([]);
  const found = new Map<string, Sample[]>();
  for (const sample of samplesOf(reading)) {
    const oid = String(sample.attributes.oid ?? '');
    found.set(oid, [...(found.get(oid) ?? []), sample]);
  }
  return found;
}

const close = (value: number, wanted: number): boolean => Math.abs(value - wanted) <= Math.abs(wanted) * 0.005 + 1e-9;

function fits(sample: Sample, row: Expected): boolean {
  if (row.kind === 'state') return sample.value === Number(row.raw);
  if (row.kind === 'count') return isOwn(sample.metric) && close(sample.value, row.value);
  const quantity = quantities[row.kind];
  if (!quantity) throw new Error(`the key has a quantity that this test does not know: ${row.kind}`);
  const { factor = 1, metrics, unit } = quantity;
  return (
    sample.unit === unit &&
    (metrics.includes(sample.metric) || isOwn(sample.metric)) &&
    close(sample.value, row.value * factor)
  );
}

const used = new Set<Exception>();

function problemOf(row: Expected, samples: readonly Sample[]): string | undefined {
  const exception = exceptions.find(
    ({ device, kind, oid }) => device === row.device && kind === row.kind && (oid?.test(row.oid) ?? true),
  );
  const samplesText = samples.map(({ metric, unit, value }) => `${metric} ${value} ${unit}`).join(', ') || 'nothing';
  if (exception) {
    used.add(exception);
    const wanted = exception.instead?.(row);
    if (wanted === undefined)
      return samples.length === 0 ? undefined : `${row.oid} should be absent, is ${samplesText}`;
    const right = samples.some(
      ({ metric, unit, value }) => metric === wanted.metric && unit === wanted.unit && close(value, wanted.value),
    );
    return right ? undefined : `${row.oid} should be ${JSON.stringify(wanted)}, is ${samplesText}`;
  }
  return samples.some((sample) => fits(sample, row))
    ? undefined
    : `${row.oid} (${row.description}) should be ${row.kind} ${row.value}, is ${samplesText}`;
}

describe.runIf(recordings.length > 0)('expected sensors', () => {
  test('the key has the expected entries', () => {
    expect(recordings.length).toBe(51);
    expect(rows.length).toBeGreaterThan(1600);
  });

  const devices = recordings.map((file) => [basename(file, '.snmprec'), file] as const);
  test.each(devices.length === 0 ? [['each device', ''] as const] : devices)('%s', async (device, file) => {
    const samples = await samplesByOid(file);
    const wanted = rows.filter((row) => row.device === device && row.raw !== '' && row.userFunction === '');
    expect(wanted.flatMap((row) => problemOf(row, samples.get(row.oid) ?? []) ?? [])).toEqual([]);
  });

  test('every exception is needed', () => {
    expect(
      exceptions.filter((exception) => !used.has(exception)).map(({ device, why }) => `${device}: ${why}`),
    ).toEqual([]);
  });

  test('the Fahrenheit probe that the key converts', async () => {
    const file = recordings.find((name) => name.endsWith('cyberpower.snmprec'))!;
    const [probe] = (await samplesByOid(file)).get('1.3.6.1.4.1.3808.1.1.4.2.1.0') ?? [];
    expect(probe?.metric).toBe('hw.temperature');
    expect(probe?.value).toBeCloseTo(20.17, 2);
  });
});
