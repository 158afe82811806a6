import { describe, expect, test } from 'vitest';
import { redfish } from '../../src/main/sources/redfish/index.ts';
import { type MetricName, metrics } from '../../src/model/telemetry/metric.ts';
import { implausible } from '../../src/model/telemetry/plausible-reading.ts';
import { readSource, reasonsOf, samplesOf } from '../support/read-source.ts';
import { resource } from '../support/redfish-rack.ts';
import type { Doc } from '../support/redfish-service.ts';

const read = (docs: readonly Doc[]) =>
  readSource(redfish, Object.fromEntries(docs.map((doc, i) => [`${i}.json`, JSON.stringify(doc)])), { name: 'tree' });
const machine = [resource('Chassis/1', 'Chassis', { SerialNumber: 'S1' })];

describe('a reading that can be none', () => {
  test.each<[MetricName, readonly number[], readonly number[]]>([
    ['hw.voltage', [0, 0.8, 12, 230.3, 480, 800, -48, -1.2], [2303, 65_535, -2303, Number.POSITIVE_INFINITY]],
    ['hw.temperature', [-40, 0, 25.5, 105, 127], [255, 6553.5, 65_535, -128, -273.15]],
    ['hw.power', [0, -0.4, 344, 6553.5, 132_000, 2_000_000], [-1, 65_535, 4_294_967_295, 2_147_483_647]],
    ['hw.current', [0, -3, 5000], [65_535, 99_999]],
    ['hw.humidity', [0, 43, 101], [255, -20]],
    ['hw.fan.speed', [0, 9800, 38_000], [65_535, -1]],
    ['hw.frequency', [0, 49.98, 60.1, 400], [5000, 499.8]],
    ['hw.energy', [4e15, 65_535], []],
  ])('%s', (metric, fine, doubtful) => {
    expect(fine.filter((value) => implausible(metric, value) !== undefined)).toEqual([]);
    expect(doubtful.filter((value) => implausible(metric, value) === undefined)).toEqual([]);
  });

  test('a gap is none, and what no metric is known for may be anything', () => {
    expect(Object.keys(metrics).filter((metric) => implausible(metric, Number.NaN) !== undefined)).toEqual([]);
    expect(implausible('redfish.CPUUtil', 65_535)).toBeUndefined();
  });

  test('is a reject with its value and place, in every kind of resource; neighbouring values are readings', async () => {
    const sensor = (id: string, ReadingType: string, ReadingUnits: string, Reading: unknown) =>
      resource(`Chassis/1/Sensors/${id}`, 'Sensor', { Name: id, ReadingType, ReadingUnits, Reading });
    const reading = await read([
      ...machine,
      resource('Chassis/1/Power', 'Power', {
        PowerControl: [{ PowerConsumedWatts: 65_535 }, { Name: 'CPU', PowerConsumedWatts: 210 }],
        Voltages: [
          { Name: 'Line', ReadingVolts: 2303 },
          { Name: '12V', ReadingVolts: 12.1 },
        ],
        PowerSupplies: [{ MemberId: '0', LineInputVoltage: 2303, PowerInputWatts: -1, PowerOutputWatts: 203 }],
      }),
      resource('Chassis/1/Thermal', 'Thermal', {
        Temperatures: [
          { Name: 'Inlet', ReadingCelsius: 6553.5 },
          { Name: 'Outlet', ReadingCelsius: 31 },
        ],
        Fans: [{ Name: 'Fan', Reading: 65_535, ReadingUnits: 'RPM' }],
      }),
      // In its own unit it is too large a number, in ours it is a voltage.
      sensor('Rail', 'Voltage', 'mV', 12_100),
      sensor('Mains', 'Voltage', 'V', '2303'),
      resource('Chassis/1/EnvironmentMetrics', 'EnvironmentMetrics', { HumidityPercent: { Reading: 255 } }),
      resource('TelemetryService/MetricReports/R', 'MetricReport', {
        MetricValues: [
          {
            MetricProperty: '/redfish/v1/Chassis/1/EnvironmentMetrics#/PowerWatts/Reading',
            MetricValue: '-1',
            Timestamp: '2026-01-01T10:00:00Z',
          },
        ],
      }),
    ]);
    expect(
      samplesOf(reading)
        .filter(({ metric }) => !/present|status|\.capacity/.test(metric))
        .map(({ metric, value }) => [metric, value]),
    ).toEqual([
      ['hw.power', 210],
      ['hw.voltage', 12.1],
      ['hw.power.output', 203],
      ['hw.temperature', 31],
      ['hw.voltage', 12.1],
    ]);
    expect(reasonsOf(reading)).toHaveLength(9);
    expect(reading.rows.reject[0]).toMatchObject({
      reason: expect.stringMatching(/^65535 is the register value/),
      excerpt: expect.stringMatching(/server:S1 hw\.power .*65535 W \(\/redfish\/v1\/Chassis\/1#power\)/),
    });
    expect(reasonsOf(reading).filter((reason) => reason === 'no hw.voltage is beyond -1500 to 1500')).toHaveLength(3);
  });
});
