import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kernelLog } from '../../src/main/sources/kernel-log/index.ts';
import { parseLine } from '../../src/main/sources/kernel-log/line.ts';
import { readLogText } from '../../src/main/sources/log-events/read-log-text.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { normalizePciAddress } from '../../src/model/telemetry/gpu-identity.ts';
import { xidMeaning } from '../../src/model/telemetry/xid-catalog.ts';
import { formatUtc, nanos } from '../../src/model/time.ts';
import { readSource } from '../support/read-source.ts';
import { sharedData } from '../support/shared-data.ts';
import { CAPTURED_NS } from '../support/source-input.ts';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../../fixtures/kernel-log', name));
const at = (time: unknown) => formatUtc(nanos(time as bigint));

test('every line of the Xid oracle gives its code and device, and the negatives nothing', () => {
  const file = sharedData('kernel-logs/xid-line-oracle.jsonl');
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  expect(lines.length).toBe(21);
  for (const text of lines) {
    const { kind, line, expected } = JSON.parse(text) as {
      kind: string;
      line: string;
      expected: Record<string, unknown>;
    };
    const event = readLogText(parseLine(line).message, 'kernel');
    const code = event?.attributes[kind] ?? 0;
    const device = event && 'pci' in event.subject ? event.subject.pci : '';
    const wanted = [expected.expected, expected.expectedXid, expected.expectedSXid, expected.expectedDevice];
    for (const want of wanted.filter((one) => one !== undefined)) {
      if (typeof want === 'number') expect(code, line).toBe(want);
      // `PCI:0000:29:00` alone is an address, not a line: it normalises, and is no event.
      else if (line.startsWith('PCI:'))
        expect(normalizePciAddress(line.replace('PCI:', ''))).toBe(String(want).replace('PCI:', ''));
      else expect(device, line).toBe(normalizePciAddress(String(want)));
    }
  }
});

test('the catalogue knows every documented code', () => {
  const file = sharedData('kernel-logs/xid-catalog.csv');
  const documented = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
    .filter(([, , description = '']) => !/unused/i.test(description))
    .map(([code]) => Number(code));
  expect(documented.length).toBeGreaterThan(100);
  expect(documented.filter((code) => xidMeaning(code) === undefined)).toEqual([]);
});

test('lines that only mention Xids are no events', () => {
  for (const line of [
    'NVRM: Xid error: xyz',
    'xid 0',
    'NVRM: Xid (PCI:0000:05:00): 0, none',
    'containerBoxID 79',
    'NVRM: Xid (x): 79,',
  ])
    expect(readLogText(line, 'kernel'), line).toBeUndefined();
});

test('syslog without year or zone: years by the recording, the given zone, or UTC with a remark', async () => {
  const { rows, remarks } = await readSource(kernelLog, fixture('syslog.log'), {
    captured_ns: CAPTURED_NS + 60_000_000_000n,
  });
  expect(rows.log).toHaveLength(8);
  expect(rows.event.map(({ time_ns, type, entity }) => `${at(time_ns)} ${type} ${entity}`)).toEqual([
    '2025-12-31T23:59:58.000Z xid_error gpu:node-7/pci-0000:9b:00',
    '2025-12-31T23:59:59.000Z xid_error gpu:node-7/pci-0000:9b:00',
    '2026-01-01T00:00:01.000Z pcie_error device:node-7/pci-0000:9b:00',
    '2026-01-01T00:00:02.000Z machine_check server:node-7',
    '2026-01-01T00:00:03.000Z out_of_memory server:node-7',
    '2026-01-01T00:00:04.000Z link_down nic:node-7/eth2',
    '2026-01-01T00:00:09.000Z link_up nic:node-7/eth2',
  ]);
  expect(rows.event[0]).toMatchObject({ severity: 0 });
  expect(rows.event[2]).toMatchObject({ severity: 0 });
  expect(remarks.join()).toContain('read as UTC');
  const berlin = await readSource(kernelLog, fixture('syslog.log'), {
    captured_ns: CAPTURED_NS,
    assume: { zone: 'Europe/Berlin' },
  });
  expect(at(berlin.rows.event[0]?.time_ns)).toBe('2025-12-31T22:59:58.000Z');
  expect(berlin.remarks.join()).not.toContain('UTC with');
});

test.each([
  ['2026 May 14 02:57:35.366210 leaf-3 NOTICE swss#orchagent: :- initPort: done', 2026, 'leaf-3', 'swss#orchagent', 5],
  ['Mar 28 05:18:28.460209 dut ERR pmon#xcvrd[31]: no module', 0, 'dut', 'pmon#xcvrd', 3],
  ['Mar 28 05:18:28 dut WARNING syncd: slow', 0, 'dut', 'syncd', 4],
  ['May  2 2026 11:02:03 core-1 Ebra: %LINK-3-UPDOWN: down', 2026, 'core-1', 'Ebra', -1],
  ['Mar 28 05:18:28 web-1 INFO', 0, '', '', -1],
])('syslog of switches, with a year or a level: %s', (text, year, host, program, level) => {
  const line = parseLine(text);
  expect(line).toMatchObject({ host, program, level });
  expect(line.stamp).toMatchObject({ kind: 'local', clock: { year } });
});

