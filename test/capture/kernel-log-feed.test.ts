import { execFileSync } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BootClock } from '../../src/main/capture/kernel-log/boot-clock.ts';
import { kernelLogFeed } from '../../src/main/capture/kernel-log/index.ts';
import { RecordReader } from '../../src/main/capture/kernel-log/record.ts';
import { captureWhile, isState, reaches, remarksOf, sqlRows, type Until } from '../support/capture-run.ts';
import { type TestCore, temporaryFolder } from '../support/core.ts';

const capture = (path: string, whileRunning: (until: Until, core: TestCore) => Promise<void>, settings = '') =>
  captureWhile(
    `feeds: [{kind: kernel-log, host: node-3, every_s: 0.1, path: ${JSON.stringify(path)}${settings}}]`,
    whileRunning,
  );

const logged = (core: TestCore, least: number) => reaches(core, 'select count(*) from logs', least);

/** A pipe in place of the ring. */
async function ring() {
  const path = join(await temporaryFolder(), 'kmsg');
  execFileSync('mkfifo', [path]);
  // Also for reading, so that it stays open without another reader.
  const pipe = await open(path, 'r+');
  onTestFinished(() => pipe.close());
  let sequence = 0;
  const record = (message: string, { priority = 4, skip = 0, ago_ms = 0 } = {}): string => {
    sequence += skip;
    const uptime = process.hrtime.bigint() / 1000n - BigInt(ago_ms) * 1000n;
    return `${priority},${sequence++},${uptime},-;${message}\n`;
  };
  return { path, record, write: (text: string) => pipe.write(text) };
}

const XID = 'NVRM: Xid (PCI:0000:9b:00): 79, pid=1234, name=python, GPU has fallen off the bus.';

describe('the kernel log', () => {
  test('becomes log records and events, with wall-clock times', async () => {
    const kernel = await ring();
    const began = Date.now();
    await kernel.write(kernel.record('nvidia 0000:9b:00.0: enabling device', { ago_ms: 60_000, priority: 6 }));
    const { core } = await capture(kernel.path, async (until, core) => {
      await until(isState('up'));
      await kernel.write(`${kernel.record(XID)} SUBSYSTEM=pci\n DEVICE=+pci:0000:9b:00.0\n`);
      await kernel.write(kernel.record('caf\\xc3\\xa9 opened\\x0atwice', { priority: 30 }));
      // Programs can write into the ring, but not as the kernel.
      await kernel.write(kernel.record(`evil[7]: ${XID}`, { priority: 12 }));
      await logged(core, 4);
    });
    const events = await sqlRows(core, 'select type, severity, device_id, time_ns::varchar from events');
    expect(events).toHaveLength(1);
    expect(events[0]?.slice(0, 3)).toEqual(['xid_error', 'critical', 'node-3/pci-0000:9b:00']);
    const at = Number(BigInt(events[0]?.[3] as string) / 1_000_000n);
    expect(at).toBeGreaterThanOrEqual(began);
    expect(at).toBeLessThanOrEqual(Date.now());
    const logs = await sqlRows(core, 'select body, severity_text, attributes from logs order by time_ns');
    expect(logs).toEqual([
      ['nvidia 0000:9b:00.0: enabling device', 'INFO', null],
      [XID, 'WARNING', '{"SUBSYSTEM":"pci","DEVICE":"+pci:0000:9b:00.0"}'],
      ['café opened\ntwice', 'INFO', null],
      [`evil[7]: ${XID}`, 'WARNING', null],
    ]);
    expect((await remarksOf(core)).join('\n')).toMatch(/times count from boot at/);
  });

  test('messages that were overwritten before they were read are counted', async () => {
    const kernel = await ring();
    const { core, events } = await capture(kernel.path, async (until, core) => {
      await until(isState('up'));
      await kernel.write(kernel.record('first', { skip: 1000 }));
      await kernel.write(kernel.record('then', { skip: 250 }));
      await logged(core, 2);
    });
    const ended = events.at(-1);
    if (ended?.kind !== 'ended') throw new Error('it did not end');
    expect(ended.feeds[0]).toMatchObject({ lost: 250, rows: 2 });
    expect((await remarksOf(core)).join('\n')).toMatch(/overwritten 1000 messages before the capture began/);
  });

  test('older messages in the ring can be left out', async () => {
    const kernel = await ring();
    await kernel.write(kernel.record(XID));
    const { core } = await capture(
      kernel.path,
      async (until, core) => {
        await until(isState('up'));
        await kernel.write(kernel.record('later'));
        await logged(core, 1);
      },
      ', history: false',
    );
    expect(await sqlRows(core, 'select body from logs')).toEqual([['later']]);
    expect(await sqlRows(core, 'select count(*)::integer from events')).toEqual([[0]]);
  });

  test('a flood is read in turns, and none of it is lost', async () => {
    const kernel = await ring();
    let longest = 0;
    let before = performance.now();
    const watch = setInterval(() => {
      longest = Math.max(longest, performance.now() - before);
      before = performance.now();
    }, 5);
    onTestFinished(() => clearInterval(watch));
    const { core, events } = await capture(kernel.path, async (until, core) => {
      await until(isState('up'));
      for (let block = 0; block < 200; block++)
        await kernel.write(Array.from({ length: 100 }, () => kernel.record('a line as many others')).join(''));
      await logged(core, 20_000);
    });
    expect(await sqlRows(core, 'select count(*)::integer from logs')).toEqual([[20_000]]);
    expect(events.at(-1)).toMatchObject({ feeds: [{ lost: 0 }] });
    expect(longest).toBeLessThan(1000);
  });

  test('an unreadable log gives a hint, and stops no other feed', async () => {
    const { events } = await capture('/nowhere/kmsg', (until) => until(({ kind }) => kind === 'ended'));
    const ended = events.at(-1);
    if (ended?.kind !== 'ended') throw new Error('it did not end');
    expect(ended.feeds[0]?.problem).toMatchObject({
      code: 'feed.no_kernel_log',
      hint: expect.stringMatching(/journald/),
    });
  });

  test('it can be tried before a capture', async () => {
    const kernel = await ring();
    await kernel.write(kernel.record('one') + kernel.record('two'));
    const tried = async (path: string) => {
      const checks = [];
      const plan = kernelLogFeed.plan.parse({ kind: 'kernel-log', path });
      for await (const check of kernelLogFeed.test?.(plan, AbortSignal.timeout(5000)) ?? []) checks.push(check);
      return checks.map(({ step, passed, detail }) => `${step} ${passed} ${detail}`);
    };
    expect(await tried(kernel.path)).toEqual([`view true ${kernel.path} can be read`, 'values true it has 2 messages']);
    expect(await tried('/nowhere/kmsg')).toEqual(['view false /nowhere/kmsg cannot be read: ENOENT']);
  });
});

