import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { captureWhile, reaches, sqlRows } from '../support/capture-run.ts';
import { temporaryFolder } from '../support/core.ts';

process.env['TRAPS_LEFT'] = 'left-pdu';
process.env['TRAPS_RIGHT'] = 'right-pdu';
process.env['TRAPS_KEY'] = 'a long passphrase';

const hasSnmptrap = spawnSync('snmptrap', ['-V']).status === 0;
const ON_BATTERY = '1.3.6.1.2.1.33.2.1';
const V3 = ['-v3', '-u', 'reader', '-l', 'authNoPriv', '-a', 'SHA-256', '-A', 'a long passphrase'];

test.skipIf(!hasSnmptrap)(
  'devices that send from one address stay apart by community and by context, which no case shows (skipped: snmptrap is not installed)',
  async () => {
    const folder = await temporaryFolder();
    const env = { ...process.env, SNMP_PERSISTENT_DIR: folder, SNMPCONFPATH: folder, MIBS: '' };
    const feed = {
      kind: 'snmp-traps',
      listen: '127.0.0.1:0',
      communities: ['env:TRAPS_LEFT', 'env:TRAPS_RIGHT'],
      users: [{ name: 'reader', auth: 'sha256', auth_key: 'env:TRAPS_KEY' }],
    };
    const { core, events } = await captureWhile(JSON.stringify({ feeds: [feed] }), async (until, core) => {
      let to = '';
      await until((event) => {
        if (event.kind === 'feed' && event.state === 'up') to = event.about;
        return to !== '';
      });
      const send = (...options: readonly string[]) =>
        promisify(execFile)('snmptrap', [...options, to, '12345', ON_BATTERY], { env });
      await send('-v2c', '-c', 'left-pdu');
      await send('-v2c', '-c', 'right-pdu');
      await send('-v2c', '-c', 'left-pdu');
      const proxy = [...V3, '-e', '0x8000000001020304'];
      await send(...proxy, '-E', '0x8000000001020304');
      await send(...proxy, '-E', '0x8000000001020304', '-n', 'rack-2');
      // It sends for another engine.
      await send(...proxy, '-E', '0x8000000001020305');
      await reaches(core, 'select count(*) from events', 6);
    });
    const sql = 'select device_id, count(*) from events group by 1 order by 1';
    expect((await sqlRows(core, sql)).map(([device, count]) => `${device} ${count}`)).toEqual([
      '127.0.0.1 3',
      '127.0.0.1/community-2 1',
      '127.0.0.1/engine-8000000001020305 1',
      '127.0.0.1/rack-2 1',
    ]);
    const plainly = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
    const rows = await sqlRows(core, 'select * from events');
    expect(JSON.stringify([rows, events], plainly)).not.toMatch(/left-pdu|right-pdu/);
  },
);