test('dmesg -T: local time with year, RPC history after Xid 119, and the UUID that the log introduces', async () => {
  const { rows, entities } = await readSource(kernelLog, fixture('dmesg-with-xid-119.log'), {
    assume: { device: 'node-1', zone: '-08:00' },
  });
  const xids = rows.event.filter(({ type }) => type === 'xid_error');
  expect(xids.length).toBeGreaterThan(0);
  expect(xids[0]).toMatchObject({ entity: 'gpu:GPU-509665ad-b600-ac93-3616-d754b23d636d', severity: 1 });
  expect(at(xids[0]?.time_ns)).toBe('2025-02-24T00:24:18.000Z');
  expect(JSON.parse(String(xids[0]?.attributes))).toMatchObject({
    xid: 119,
    class: 'firmware',
    process: 'nvidia-smi',
    pid: '2024380',
  });
  expect(entities.get('gpu:GPU-509665ad-b600-ac93-3616-d754b23d636d')?.aliases).toContain(
    'pci_address=node-1/pci-0000:9b:00',
  );
  expect(rows.log.length).toBeGreaterThan(xids.length);
});

test('decoded dmesg: comma decimals, level, and its zone', async () => {
  const { rows, remarks } = await readSource(kernelLog, fixture('dmesg.decode.iso.log'), { assume: { device: 'n' } });
  expect(rows.log[0]).toMatchObject({ severity: 13, time_ns: 1_737_434_504_285_060_000n });
  expect(remarks.filter((remark) => remark.includes('UTC'))).toEqual([]);
});

test('/dev/kmsg and bare dmesg count from boot: the last line falls on the recording, or the log states the clock', async () => {
  const kmsg = await readSource(kernelLog, fixture('kmsg.1.log'), { assume: { device: 'n' } });
  const times = kmsg.rows.log.map(({ time_ns }) => time_ns as bigint);
  expect(times.reduce((a, b) => (a > b ? a : b))).toBe(CAPTURED_NS);
  expect(kmsg.remarks.join()).toContain('count from boot');
  const stated =
    '[    1.000000] rtc_cmos 00:04: setting system clock to 2025-06-01T00:00:00 UTC (1748736000)\n[   61.500000] NVRM: Xid (PCI:0000:05:00): 79, x\n';
  const { rows } = await readSource(kernelLog, stated, { assume: { device: 'n' } });
  expect(at(rows.event[0]?.time_ns)).toBe('2025-06-01T00:01:00.500Z');
});

test('journald JSON: microseconds, levels, a message as bytes', async () => {
  const { rows } = await readSource(kernelLog, fixture('journal.json'));
  expect(rows.event[0]).toMatchObject({ time_ns: 1_767_225_600_000_001_000n, entity: 'gpu:node-9/pci-0000:18:00' });
  expect(rows.log[1]).toMatchObject({ body: 'hi', severity: 9, scope: 'sshd' });
});

test('NVSwitch lines of one fault are one event', async () => {
  const log = ['34, Fatal, Link 30 LTSSM Fault Up', '34, Severity 1 Engine instance 30', '34, Data {0x50610002}']
    .map((text, i) => `[131453.74074${i}] nvidia-nvswitch0: SXid (PCI:0000:a9:00.0): 200${text}`)
    .join('\n');
  const { rows } = await readSource(kernelLog, log, { assume: { device: 'n' } });
  expect(rows.event).toHaveLength(1);
  expect(rows.event[0]).toMatchObject({ type: 'nvswitch_error', severity: 1, entity: 'switch:n/nvswitch-0000:a9:00' });
});

test('drives that do not answer', async () => {
  const log = [
    '[  100.5] nvme nvme3: I/O 12 QID 5 timeout, reset controller',
    '[  101.5] nvme nvme3: controller is down; will reset: CSTS=0xffffffff',
    '[  102.5] blk_update_request: I/O error, dev nvme3n1, sector 2048 op 0x1:(WRITE)',
  ].join('\n');
  const { rows } = await readSource(kernelLog, log, { assume: { device: 'n' } });
  expect(rows.event.map(({ type }) => type)).toEqual(['drive_failure', 'drive_failure', 'drive_failure']);
});

test('a real syslog is recognised and wholly read; prose, CSV and Prometheus text are not logs', async () => {
  for (const text of [
    'hello world\n',
    '# HELP a b\na 1\n',
    '2026-01-01T00:00:00Z,5,3\n2026-01-01T00:00:01Z,5,3\n',
    '{"a":1}\n',
    '[1.5, 2.5]\n',
    '',
  ])
    expect(kernelLog.detect(new FileHead(Buffer.from(text))), text).toBe(false);
  const file = sharedData('kernel-logs/loghub/Linux_2k.log');
  const bytes = readFileSync(file);
  expect(kernelLog.detect(new FileHead(bytes.subarray(0, 65_536)))).toBe(true);
  const { rows } = await readSource(kernelLog, bytes);
  expect(rows.log.length).toBe(bytes.toString().trim().split('\n').length);
  expect(rows.reject).toEqual([]);
});

test('hostile lines are rows or rejects', async () => {
  const text = [
    '[99999999999999.1] x',
    'Feb 31 10:00:00 h kernel: x',
    `6,1,${'9'.repeat(25)},-;x`,
    `Jan  1 00:00:00 h kernel: ${'a'.repeat(200_000)}`,
    '{"__REALTIME_TIMESTAMP":"-5","MESSAGE":"x"}',
    '<999>x',
  ].join('\n');
  const { rows } = await readSource(kernelLog, text);
  expect(rows.log.length + rows.reject.length).toBe(6);
});