const isReadable = (() => {
  try {
    accessSync('/dev/kmsg', constants.R_OK);
    readFileSync('/proc/sys/kernel/random/boot_id');
    return true;
  } catch {
    return false;
  }
})();

test.skipIf(!isReadable)("this machine's own kernel (skipped: /dev/kmsg cannot be read here)", async () => {
  const { core, events } = await capture('/dev/kmsg', (until) =>
    until((event) => event.kind === 'ended' || (event.kind === 'written' && event.rows > 10)),
  );
  const ended = events.at(-1);
  if (ended?.kind !== 'ended') throw new Error('it did not end');
  if (ended.feeds[0]?.problem?.code === 'feed.no_kernel_log') return;
  expect(ended.feeds[0]?.rows).toBeGreaterThan(10);
  const [[first, last]] = (await sqlRows(core, 'select min(time_ns)::varchar, max(time_ns)::varchar from logs')) as [
    [string, string],
  ];
  const boot = Date.now() - Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1000;
  expect(Math.abs(Number(BigInt(first) / 1_000_000n) - boot)).toBeLessThan(10_000);
  expect(Number(BigInt(last) / 1_000_000n)).toBeLessThanOrEqual(Date.now());
});

describe('records', () => {
  test('are the same however the bytes are cut', () => {
    const text = Buffer.from(
      '6,10,5000,-;one\n SUBSYSTEM=net\n DEVICE=n2\n4,11,6000,c;tw\\xc3\\xb6\nno record\n3,12,7000,-,caller=T1;three; and more\n',
    );
    const whole = new RecordReader();
    const expected = [...whole.read(text), ...whole.end()];
    expect(expected.map(({ message, properties, sequence }) => [sequence, message, properties])).toEqual([
      [10, 'one', { SUBSYSTEM: 'net', DEVICE: 'n2' }],
      [11, 'twö', {}],
      [12, 'three; and more', {}],
    ]);
    expect(whole.unparsedLines).toBe(1);
    for (const size of [1, 3, 7]) {
      const reader = new RecordReader();
      const found = [];
      for (let at = 0; at < text.length; at += size) found.push(...reader.read(text.subarray(at, at + size)));
      expect([...found, ...reader.end()]).toEqual(expected);
    }
  });

  test('a line that never ends fills no memory', () => {
    const reader = new RecordReader();
    for (let count = 0; count < 100; count++) reader.read(Buffer.alloc(64 * 1024, 'x'));
    expect(reader.read(Buffer.from('\n6,1,2,-;after\n'))).toEqual([]);
    expect(reader.end().map(({ message }) => message)).toEqual(['after']);
  });
});

describe('the clock of messages', () => {
  const s = 1_000_000_000n;
  test('is corrected by messages that arrived during a wait', () => {
    const clock = new BootClock(1000n * s);
    // History keeps its times, but never in the future.
    expect(clock.timeOf(50n * s, 1100n * s)).toBe(1050n * s);
    expect(clock.timeOf(103n * s, 1100n * s)).toBe(1100n * s);
    expect(clock.boot_ns).toBe(997n * s);
    // Nothing was there at 1200, so what is read at 1201 was written in between.
    clock.isQuiet(1200n * s);
    expect(clock.timeOf(198n * s, 1201n * s)).toBe(1200n * s);
    expect(clock.boot_ns).toBe(1002n * s);
    expect(clock.timeOf(198n * s + s / 2n, 1201n * s)).toBe(1200n * s + s / 2n);
  });
});
