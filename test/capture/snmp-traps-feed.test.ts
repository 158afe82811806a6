import { execFile, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import snmp from 'net-snmp';
import { describe, expect, onTestFinished, test } from 'vitest';
import { snmpTrapsFeed } from '../../src/main/capture/snmp-traps/index.ts';
import { Rate, Recent } from '../../src/main/capture/snmp-traps/limits.ts';
import { captureWhile, pause, reaches, remarksOf, sqlRows, type Until } from '../support/capture-run.ts';
import { type TestCore, temporaryFolder } from '../support/core.ts';

process.env['TRAP_COMMUNITY'] = 'hall-b-traps';
process.env['TRAP_AUTH'] = 'a long passphrase';
process.env['TRAP_PRIVACY'] = 'another passphrase';

const hasSnmptrap = spawnSync('snmptrap', ['-V']).status === 0;
const USERS = `users: [
  {name: investigator, auth: sha256, auth_key: env:TRAP_AUTH, privacy: aes, privacy_key: env:TRAP_PRIVACY},
  {name: verifier, auth: sha512, auth_key: env:TRAP_AUTH}]`;
const ON_BATTERY = '1.3.6.1.2.1.33.2.1';

const REJECTS = 'select count(*) from reject';

interface Listening {
  readonly port: number;
  readonly address: string;
}

/** Runs for as long as something is sent, and until this gives a number: of events, or another one. */
async function capture(
  settings: string,
  whileRunning: (at: Listening, until: Until) => Promise<void>,
  sql = 'select count(*) from events',
) {
  return await captureWhile(
    `feeds: [{kind: snmp-traps, listen: "127.0.0.1:0", communities: [env:TRAP_COMMUNITY], ${settings}}]`,
    async (until, core) => {
      let address = '';
      await until((event) => {
        if (event.kind === 'feed' && event.state === 'up') address = event.about;
        return address !== '';
      });
      await whileRunning({ address, port: Number(address.split(':')[1]) }, until);
      await reaches(core, sql, 1);
      // Nothing more may come of what was sent.
      await pause(100);
    },
  );
}

/** Debian's snmptrap or snmpinform, whose engine is another one each time. */
async function send(program: 'snmptrap' | 'snmpinform', ...options: readonly string[]): Promise<void> {
  const folder = await temporaryFolder();
  await mkdir(folder, { recursive: true });
  const env = { ...process.env, SNMP_PERSISTENT_DIR: folder, SNMPCONFPATH: folder, MIBS: '' };
  await promisify(execFile)(program, options, { env });
}
const V3 = ['-v3', '-u', 'investigator', '-l', 'authPriv', '-a', 'SHA-256', '-A', 'a long passphrase', '-x', 'AES'];
const eventsOf = (core: TestCore) =>
  sqlRows(core, 'select type, severity, entity_kind, device_id from events order by time_ns, event_id');

async function blast(port: number, datagrams: Iterable<Uint8Array>): Promise<void> {
  const socket = createSocket('udp4');
  let sent = 0;
  for (const datagram of datagrams) {
    await new Promise<void>((resolve) => socket.send(datagram, port, '127.0.0.1', () => resolve()));
    if (++sent % 200 === 0) await pause(1);
  }
  await new Promise<void>((resolve) => socket.close(() => resolve()));
}

/** The datagram that a sender makes. */
async function recorded(
  make: (session: snmp.Session) => unknown,
  open = (trapPort: number) => snmp.createSession('127.0.0.1', 'hall-b-traps', { version: snmp.Version2c, trapPort }),
): Promise<Buffer> {
  const socket = createSocket('udp4');
  onTestFinished(() => void socket.close());
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const session = open(socket.address().port);
  onTestFinished(() => void session.close());
  return await new Promise<Buffer>((resolve) => {
    socket.once('message', resolve);
    make(session);
  });
}
const trapDatagram = () => recorded((session) => session.trap(ON_BATTERY, [], {}, () => undefined));

describe.skipIf(!hasSnmptrap)('traps of real senders (skipped: snmptrap is not installed)', () => {
  test.each([
    ['version 1', ['-v1', '-c', 'hall-b-traps'], ['1.3.6.1.4.1.318', '10.0.0.7', '6', '5', '12345'], '10.0.0.7'],
    ['version 2c', ['-v2c', '-c', 'hall-b-traps'], ['12345', ON_BATTERY], '127.0.0.1'],
    ['version 3, authenticated and private', [...V3, '-X', 'another passphrase'], ['12345', ON_BATTERY], '127.0.0.1'],
    [
      'version 3, authenticated by SHA-512',
      ['-v3', '-u', 'verifier', '-l', 'authNoPriv', '-a', 'SHA-512', '-A', 'a long passphrase'],
      ['12345', ON_BATTERY],
      '127.0.0.1',
    ],
  ])('%s: a UPS goes to battery', async (_, options, what, device) => {
    const { core } = await capture(USERS, async ({ address }) => {
      // A v3 trap is of its sender's engine, which has to have an id.
      const engine = options.includes('-v3') ? ['-e', '0x8000000001020304'] : [];
      await send('snmptrap', ...engine, ...options, address, ...what);
    });
    expect(await eventsOf(core)).toEqual([['ups_transfer', 'high', 'ups', device]]);
    expect(await sqlRows(core, "select attributes->>'uptime_s', attributes->>'agent' from events")).toEqual([
      ['123.45', device],
    ]);
  });

  test.each([
    ['version 2c', ['-v2c', '-c', 'hall-b-traps']],
    ['version 3', [...V3, '-X', 'another passphrase']],
  ])('an inform is acknowledged: %s', async (_, options) => {
    const { core } = await capture(USERS, async ({ address }) => {
      // Fails without an acknowledgement.
      await send('snmpinform', '-r', '1', '-t', '2', ...options, address, '777', '1.3.6.1.6.3.1.1.5.3', ...IF_INDEX);
    });
    expect(await eventsOf(core)).toEqual([['link_down', 'high', 'port', '127.0.0.1/port-52']]);
  });

  test.each([
    ['an unknown community', ['-v2c', '-c', 'guess'], /1 datagrams with a community that the plan does not have/],
    ['an unknown user', ['-v3', '-u', 'nobody', '-l', 'noAuthNoPriv'], /1 messages of a user that the plan does not/],
    ['a user without its key', ['-v3', '-u', 'verifier', '-l', 'noAuthNoPriv'], /1 messages of a user that the plan/],
    [
      'a wrong key',
      ['-v3', '-u', 'verifier', '-l', 'authNoPriv', '-a', 'SHA-512', '-A', 'not the passphrase'],
      /1 messages whose key or protocol is wrong/,
    ],
    ['a wrong privacy key', [...V3, '-X', 'not the passphrase'], /1 messages whose key or protocol is wrong/],
  ])('%s is refused and counted in a remark without its secret', async (_, options, remark) => {
    const { core, events } = await capture(
      USERS,
      async ({ address }) => {
        await send('snmptrap', '-e', '0x8000000001020304', ...options, address, '1', ON_BATTERY);
      },
      REJECTS,
    );
    expect(await eventsOf(core)).toEqual([]);
    const remarks = (await remarksOf(core)).join('\n');
    expect(remarks).toMatch(remark);
    const rejects = await sqlRows(core, 'select reason, excerpt from reject');
    expect(rejects).toHaveLength(1);
    expect(
      `${remarks} ${JSON.stringify(rejects)} ${JSON.stringify(events.filter(({ kind }) => kind === 'feed').map((event) => ({ ...event, at_ns: 0 })))}`,
    ).not.toMatch(/guess|passphrase|hall-b/);
  });
});
const IF_INDEX = ['1.3.6.1.2.1.2.2.1.1.52', 'i', '52'];

describe('hostile senders', () => {
  test('no datagram ends the capture, and a valid one after them is recorded', async () => {
    const good = await trapDatagram();
    const bad: Uint8Array[] = [Buffer.alloc(0), Buffer.alloc(60_000, 0x30), Buffer.from('3084ffffffff020101', 'hex')];
    for (let at = 0; at < good.length; at++) bad.push(good.subarray(0, at));
    for (let at = 0; at < good.length; at++)
      for (const value of [0, 0x80, 0xff, (good[at] ?? 0) ^ 1]) {
        const changed = Buffer.from(good);
        changed[at] = value;
        bad.push(changed);
      }
    let seed = 7;
    const random = (): number => {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff;
      return seed >> 16;
    };
    for (let count = 0; count < 300; count++) bad.push(Buffer.from(Array.from({ length: count }, random)));
    const { core, events } = await capture(`${USERS}, most_per_s: 10000`, async ({ port }) => {
      await blast(port, bad);
      // The kernel needs room for the next one.
      await pause(100);
      await blast(port, [good]);
    });
    expect(events.at(-1)).toMatchObject({ feeds: [{ problem: null, lost: 0 }] });
    const rows = await eventsOf(core);
    expect(rows).toContainEqual(['ups_transfer', 'high', 'ups', '127.0.0.1']);
    const [[rejects]] = (await sqlRows(core, 'select count(*)::integer from reject')) as [[number]];
    expect(rejects).toBeGreaterThan(10);
    expect(rejects).toBeLessThanOrEqual(7 * 20);
  });

  test('version 3 with users, keys and flags of all kinds', async () => {
    const head = (engine: string, user: string, flags: number) => {
      const element = (tag: number, ...parts: Uint8Array[]) => {
        const content = Buffer.concat(parts);
        return Buffer.concat([Buffer.from([tag, 0x82, content.length >> 8, content.length & 255]), content]);
      };
      const integer = (value: number) => Buffer.from([2, 1, value]);
      const octets = (bytes: Uint8Array) => element(4, bytes);
      const security = element(
        0x30,
        octets(Buffer.from(engine, 'hex')),
        integer(0),
        integer(0),
        octets(Buffer.from(user)),
        octets(Buffer.alloc(24)),
        octets(Buffer.alloc(8)),
      );
      const global = element(0x30, integer(1), integer(100), octets(Buffer.from([flags])), integer(3));
      return element(0x30, integer(3), global, octets(security), octets(Buffer.alloc(64, 1)));
    };
    const made: Buffer[] = [];
    for (let engine = 0; engine < 60; engine++)
      for (const flags of [0, 1, 2, 3, 4, 5, 6, 7])
        for (const user of ['investigator', 'verifier', 'nobody', ''])
          made.push(head(`80000000${engine.toString(16).padStart(8, '0')}`, user, flags));
    const { core, events } = await capture(`${USERS}, most_per_s: 10000`, ({ port }) => blast(port, made), REJECTS);
    expect(events.at(-1)).toMatchObject({ feeds: [{ problem: null }] });
    expect(await eventsOf(core)).toEqual([]);
    // Each key for a new engine costs milliseconds: most of these were never made.
    expect((await remarksOf(core)).join('\n')).toMatch(/[1-9]\d+ messages of too many new engines/);
  });

  test('a flood is limited and dropped traps are counted', async () => {
    const good = await trapDatagram();
    const { core, events } = await capture('most_per_s: 100', async ({ port }, until) => {
      await blast(
        port,
        Array.from({ length: 5000 }, () => good),
      );
      await until((event) => event.kind === 'written' && event.rows + event.lost >= 5000);
    });
    const ended = events.at(-1);
    if (ended?.kind !== 'ended') throw new Error('it did not end');
    const [{ lost = 0, rows = 0 } = {}] = ended.feeds;
    expect(rows).toBeGreaterThanOrEqual(100);
    expect(rows).toBeLessThan(2000);
    // What the kernel had no room for is counted as well.
    expect(lost + rows).toBe(5000);
    expect((await remarksOf(core)).join('\n')).toMatch(/records were lost: more traps arrived than most_per_s/);
  });

  test('values are escaped: none can imitate another', async () => {
    const text = '"\n.1.3.6.1.6.3.1.1.4.1.0 = OID: .1.3.6.1.6.3.1.1.5.3\t.1.3.6.1.2.1.2.2.1.1.9 = INTEGER: 9';
    const datagram = await recorded((session) =>
      session.trap(
        '1.3.6.1.4.1.99999.0.1',
        [{ oid: '1.3.6.1.4.1.99999.1.0', type: snmp.ObjectType.OctetString, value: text }],
        {},
        () => undefined,
      ),
    );
    const { core } = await capture('', ({ port }) => blast(port, [datagram]));
    expect(await eventsOf(core)).toEqual([['snmp_trap', 'low', 'device', '127.0.0.1']]);
  });

  test('an inform that is sent again is acknowledged again, and one event', async () => {
    const inform = await recorded((session) => session.inform(ON_BATTERY, [], {}, () => undefined));
    const answers: Buffer[] = [];
    const { core } = await capture('', async ({ port }) => {
      const socket = createSocket('udp4');
      onTestFinished(() => void socket.close());
      socket.on('message', (answer) => answers.push(answer));
      for (let count = 0; count < 3; count++) {
        await new Promise<void>((resolve) => socket.send(inform, port, '127.0.0.1', () => resolve()));
        await expect.poll(() => answers.length).toBe(count + 1);
      }
    });
    expect(answers).toHaveLength(3);
    expect(await eventsOf(core)).toHaveLength(1);
  });
});

test('a replayed message of version 3 is one event', async () => {
  const user = {
    name: 'verifier',
    level: snmp.SecurityLevel.authNoPriv,
    authProtocol: snmp.AuthProtocols.sha512,
    authKey: 'a long passphrase',
  };
  const datagram = await recorded(
    (session) => session.trap(ON_BATTERY, [], {}, () => undefined),
    (trapPort) =>
      snmp.createV3Session('127.0.0.1', user, { trapPort, engineID: '8000B98380010203040506070809' } as never),
  );
  const { core } = await capture(USERS, ({ port }) => blast(port, [datagram, datagram, datagram]));
  expect(await eventsOf(core)).toEqual([['ups_transfer', 'high', 'ups', '127.0.0.1']]);
});

test('a port that is in use gives a message with a hint', async () => {
  const taken = createSocket('udp4');
  onTestFinished(() => void taken.close());
  await new Promise<void>((resolve) => taken.bind(0, '127.0.0.1', resolve));
  const checks = [];
  const plan = snmpTrapsFeed.plan.parse({ kind: 'snmp-traps', listen: `127.0.0.1:${taken.address().port}` });
  for await (const check of snmpTrapsFeed.test?.(plan, AbortSignal.timeout(5000)) ?? []) checks.push(check);
  expect(checks).toMatchObject([
    { step: 'secret', passed: true },
    { step: 'port', passed: false, hint: expect.stringMatching(/another process listens there/) },
  ]);
});

describe('limits', () => {
  test('a rate allows so many a second, and as many at once', () => {
    const rate = new Rate(10, 0);
    expect(Array.from({ length: 15 }, () => rate.allows(0)).filter(Boolean)).toHaveLength(10);
    expect(Array.from({ length: 15 }, () => rate.allows(500)).filter(Boolean)).toHaveLength(5);
    expect(Array.from({ length: 50 }, () => rate.allows(60_000)).filter(Boolean)).toHaveLength(10);
  });

  test('the latest are remembered, the oldest forgotten', () => {
    const recent = new Recent(2);
    expect(['a', 'b', 'a', 'c', 'b', 'a'].map((key) => recent.has(key))).toEqual([
      false,
      false,
      true,
      false,
      false,
      false,
    ]);
  });
});
