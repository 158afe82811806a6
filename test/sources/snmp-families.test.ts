import { describe, expect, test } from 'vitest';
import { snmpWalk } from '../../src/main/sources/snmp-walk/index.ts';
import { readSource, type Sample, samplesOf } from '../support/read-source.ts';

/** One object: its OID below the family's, the agent's answer, and its meaning. */
type ExpectedSample = readonly [oid: string, raw: number | string, wanted?: string];
interface Family {
  readonly name: string;
  readonly at: string;
  readonly objectId: string;
  readonly device: string;
  readonly samples: readonly ExpectedSample[];
}

const E = '1.3.6.1.4.1';
/** `outlet-3 hw.power 211 W`, with what the series carries of these. */
const SHOWN = [
  'phase',
  'bank',
  'breaker',
  'sensor',
  'source',
  'side',
  'name',
  'part',
  'upper_critical',
  'lower_warning',
];
const sampleText = ({ entity, metric, value, unit, attributes }: Sample): string => {
  const shown = SHOWN.flatMap((key) => (attributes[key] === undefined ? [] : `${key}=${attributes[key]}`));
  return [entity.replace(/^\w+:box-1\/?/, ''), metric, Number(value.toPrecision(6)), unit, ...shown]
    .filter((word) => word !== '')
    .join(' ');
};

