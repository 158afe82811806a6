import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { memoryCore, temporaryFolder } from '../support/core.ts';
import { freePort } from '../support/snmpd.ts';

const PROGRAM = '/usr/sbin/snmptrapd';
const ON_BATTERY = '1.3.6.1.2.1.33.2.0.1';
const BATTERY_SECONDS = '1.3.6.1.2.1.33.1.2.2.0';
const LINK_DOWN = '1.3.6.1.6.3.1.1.5.3';
const v3 = [
  '-v3',
  '-l',
  'authPriv',
  '-u',
  'ups',
  '-a',
  'SHA-256',
  '-A',
  'a long passphrase',
  '-x',
  'AES',
  '-X',
  'another passphrase',
];

/** Runs snmptrapd until the test ends. */
async function trapd(
  folder: string,
  log: string,
  options: readonly string[],
): Promise<{ port: number; child: ChildProcess }> {
  const port = await freePort();
  const config = join(folder, 'receiver.conf');
  await writeFile(
    config,
    [
      'authCommunity log hall-b',
      'createUser -e 0x8000000001020304 ups SHA-256 "a long passphrase" AES "another passphrase"',
      'createUser ups SHA-256 "a long passphrase" AES "another passphrase"',
      'authUser log ups priv',
      '',
    ].join('\n'),
  );
  const args = ['-f', '-Lf', log, '-C', '-c', config, ...options, `udp:127.0.0.1:${port}`];
  const child = spawn(PROGRAM, args, { env: { ...process.env, SNMP_PERSISTENT_DIR: folder }, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await expect.poll(() => readFile(log, 'utf8').catch(() => '')).toContain('NET-SNMP version');
  return { port, child };
}

// Where Debian's own has no MIBs (they are not free), hundreds of lines about them come before the first trap.
test.skipIf(!existsSync(PROGRAM)).each([
  ['as it writes by itself', []],
  ['with numbers instead of names', ['-On']],
] as const)('what snmptrapd writes of v1, v2c and v3 is read %s', async (_, options) => {
  const folder = await temporaryFolder();
  const log = join(folder, 'traps.log');
  const { port, child } = await trapd(folder, log, options);
  const to = `127.0.0.1:${port}`;
  const send = (...args: readonly string[]) =>
    execFileSync('snmptrap', args, { env: { ...process.env, SNMP_PERSISTENT_DIR: folder } });
  send('-v1', '-c', 'hall-b', to, '1.3.6.1.2.1.33.2', '10.9.0.1', '6', '1', '4711', BATTERY_SECONDS, 'i', '3');
  send('-v2c', '-c', 'hall-b', to, '4712', ON_BATTERY, BATTERY_SECONDS, 'i', '5');
  send('-e', '0x8000000001020304', ...v3, to, '4713', LINK_DOWN, '1.3.6.1.2.1.2.2.1.1.7', 'i', '7');
  send('-Ci', ...v3, to, '4714', ON_BATTERY, BATTERY_SECONDS, 'i', '9');
  await expect.poll(() => readFile(log, 'utf8')).toMatch(/(INTEGER: 9\b|= 9\b)/);
  child.kill('SIGTERM');
  const core = await memoryCore();
  await core.import([log]);
  const { rows } = await core.api['query.sql']({
    sql: 'select entity_kind, device_id, type, severity, message from events order by time_ns, event_id',
  });
  const onBattery = ['ups_transfer', 'high', 'the UPS runs on battery'];
  expect(rows).toEqual([
    ['ups', '10.9.0.1', ...onBattery],
    ['ups', '127.0.0.1', ...onBattery],
    ['port', '127.0.0.1/port-7', 'link_down', 'high', 'a link went down'],
    ['ups', '127.0.0.1', ...onBattery],
  ]);
  expect((await core.api['rejects.list']({})).total).toBe(0);
});
