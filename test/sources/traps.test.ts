import { describe, expect, test } from 'vitest';
import { sources } from '../../src/main/sources/index.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { formatUtc, nanos } from '../../src/model/time.ts';
import { type Reading, readSource, samplesOf } from '../support/read-source.ts';
import { CAPTURED_NS, type InputOptions } from '../support/source-input.ts';

/**
 * Clock and unit traps that real recordings hold (FORMATS 2.14), one small test each, read by whatever format claims
 * the content.
 */
type Content = string | Readonly<Record<string, string>>;

async function read(content: Content, options: InputOptions = {}): Promise<Reading> {
  const files = typeof content === 'string' ? { [options.name ?? 'hidden']: content } : content;
  const claims = Object.entries(files).map(([path, text]) =>
    sources.find((one) => one.detect(new FileHead(Buffer.from(text).subarray(0, 65_536))) || one.gather?.owns?.(path)),
  );
  const source = claims.find((one) => one !== undefined);
  if (source === undefined) throw new Error('no format claims it');
  return readSource(source, content, options);
}
const timesOf = ({ rows }: Reading, table: 'event' | 'log' | 'point'): string[] =>
  rows[table].map(({ time_ns }) => formatUtc(nanos(time_ns as bigint)));
const json = (value: unknown): string => JSON.stringify(value);

describe('1: nvidia-smi writes local times without a zone', () => {
  const csv = 'timestamp, uuid, power.draw [W]\n2026/07/03 22:10:46.109, GPU-1, 71.00 W\n';
  test('they are read in the given zone', async () => {
    const reading = await read(csv, { assume: { zone: 'America/Los_Angeles' } });
    expect(timesOf(reading, 'point')).toEqual(['2026-07-04T05:10:46.109Z']);
    expect(reading.remarks.join()).not.toContain('zone');
  });
  test('else as UTC, with a remark', async () => {
    const reading = await read(csv);
    expect(timesOf(reading, 'point')).toEqual(['2026-07-03T22:10:46.109Z']);
    expect(reading.remarks.join()).toContain('no zone');
  });
});

test('2: what a log’s body calls its time is no time: the record’s own counts', async () => {
  const body = { stringValue: '{"log":"2023-01-29 16:51:50.001 INFO order placed"}' };
  const record = { timeUnixNano: '1674982310001000000', body };
  const reading = await read(json({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] }));
  expect(timesOf(reading, 'log')).toEqual(['2023-01-29T08:51:50.001Z']);
});

describe('3: AWS writes times in as many ways as it has interfaces', () => {
  const health = (detail: object) => ({
    'detail-type': 'AWS Health Event',
    source: 'aws.health',
    time: '2016-06-05T15:30:00Z',
    resources: ['i-1'],
    detail: { service: 'EC2', eventTypeCode: 'AWS_EC2_OPERATIONAL_ISSUE', eventTypeCategory: 'issue', ...detail },
  });
  test('RFC 1123 in the detail, with a weekday that is wrong, and not the envelope’s', async () => {
    const reading = await read(json(health({ startTime: 'Sat, 05 Jun 2016 15:10:09 GMT', statusCode: 'open' })));
    expect(timesOf(reading, 'event')).toEqual(['2016-06-05T15:10:09.000Z']);
  });
  test('ISO on the envelope, where the detail has none', async () => {
    const reading = await read(json(health({ statusCode: 'open' })));
    expect(timesOf(reading, 'event')).toEqual(['2016-06-05T15:30:00.000Z']);
  });
  test('seconds with a fraction from the command line', async () => {
    const arn = 'arn:aws:health:us-east-1::event/EC2/AWS_EC2_OPERATIONAL_ISSUE/x';
    const event = {
      arn,
      service: 'EC2',
      eventTypeCode: 'AWS_EC2_OPERATIONAL_ISSUE',
      eventTypeCategory: 'issue',
      region: 'us-east-1',
      startTime: 1493254744.143,
      statusCode: 'open',
    };
    expect(timesOf(await read(json({ events: [event] })), 'event')).toEqual(['2017-04-27T00:59:04.143Z']);
  });
  test('day first in the instance metadata', async () => {
    const scheduled = {
      Code: 'system-reboot',
      Description: 'scheduled reboot',
      State: 'active',
      EventId: 'instance-event-0d59937288b749b32',
      NotBefore: '21 Jan 2019 09:00:43 GMT',
      NotAfter: '21 Jan 2019 09:17:23 GMT',
    };
    expect(timesOf(await read(json([scheduled])), 'event')[0]).toBe('2019-01-21T09:00:43.000Z');
  });
});