/** By the modules of their vendors; all values are made up. */
const families: readonly Family[] = [
  {
    name: 'HPE G2 PDU (CPQPOWER-MIB, pdu2)',
    at: `${E}.232.165.7`,
    objectId: `${E}.232.165.7`,
    device: 'pdu:box-1',
    samples: [
      ['2.2.1.3.0.2', 229_870, 'hw.voltage 229.87 V phase=L2 upper_critical=265'],
      ['2.2.1.8.0.2', 265_000],
      ['2.2.1.21.0.2', 1690, 'hw.power 1690 W phase=L2'],
      ['5.1.1.2.0.3', 'gpu-node-7 A'],
      ['5.1.1.5.0.3', 2350, 'outlet-3 hw.current 2.35 A upper_critical=10'],
      ['5.1.1.7.0.3', 0],
      ['5.1.1.8.0.3', -1],
      ['5.1.1.9.0.3', 8000],
      ['5.1.1.10.0.3', 10000],
      ['5.1.1.13.0.3', 544, 'outlet-3 hw.power.apparent 544 VA'],
      ['5.1.1.14.0.3', 531, 'outlet-3 hw.power 531 W'],
      ['5.1.1.15.0.3', 1167, 'outlet-3 hw.energy 4201200 J'],
      ['5.1.1.17.0.3', 976, 'outlet-3 hw.power.factor 0.976 1'],
      ['5.2.1.1.0.3', 2, 'outlet-3 hw.outlet.state 1 1'],
      ['3.1.1.2.0.1', 'Section L1'],
      ['3.1.1.5.0.1', 231_400, 'hw.voltage 231.4 V breaker=Section L1 upper_critical=265 lower_warning=190'],
      ['3.1.1.7.0.1', 190_000],
      ['3.1.1.8.0.1', 180_000],
      ['3.1.1.9.0.1', 255_000],
      ['3.1.1.10.0.1', 265_000],
      ['3.1.1.12.0.1', 7120, 'hw.current 7.12 A breaker=Section L1'],
      ['3.1.1.21.0.1', 1620, 'hw.power 1620 W breaker=Section L1'],
      ['3.1.1.27.0.1', 2, 'pdu2groupBreakerStatus 2 1 breaker=Section L1'],
      ['4.2.1.3.0.1', 2],
      ['4.2.1.4.0.1', 243, 'hw.temperature 24.3 Cel sensor=1 upper_critical=65 lower_warning=10'],
      ['4.2.1.6.0.1', 100],
      ['4.2.1.7.0.1', 50],
      ['4.2.1.8.0.1', 600],
      ['4.2.1.9.0.1', 650],
      ['4.2.1.3.0.2', 1],
      ['4.2.1.4.0.2', 0],
    ],
  },
  {
    name: 'Dell M1000e (DELL-RAC-MIB): readings are strings',
    at: `${E}.674.10892.2`,
    objectId: `${E}.674.10892.2`,
    device: 'server:box-1',
    samples: [
      ['3.1.5.0', 4, 'hw.status 1 1 part=power'],
      ['3.1.10.0', 19, 'hw.temperature 19 Cel sensor=front panel'],
      ['4.1.1.4.1', '11637', 'hw.power.limit 11637 W'],
      ['4.1.1.6.1', '41877.9', 'hw.energy 150760000000 J'],
      ['4.1.1.13.1', '3201.5', 'hw.power 3201.5 W upper_critical=11637'],
      ['4.1.1.14.1', '13.9', 'hw.current 13.9 A'],
      ['4.2.1.3.1.2', 'PS-2'],
      ['4.2.1.4.1.2', 2],
      ['4.2.1.5.1.2', '229.75', 'psu-2 hw.voltage 229.75 V side=input'],
      ['4.2.1.6.1.2', '4.25', 'psu-2 hw.current 4.25 A side=input'],
      ['4.2.1.7.1.2', '951', 'psu-2 hw.power.input 951 W'],
      ['4.2.1.4.1.3', 1],
      ['4.2.1.5.1.3', '0.00'],
    ],
  },
  {
    name: 'Dell MX7000 (DELL-MM-MIB)',
    at: `${E}.674.10892.6`,
    objectId: `${E}.674.10892.6.1`,
    device: 'server:box-1',
    samples: [
      ['2.1.0', 3, 'hw.status 0 1 part=chassis'],
      ['3.1.2.0', 5, 'hw.status 2 1 part=redundancy'],
      ['3.1.8.0', 23, 'hw.temperature 23 Cel sensor=front panel'],
      ['4.1.1.3.1', '5120.4', 'hw.energy 18433400000 J'],
      ['4.1.1.9.1', '1987', 'hw.power 1987 W'],
      ['4.2.1.3.1.4', 'PSU.Slot.4'],
      ['4.2.1.6.1.4', '3000', 'psu-4 hw.power.capacity 3000 W'],
      ['4.2.1.7.1.4', '233.5', 'psu-4 hw.voltage 233.5 V side=input'],
      ['4.2.1.8.1.4', 3, 'psu-4 hw.status 0 1'],
    ],
  },
  {
    name: 'Schleifenbauer PDUs on a data bus: outlets, probes, branches, totals',
    at: `${E}.31034.12.1.1.2`,
    objectId: `${E}.31034.12`,
    device: 'pdu:box-1',
    samples: [
      ['6.1.1.5.210.1', 812, 'pdu-210 hw.current 8.12 A phase=L1 upper_critical=16'],
      ['6.1.1.10.210.1', 1790, 'pdu-210 hw.power 1790 W phase=L1'],
      ['6.1.1.11.210.1', 1600],
      ['7.1.1.2.210.4', 'switch'],
      ['7.2.1.5.210.4', 43, 'pdu-210/outlet-4 hw.current 0.43 A'],
      ['7.2.1.11.210.4', 91, 'pdu-210/outlet-4 hw.power 91 W'],
      ['7.3.1.2.210.4', 1, 'pdu-210/outlet-4 hw.outlet.state 1 1'],
      ['8.1.1.1.210', 3150, 'pdu-210 hw.temperature 31.5 Cel sensor=internal'],
      ['8.1.1.2.210', 0],
      ['8.2.1.2.210.1', 'T'],
      ['8.2.1.3.210.1', 2275, 'pdu-210 hw.temperature 22.75 Cel sensor=front'],
      ['8.2.1.4.210.1', 'front'],
      ['8.2.1.2.210.2', 'H'],
      ['8.2.1.3.210.2', 4110, 'pdu-210 hw.humidity 41.1 % sensor=2'],
      ['10.1.1.7.210.2', 23_050, 'pdu-210 hw.voltage 230.5 V'],
      ['11.1.1.7.210.1', 5210, 'pdu-210 hw.power 5210 W'],
      ['3.1.1.6.210', 12, 'pdu-210 sdbDevSsOutletCurrentDropAlert 12 1'],
    ],
  },
  {
    name: 'Raritan PX, first generation (PDU-MIB): probes with digits of their own',
    at: `${E}.13742.4.3.3.1`,
    objectId: `${E}.13742.4`,
    device: 'pdu:box-1',
    samples: [
      ['2.13', 10],
      ['4.13', 'cold aisle'],
      ['16.13', 7],
      ['17.13', 1],
      ['31.13', 180],
      ['32.13', 200],
      ['33.13', 320],
      ['34.13', 300],
      ['40.13', 4, 'hw.sensor.state 4 1 sensor=13 name=cold aisle'],
      ['41.13', 241, 'hw.temperature 24.1 Cel sensor=13 name=cold aisle upper_critical=32 lower_warning=20'],
      ['2.14', 11],
      ['17.14', 0],
      ['40.14', 4, 'hw.sensor.state 4 1 sensor=14'],
      ['41.14', 38, 'hw.humidity 38 % sensor=14'],
      // A probe that was taken away.
      ['2.15', 10],
      ['17.15', 1],
      ['40.15', -1, 'externalSensorState -1 1 sensor=15'],
      ['41.15', 0],
    ],
  },
  {
    name: 'Sinetica UPSController: the objects of RFC 1628 below an OID of its own',
    at: `${E}.13891.101`,
    objectId: `${E}.13891.101`,
    device: 'ups:box-1',
    samples: [
      ['2.1.0', 2, 'hw.battery.state 2 1'],
      ['2.4.0', 97, 'hw.battery.charge 97 %'],
      ['2.5.0', 4050, 'hw.battery.voltage 405 V'],
      ['3.3.1.2.1', 500, 'hw.frequency 50 Hz phase=L1 side=input'],
      ['3.3.1.3.1', 231, 'hw.voltage 231 V phase=L1 side=input'],
      ['4.4.1.3.2', 1540, 'hw.current 154 A phase=L2 side=output'],
      ['4.4.1.4.2', 31_200, 'hw.power.output 31200 W phase=L2 side=output'],
      ['4.4.1.5.2', 41, 'hw.load 41 % phase=L2 side=output'],
    ],
  },
  {
    name: 'Sinetica Hawk-i2 and its PDUs (HAWK-I2-MIB)',
    at: `${E}.3711.24.1.1`,
    objectId: `${E}.3711.24`,
    device: 'device:box-1',
    samples: [
      ['1.2.1.0', 2],
      ['1.2.2.1.3.1', 'rack top'],
      ['1.2.2.1.6.1', 2],
      ['1.2.2.1.7.1', 770, 'hw.temperature 25 Cel sensor=1 name=rack top upper_critical=40'],
      ['1.2.3.1.1.3.1', 1040],
      ['1.2.2.1.6.2', 3],
      ['1.2.2.1.7.2', 415, 'hw.humidity 41.5 % sensor=2'],
      ['7.2.3.1.4.1.5', 'storage'],
      ['7.2.3.1.5.1.5', 1, 'outlet-1.5 hw.outlet.state 1 1'],
      ['7.3.1.1.3.1', 229, 'hw.voltage 229 V upper_critical=253'],
      ['7.3.2.1.3.1', 253],
      ['7.3.1.1.4.1', 84, 'hw.current 8.4 A'],
      ['7.3.1.1.5.1', 9121, 'hw.energy 3283560000 J'],
      ['7.3.1.1.7.1', 18, 'hw.power 1800 W'],
    ],
  },
  {
    name: 'Socomec, Net Vision 5 (SOCOMECUPS-MIB)',
    at: `${E}.4555.1.1.1.1`,
    objectId: `${E}.4555.1.1.1`,
    device: 'ups:box-1',
    samples: [
      ['2.1.0', 5, 'hw.battery.state 2 1'],
      ['2.3.0', 42, 'hw.battery.time_left 2520 s'],
      ['2.6.0', 0],
      ['2.8.0', 65_535],
      ['3.3.1.2.3', 2290, 'hw.voltage 229 V phase=L3 side=input'],
      ['4.1.0', 6, 'hw.ups.output_source 4 1'],
      ['4.4.1.3.1', 217, 'hw.current 21.7 A phase=L1 side=output'],
      ['5.3.1.3.1', 65_535],
    ],
  },
  {
    name: 'Tripp Lite PDU (TRIPPLITE-PRODUCTS)',
    at: `${E}.850.1.1.3.2.3`,
    objectId: `${E}.850.1.1.3.2`,
    device: 'pdu:box-1',
    samples: [
      ['1.1.1.10.1', 24],
      ['1.2.1.4.1.1', 2082, 'hw.voltage 208.2 V phase=L1 side=input'],
      ['1.2.1.7.1.1', 912, 'hw.current 9.12 A phase=L1 side=input upper_critical=24'],
      ['2.1.1.2.1.1', 1],
      ['2.1.1.8.1.1', 1802, 'hw.power 1802 W phase=L1 side=output'],
      ['2.1.1.9.1.1', 9520, 'hw.power.factor 0.952 1 phase=L1 side=output'],
      ['2.1.1.12.1.1', 189, 'hw.power.apparent 1890 VA phase=L1 side=output'],
      ['3.1.1.2.1.6', 'node-6'],
      ['3.1.1.4.1.6', 2, 'outlet-6 hw.outlet.state 1 1'],
      ['3.1.1.8.1.6', 179, 'outlet-6 hw.current 1.79 A'],
      ['3.1.1.9.1.6', 351, 'outlet-6 hw.power 351 W'],
    ],
  },
  {
    name: 'Tripp Lite, PowerAlert 12 (TRIPPLITE-MIB)',
    at: `${E}.850`,
    objectId: `${E}.850.10.2.2.1`,
    device: 'ups:box-1',
    samples: [
      ['100.1.10.2.1.2.3', 1, 'outlet-3 hw.outlet.state 0 1'],
      ['100.1.10.2.1.5.3', 'spare'],
      ['100.1.10.3.1.2.3', 11, 'outlet-3 hw.current 1.1 A'],
      ['100.1.10.4.1.2.3', 240, 'outlet-3 hw.power 240 W'],
      ['101.1.1.1.0', 22, 'hw.temperature 22 Cel sensor=EnviroSense'],
      ['101.1.2.1.0', 44, 'hw.humidity 44 % sensor=EnviroSense'],
    ],
  },
  {
    name: 'APC AP44xx transfer switch (PowerNet-MIB)',
    at: `${E}.318.1.1.8`,
    objectId: `${E}.318.1.3.11`,
    device: 'pdu:box-1',
    samples: [
      ['5.1.2.0', 2, 'atsStatusSelectedSource 2 1'],
      ['5.1.3.0', 1, 'hw.status 1 1 part=redundancy'],
      ['5.1.4.0', 1, 'hw.load.state 4 1'],
      ['5.3.2.1.4.2', 50, 'hw.frequency 50 Hz source=B side=input'],
      ['5.3.3.1.3.1.1.1', 0, 'hw.voltage 0 V phase=L1 source=A side=input'],
      ['5.3.3.1.3.2.1.1', 231, 'hw.voltage 231 V phase=L1 source=B side=input'],
      ['5.4.3.1.4.1.1.1', 88, 'hw.current 8.8 A phase=L1 side=output upper_critical=16'],
      ['4.16.1.5.1', 16],
      ['5.4.3.1.13.1.1.1', -1],
      ['5.4.5.1.3.2', 2],
      ['5.4.5.1.4.2', 41, 'hw.current 4.1 A bank=1 upper_critical=12'],
      ['4.14.1.5.2', 12],
      ['5.4.5.1.5.2', 3, 'hw.load.state 3 1 bank=1'],
    ],
  },
  {
    name: 'Gude EPC 8226: outlets, channels, probes, as all of its modules',
    at: `${E}.28507.58.1`,
    objectId: `${E}.28507.58`,
    device: 'pdu:box-1',
    samples: [
      ['3.1.2.1.2.2', 'router'],
      ['3.1.2.1.3.2', 1, 'outlet-2 hw.outlet.state 1 1'],
      ['5.1.2.1.2.1', 1],
      ['5.1.2.1.3.1', 91_022, 'hw.energy 327679000 J'],
      ['5.1.2.1.4.1', 612, 'hw.power 612 W'],
      ['5.1.2.1.5.1', 2731, 'hw.current 2.731 A'],
      ['5.1.2.1.7.1', 4998, 'hw.frequency 49.98 Hz'],
      ['5.1.2.1.8.1', 977, 'hw.power.factor 0.977 1'],
      ['5.1.2.1.2.2', 0],
      ['5.1.2.1.4.2', 0],
      ['5.5.2.1.2.2', 1],
      ['5.5.2.1.4.2', 52, 'outlet-2 hw.power 52 W'],
      ['5.2.1.2.1', 0, 'hw.status 2 1 part=overvoltage protection'],
      ['6.1.1.2.1', 231, 'hw.temperature 23.1 Cel sensor=rear'],
      ['6.1.1.32.1', 'rear'],
      ['6.1.1.2.2', -9999],
    ],
  },
  {
    name: 'Panduit G5 (PANDUIT-MIB): energy in kWh, probes in tenths and in degrees',
    at: `${E}.19536.10.1`,
    objectId: `${E}.19536.10.1`,
    device: 'pdu:box-1',
    samples: [
      ['1.2.1.9.1', 3, 'hw.status 1 1'],
      ['2.1.1.6.1', 412, 'hw.energy 1483200000 J'],
      ['2.1.1.8.1', 52_100, 'pdug5InputResettableEnergy 187560000 J'],
      ['2.2.1.3.1.3', 2314, 'hw.voltage 231.4 V phase=L3'],
      ['2.2.1.11.1.3', 745, 'hw.current 7.45 A phase=L3 upper_critical=16'],
      ['2.2.1.16.1.3', 1600],
      ['2.2.1.20.1.3', 1655, 'hw.power 1655 W phase=L3'],
      ['4.1.1.1.1', 1],
      ['4.2.1.2.1.1', 'inlet'],
      ['4.2.1.3.1.1', 2],
      ['4.2.1.4.1.1', 243, 'hw.temperature 24.3 Cel sensor=1 name=inlet upper_critical=40'],
      ['4.2.1.9.1.1', 400],
      ['4.2.1.3.1.2', 2],
      ['4.2.1.4.1.2', 24, 'hw.temperature 24 Cel sensor=2 upper_critical=40'],
      ['4.2.1.9.1.2', 40],
      ['4.2.1.3.1.3', 1],
      ['4.2.1.4.1.3', 0],
      ['4.3.1.3.1.1', 2],
      ['4.3.1.4.1.1', 45, 'hw.humidity 45 % sensor=1'],
      ['4.4.1.4.1.1', 1, 'pdug5DoorState 1 1 sensor=1'],
    ],
  },
];