describe('4: kernel logs', () => {
  const xid = 'NVRM: Xid (PCI:0000:9b:00): 79, pid=1, name=x, GPU has fallen off the bus.';
  test('syslog has no year: that of the recording, or the one before', async () => {
    const log = `Dec 31 23:59:58 node-7 kernel: ${xid}\nJan  1 00:00:01 node-7 kernel: ${xid}\n`;
    const reading = await read(log, { captured_ns: CAPTURED_NS + 60_000_000_000n });
    expect(timesOf(reading, 'event')).toEqual(['2025-12-31T23:59:58.000Z', '2026-01-01T00:00:01.000Z']);
  });
  test('syslog has no zone: the given zone counts', async () => {
    const log = `Dec 31 23:59:58 node-7 kernel: ${xid}\n`;
    expect(timesOf(await read(log, { assume: { zone: '+08:00' } }), 'event')).toEqual(['2025-12-31T15:59:58.000Z']);
    expect((await read(log)).remarks.join()).toContain('UTC');
  });
  test('dmesg counts from boot: the clock that the log states, else the last line is the recording', async () => {
    const lines = `[   10.000000] usb 1-1: new device\n[   70.500000] ${xid}\n`;
    expect(timesOf(await read(lines), 'event')).toEqual([formatUtc(nanos(CAPTURED_NS))]);
    const stated = '[    1.000000] rtc_cmos 00:04: setting system clock to 2025-06-01T00:00:00 UTC (1748736000)\n';
    expect(timesOf(await read(stated + lines), 'event')).toEqual(['2025-06-01T00:01:09.500Z']);
  });
  test('dmesg -T drifts when a machine sleeps: a remark', async () => {
    const reading = await read(`[Sun Feb 23 16:24:18 2025] ${xid}\n`, { assume: { zone: '-08:00' } });
    expect(timesOf(reading, 'event')).toEqual(['2025-02-24T00:24:18.000Z']);
    expect(reading.remarks.join()).toContain('drift');
  });
});

test.each([
  ['-T', '[Sun Feb 23 16:24:18 2025] '],
  ['--decode', 'kern  :warn  : 2025-01-21T04:41:44,283302+00:00 '],
  ['--time-format iso', '2025-01-21T04:41:44,283302+00:00 '],
])('4: dmesg %s names no host, though its messages look as if', async (_, stamp) => {
  const lines = [
    'pcieport 0000:00:01.0: AER: Corrected error received: 0000:9b:00.0',
    'usb 1-1: new device',
    'Call Trace:',
  ];
  const { entities, rows } = await read(lines.map((line) => `${stamp}${line}\n`).join(''), { assume: { device: 'n' } });
  expect([...entities.keys()].filter((key) => key.startsWith('server:'))).toEqual(['server:n']);
  expect(rows.event.map(({ type, entity }) => `${type} ${entity}`)).toEqual(['pcie_error device:n/pci-0000:9b:00']);
});

describe('5: clocks of management controllers and agents', () => {
  const system = {
    '@odata.id': '/redfish/v1/Systems/1',
    '@odata.type': '#ComputerSystem.v1_20_0.ComputerSystem',
    Id: '1',
    HostName: 'n',
    PowerState: 'On',
  };
  const sensor = (more: object) => ({
    '@odata.id': '/redfish/v1/Chassis/1/Sensors/T',
    '@odata.type': '#Sensor.v1_7_0.Sensor',
    Id: 'T',
    Name: 'T',
    Reading: 20,
    ReadingType: 'Temperature',
    ReadingUnits: 'Cel',
    ...more,
  });
  const entry = (Created: string) => ({
    '@odata.id': '/redfish/v1/Systems/1/LogServices/SEL/Entries/1',
    '@odata.type': '#LogEntry.v1_15_0.LogEntry',
    Id: '1',
    EntryType: 'SEL',
    Severity: 'Warning',
    Message: 'x',
    Created,
  });
  const tree = (...docs: object[]) => Object.fromEntries(docs.map((doc, i) => [`${i}.json`, json(doc)]));
  test('a controller that thinks it is 1970 does not know the time', async () => {
    const reading = await read(tree(system, sensor({ ReadingTime: '1970-01-01T00:12:00Z' })));
    expect(samplesOf(reading).find((s) => s.metric === 'hw.temperature')?.time_ns).toBe(CAPTURED_NS);
    const log = await read(tree(system, entry('1970-01-01T00:12:00Z')));
    expect([log.rows.event.length, log.rows.reject.length]).toEqual([0, 1]);
  });
  test('an entry without a zone is read in the given zone', async () => {
    const reading = await read(tree(system, entry('2012-03-07T14:45')), { assume: { zone: '+01:00' } });
    expect(timesOf(reading, 'event')).toEqual(['2012-03-07T13:45:00.000Z']);
    expect((await read(tree(system, entry('2012-03-07T14:45')))).remarks.join()).toContain('UTC');
  });
  test('an SNMP alarm arose at a tick of sysUpTime', async () => {
    const walk = [
      '1.3.6.1.2.1.1.2.0|6|1.3.6.1.2.1.33',
      '1.3.6.1.2.1.1.3.0|67|1000000',
      '1.3.6.1.2.1.1.5.0|4|ups-1',
      '1.3.6.1.2.1.33.1.6.1.0|66|1',
      '1.3.6.1.2.1.33.1.6.2.1.2.1|6|1.3.6.1.2.1.33.1.6.3.2',
      '1.3.6.1.2.1.33.1.6.2.1.3.1|67|997000',
    ].join('\n');
    expect((await read(walk)).rows.event.map(({ time_ns }) => time_ns)).toEqual([CAPTURED_NS - 30_000_000_000n]);
  });
});