describe.each(families)('$name', ({ at, objectId, device, samples }) => {
  const recording = [
    `1.3.6.1.2.1.1.2.0|6|${objectId}`,
    '1.3.6.1.2.1.1.5.0|4|box-1',
    ...samples.map(([oid, raw]) => `${at}.${oid}|${typeof raw === 'number' ? 2 : 4}|${raw}`),
  ].join('\n');

  test('every value has the meaning of its module, and unmeasured values give no rows', async () => {
    const reading = await readSource(snmpWalk, `${recording}\n`);
    expect(reading.rows.reject).toEqual([]);
    expect([...reading.entities.keys()]).toContain(device);
    const valuesByKey = new Map<string, string[]>();
    for (const sample of samplesOf(reading)) {
      const oid = String(sample.attributes.oid ?? '').replace(`${at}.`, '');
      valuesByKey.set(oid, [...(valuesByKey.get(oid) ?? []), sampleText(sample)]);
    }
    for (const [oid, , wanted] of samples) {
      const found = valuesByKey.get(oid) ?? [];
      if (wanted === undefined) expect([oid, found]).toEqual([oid, []]);
      else expect([oid, found.some((text) => text === wanted) ? wanted : found]).toEqual([oid, wanted]);
    }
  });
});

describe('numbers that can be no reading', () => {
  const wrong = `${E}.13891.101.3.3.1.3`;
  const recording = [
    '1.3.6.1.2.1.1.5.0|4|box-1',
    `${E}.13891.101.4.4.1.2.1|2|230`,
    // 230.3 V, in tenths where the module has volts.
    `${wrong}.1|2|2303`,
    // A register that was never filled, in tenths.
    `${E}.28507.58.1.6.1.1.2.1|2|65535`,
    // Not measured: not a number.
    `${E}.28507.58.1.5.1.2.1.4.1|2|-1`,
  ].join('\n');

  test('are rejected with the reason, and a remark names the device and metric', async () => {
    const reading = await readSource(snmpWalk, `${recording}\n`);
    const kept = samplesOf(reading).filter(({ metric }) => metric.startsWith('hw.'));
    expect(kept.map(({ metric, value }) => `${metric} ${value}`)).toEqual(['hw.voltage 230']);
    expect(reading.rows.reject.map(({ reason }) => reason)).toEqual([
      'no hw.voltage is beyond -1500 to 1500',
      'no hw.temperature is beyond -60 to 200',
    ]);
    expect([...reading.remarks]).toContainEqual(
      expect.stringMatching(/^box-1 reports hw\.voltage 2303 V \(.*upsInputVoltage/),
    );
    expect([...reading.remarks]).toContainEqual(expect.stringMatching(/^box-1 reports hw\.temperature 6553\.5 Cel \(/));
  });
});