const E = '1.3.6.1.4.1';
/** Lines of a recorded agent, with the name and the time that make it a device. */
const agent = (...lines: string[]): string =>
  ['1.3.6.1.2.1.1.5.0|4|box-1', '1.3.6.1.2.1.1.3.0|67|100', ...lines].join('\n');
const resource = (type: string, path: string, more: object): Record<string, string> => ({
  'system.json': json({
    '@odata.id': '/redfish/v1/Systems/1',
    '@odata.type': '#ComputerSystem.v1_20_0.ComputerSystem',
    Id: '1',
    HostName: 'n',
    PowerState: 'On',
  }),
  'a.json': json({
    '@odata.id': `/redfish/v1/Chassis/1/${path}`,
    '@odata.type': `#${type}.v1_0_0.${type}`,
    Id: 'x',
    Name: 'x',
    ...more,
  }),
});
const sensed = (ReadingType: string, ReadingUnits: string, Reading: number) =>
  resource('Sensor', 'Sensors/x', { ReadingType, ReadingUnits, Reading });
const gpu = 'gpu="0",UUID="GPU-11111111-2222-3333-4444-555555555550",Hostname="n"';
const zone = (file: string, value: number) => ({
  'n/sys/class/powercap/intel-rapl:0/name': 'package-0\n',
  'n/sys/class/powercap/intel-rapl:0/constraint_0_name': 'long_term\n',
  [`n/sys/class/powercap/intel-rapl:0/${file}`]: `${value}\n`,
});
const outlet = 'hw.current';

describe('6: one quantity, as many units as vendors', () => {
  test.each<[trap: string, metric: string, value: number, content: Content]>([
    ['power in mW: Cisco PoE', 'hw.power', 2.509, agent(`${E}.9.9.402.1.2.1.9.2.7|66|2509`)],
    ['power in mW: ATEN', 'hw.power', 12.5, agent(`${E}.21317.1.3.2.2.2.2.99.1.4.1|2|12500`)],
    ['power in uW: powercap', 'hw.power.limit', 350, zone('constraint_0_power_limit_uw', 350_000_000)],
    [
      'power in uW: hwmon',
      'hw.power',
      842,
      { 'n/sys/class/hwmon/hwmon3/name': 'power_meter\n', 'n/sys/class/hwmon/hwmon3/power1_average': '842000000\n' },
    ],
    ['power in W: Redfish', 'hw.power', 231.9, sensed('Power', 'W', 231.9)],
    ['power in W: nvidia-smi', 'hw.power', 71.5, 'uuid, power.draw [W]\nGPU-1, 71.50 W\n'],
    ['power in W: DCGM', 'hw.power', 71.5, `DCGM_FI_DEV_POWER_USAGE{${gpu}} 71.5\n`],
    ['memory in MiB: DCGM', 'hw.gpu.memory.usage', 1024 * 1_048_576, `DCGM_FI_DEV_FB_USED{${gpu}} 1024\n`],
    ['memory in MiB: nvidia-smi nounits', 'hw.gpu.memory.usage', 1_048_576, 'uuid, memory.used\nGPU-1, 1\n'],
    ['time in ns: DCGM', 'hw.gpu.throttle.thermal', 2.5, `DCGM_FI_DEV_THERMAL_VIOLATION{${gpu}} 2500000000\n`],
    ['power in W: APC outlets', 'hw.power', 114, agent(`${E}.318.1.1.26.9.4.3.1.7.1|2|114`)],
    ['power in 0.01 kW: APC', 'hw.power', 1140, agent(`${E}.318.1.1.26.4.3.1.5.1|2|114`)],
    ['power in 0.01 kW: Dell', 'hw.power', 3810, agent(`${E}.674.10903.200.2.200.110.2.1.3.1|2|381`)],
    ['VA that is called power: Raritan PX1', 'hw.power.apparent', 120, agent(`${E}.13742.4.1.2.2.1.8.1|66|120`)],
    [
      'VA that is called power: Schleifenbauer',
      'hw.power.apparent',
      73,
      agent(`${E}.31034.12.1.1.2.6.1.1.9.1.1|66|73`),
    ],
    ['energy in mJ: DCGM', 'hw.energy', 5000, `DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{${gpu}} 5000000\n`],
    ['energy in uJ: powercap', 'hw.energy', 262_143.328_85, zone('energy_uj', 262_143_328_850)],
    ['energy in J: Redfish', 'hw.energy', 4711, sensed('EnergyJoules', 'J', 4711)],
    ['energy in Wh: Sentry4', 'hw.energy', 3_600_000, agent(`${E}.1718.4.1.8.3.1.14.1.1.5|66|1000`)],
    ['energy in 0.1 kWh: APC', 'hw.energy', 3512.8 * 3_600_000, agent(`${E}.318.1.1.26.4.3.1.9.1|2|35128`)],
    ['energy in 0.01 kWh: APC UPS', 'hw.energy', 1.5 * 3_600_000, agent(`${E}.318.1.1.1.4.3.6.0|66|150`)],
    ['energy in kWh: Redfish', 'hw.energy', 2.5 * 3_600_000, sensed('EnergykWh', 'kW.h', 2.5)],
    ['energy in kWh: Sentry3 towers', 'hw.energy', 7 * 3_600_000, agent(`${E}.1718.3.2.1.1.14.1|66|7`)],
    ['voltage in V: APC', 'hw.voltage', 242, agent(`${E}.318.1.1.26.6.3.1.6.1|2|242`)],
    ['voltage in 0.1 V: Sentry4', 'hw.voltage', 230.1, agent(`${E}.1718.4.1.5.3.1.3.1.1.1|2|2301`)],
    ['voltage in 0.01 V: Schleifenbauer', 'hw.voltage', 229.45, agent(`${E}.31034.12.1.1.2.6.1.1.7.1.1|66|22945`)],
    ['voltage in mV: Eaton', 'hw.voltage', 230.123, agent(`${E}.534.6.6.7.3.2.1.3.0.1.1|2|230123`)],
    ['current in A: Dell outlets', outlet, 3, agent(`${E}.674.10903.200.2.200.130.2.2.1.6.2|2|3`)],
    ['current in 0.1 A: APC', outlet, 4.9, agent(`${E}.318.1.1.26.6.3.1.5.1|2|49`)],
    ['current in 0.01 A: Sentry4', outlet, 1.37, agent(`${E}.1718.4.1.8.3.1.3.1.1.5|2|137`)],
    ['current in mA: Eaton', outlet, 5.12, agent(`${E}.534.6.6.7.3.3.1.4.0.1.1|2|5120`)],
    ['power factor in %: Geist', 'hw.power.factor', 0.97, agent(`${E}.21239.5.2.3.6.1.14.1|2|97`)],
    ['power factor in 0.01: APC', 'hw.power.factor', 0.95, agent(`${E}.318.1.1.26.4.3.1.17.1|2|95`)],
    ['power factor in 0.001: Eaton', 'hw.power.factor', 0.987, agent(`${E}.534.6.6.7.3.4.1.7.0.1.1|2|987`)],
    [
      'power factor in 0.0001: Schleifenbauer',
      'hw.power.factor',
      0.4567,
      agent(`${E}.31034.12.1.1.2.6.1.1.4.1.1|66|4567`),
    ],
    ['power factor with a sign: HPE', 'hw.power.factor', -0.712, agent(`${E}.232.165.7.5.1.1.17.1.3|2|-712`)],
  ])('%s', async (_, metric, value, content) => {
    const found = samplesOf(await read(content)).filter((sample) => sample.metric === metric);
    expect(found.map((sample) => sample.value)).toEqual([expect.closeTo(value, 6)]);
  });
});
