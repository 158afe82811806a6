import { createSocket } from 'node:dgram';
import { copyFile, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { reportChangesOnly } from '../../src/main/capture/feed-state.ts';
import { captureWhile, isState, pause, type Until } from '../support/capture-run.ts';
import { type TestCore, temporaryFolder } from '../support/core.ts';
import { hasSnmpd, type Snmpd, snmpd } from '../support/snmpd.ts';

const APC = '1.3.6.1.4.1.318';
/** rPDU2PhaseStatusCurrent, tenths of an ampere. */
const CURRENT = `${APC}.1.1.26.6.3.1.5.1`;

interface Rack {
  readonly agent: Snmpd;
  set(oid: string, value: number | null): Promise<void>;
}

/** The switched PDU of the fixtures behind a real agent. */
async function rack(lines: readonly string[] = []): Promise<Rack> {
  const recording = join(await temporaryFolder(), 'pdu.snmprec');
  await copyFile(join(import.meta.dirname, '../../fixtures/snmp-walk/rack-pdu2.snmprec'), recording);
  const agent = await snmpd(recording, APC, lines);
  onTestFinished(() => agent.stop());
  const set = async (oid: string, value: number | null) => {
    const lines = (await readFile(recording, 'utf8')).split('\n');
    const changed = lines.flatMap((line) => {
      if (!line.startsWith(`${oid}|`)) return [line];
      return value === null ? [] : [line.replace(/[^|]*$/, String(value))];
    });
    expect(changed).not.toEqual(lines);
    await writeFile(recording, changed.join('\n'));
  };
  return { agent, set };
}

const capture = (settings: string, whileRunning: (until: Until, core: TestCore) => Promise<void>) =>
  captureWhile(
    `feeds: [{kind: snmp, name: pdu, host: 127.0.0.1, every_s: 0.2, timeout_s: 0.4, ${settings}}]`,
    whileRunning,
  );

async function currents(core: TestCore): Promise<number[]> {
  const { rows } = await core.api['query.sql']({
    sql: `select distinct value from metrics where metric = 'hw.current' and (attributes->>'oid') = '${CURRENT}' order by 1`,
  });
  return rows.map(([value]) => value as number);
}

process.env['TEST_COMMUNITY'] = 'hall-b-monitor';
process.env['TEST_AUTH'] = 'a long passphrase';
process.env['TEST_PRIVACY'] = 'another passphrase';
process.env['TEST_WRONG'] = 'not the passphrase';
const USER = 'auth: sha256, auth_key: env:TEST_AUTH, privacy: aes, privacy_key: env:TEST_PRIVACY';

describe.skipIf(!hasSnmpd)('a PDU behind a real agent (skipped: snmpd is not installed)', () => {
  test.each([
    ['version 2c', 'community: env:TEST_COMMUNITY'],
    ['version 1', 'version: "1", community: env:TEST_COMMUNITY'],
    ['version 3, authenticated and private', `version: "3", user: {name: investigator, ${USER}}`],
  ])('is learned and its values followed: %s', async (_, settings) => {
    const { agent, set } = await rack();
    const { core } = await capture(`port: ${agent.port}, ${settings}`, async (until, core) => {
      await until(isState('up', /rack-7-pdu-a: \d+ values are read/));
      while ((await currents(core)).length === 0) await pause(50);
      await set(CURRENT, 205);
      while (!(await currents(core)).includes(20.5)) await pause(50);
    });
    expect(await currents(core)).toContain(20.5);
    expect((await currents(core)).length).toBe(2);
    const { rows } = await core.api['query.sql']({
      sql: "select kind, id from entity where kind in ('pdu', 'outlet') order by 1, 2",
    });
    expect(rows).toContainEqual(['pdu', 'rack-7-pdu-a']);
    expect(rows.filter(([kind]) => kind === 'outlet').length).toBeGreaterThan(1);
  });

  test.each([
    ['md5', 'MD5', 'aes', 'AES'],
    ['sha', 'SHA', 'aes', 'AES'],
    ['sha224', 'SHA-224', 'aes256b', 'AES-256'],
    ['sha384', 'SHA-384', 'aes256b', 'AES-256'],
    ['sha512', 'SHA-512', 'aes256r', 'AES-256-C'],
    ['sha512', 'SHA-512', null, null],
  ])('a user with %s and %s is understood as net-snmp means it: %s, %s', async (auth, named, privacy, spelled) => {
    const keys = `"a long passphrase"${spelled ? ` ${spelled} "another passphrase"` : ''}`;
    const { agent } = await rack([
      `createUser visitor ${named} ${keys}`,
      `rouser visitor ${spelled ? 'priv' : 'auth'}`,
    ]);
    const privately = privacy ? `, privacy: ${privacy}, privacy_key: env:TEST_PRIVACY` : '';
    const user = `{name: visitor, auth: ${auth}, auth_key: env:TEST_AUTH${privately}}`;
    const { core } = await capture(`port: ${agent.port}, version: "3", user: ${user}`, async (until, core) => {
      await until(isState('up', /rack-7-pdu-a: \d+ values are read/));
      while ((await currents(core)).length === 0) await pause(50);
    });
    expect(await currents(core)).toHaveLength(1);
  });

  test.each([
    ['version 2c', 'community: env:TEST_COMMUNITY'],
    ['version 3', `version: "3", user: {name: investigator, ${USER}}`],
  ])(
    'an agent that falls silent is a gap with its reason; when it restarts the capture goes on: %s',
    async (_, settings) => {
      const { agent } = await rack();
      const { core, events } = await capture(`port: ${agent.port}, ${settings}`, async (until) => {
        await until(isState('up'));
        await until((event) => event.kind === 'written' && event.rows > 0);
        await agent.stop();
        await until(isState('down', /no answer from 127\.0\.0\.1/));
        await agent.start();
        await until(isState('up'));
      });
      expect(events.filter((event) => event.kind === 'feed').map(({ state }) => state)).toEqual(['up', 'down', 'up']);
      const info = await core.api['case.current']({});
      const remarks = info?.sources[0]?.remarks.join('\n');
      expect(remarks).toMatch(/nothing was received from .*no answer from/);
      expect(remarks).toMatch(/the agent restarted/);
      // Two requests of 0.4 s each failed before it counted as down: they are part of the gap.
      const { rows } = await core.api['query.sql']({ sql: 'select epoch_ns(from_utc)::bigint from outages' });
      const states = events.find(isState('down'));
      expect(rows).toHaveLength(1);
      expect((states?.kind === 'feed' ? states.at_ns : 0n) - BigInt(String(rows[0]?.[0]))).toBeGreaterThan(
        750_000_000n,
      );
    },
  );

  test('an active alarm is one event, at the time it was raised; a later alarm is another', async () => {
    const recording = join(await temporaryFolder(), 'ups.snmprec');
    const UPS = '1.3.6.1.2.1.33';
    const lines = [
      `${UPS}.1.2.4.0|2|80`,
      `${UPS}.1.6.2.1.2.1|6|${UPS}.1.6.3.2`,
      `${UPS}.1.6.2.1.3.1|67|0`,
      `${UPS}.1.6.2.1.2.2|6|${UPS}.1.6.3.3`,
      `${UPS}.1.6.2.1.3.2|67|1`,
    ];
    await writeFile(recording, lines.slice(0, 3).join('\n'));
    const agent = await snmpd(recording, UPS);
    onTestFinished(() => agent.stop());
    const { core } = await capture(`port: ${agent.port}, community: env:TEST_COMMUNITY`, async (until, core) => {
      const storedEvents = async () => (await core.api['query.sql']({ sql: 'select type from events' })).rows.length;
      await until(isState('up'));
      while ((await storedEvents()) < 1) await pause(50);
      // Atomic: a poll must not see half of it.
      await writeFile(`${recording}.next`, lines.join('\n'));
      await rename(`${recording}.next`, recording);
      while ((await storedEvents()) < 2) await pause(50);
      // However many polls: an active alarm is not repeated.
      for (let polls = 0; polls < 3; polls++) await until(({ kind }) => kind === 'written');
    });
    const { rows } = await core.api['query.sql']({ sql: 'select type, message from events order by type' });
    expect(rows).toEqual([
      ['ups_battery_low', 'the battery is low'],
      ['ups_transfer', 'the UPS runs on battery'],
    ]);
  });

  test.each([
    [
      'a wrong key',
      `version: "3", user: {name: investigator, ${USER.replace('TEST_AUTH', 'TEST_WRONG')}}`,
      /authentication key/,
    ],
    [
      'a wrong privacy key',
      `version: "3", user: {name: investigator, ${USER.replace('TEST_PRIVACY', 'TEST_WRONG')}}`,
      /the privacy key is wrong/,
    ],
    [
      'a user without the privacy that the agent wants',
      'version: "3", user: {name: investigator, auth: sha256, auth_key: env:TEST_AUTH}',
      /at that security level \(user investigator\)/,
    ],
    ['an unknown user', `version: "3", user: {name: nobody, ${USER}}`, /no such user/],
    ['a wrong community', 'community: env:TEST_WRONG', /community is wrong/],
  ])('%s gives one line without secrets', async (_, settings, reason) => {
    const { agent } = await rack();
    const { events } = await capture(`port: ${agent.port}, ${settings}`, (until) => until(isState('down')));
    const reasons = events.flatMap((event) => (event.kind === 'feed' ? [event.reason] : []));
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toMatch(reason);
    expect(JSON.stringify(events, (_, value) => (typeof value === 'bigint' ? `${value}` : value))).not.toMatch(
      /passphrase|hall-b-monitor/,
    );
  });
});

/** A UDP responder that answers each request with `answer`. */
async function hostileAgent(answer: (request: Buffer, count: number) => Buffer) {
  const socket = createSocket('udp4');
  let count = 0;
  socket.on('message', (request, { port, address }) => socket.send(answer(request, count++), port, address));
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  onTestFinished(() => void socket.close());
  return { port: socket.address().port, asked: () => count };
}

describe('a hostile agent', () => {
  test.each<[string, (request: Buffer, count: number) => Buffer]>([
    ['answers noise', (_, count) => Buffer.from(Array.from({ length: 60 }, (__, at) => (at * 37 + count * 101) % 256))],
    ['answers nothing of any length', () => Buffer.alloc(0)],
    ['sends requests back', (request) => request],
    [
      'sends requests back with a byte changed',
      (request, count) => {
        const changed = Buffer.from(request);
        changed[count % changed.length] = (count * 89) % 256;
        return changed;
      },
    ],
    ['breaks off', (request, count) => request.subarray(0, count % request.length)],
  ])('is down with one line, and is asked again: %s', async (_, answer) => {
    const { port, asked } = await hostileAgent(answer);
    const { events } = await capture(`port: ${port}`, async (until) => {
      await until(isState('down'));
      const before = asked();
      await expect.poll(asked).toBeGreaterThan(before + 1);
    });
    const ended = events.at(-1);
    if (ended?.kind !== 'ended') throw new Error('it did not end');
    expect(ended.feeds[0]).toMatchObject({ problem: null });
    for (const event of events) if (event.kind === 'feed') expect(event.reason).toMatch(/^[^\n]{10,300}$/);
  });

  test('its name stays within one line', () => {
    const states: string[] = [];
    const sink = {
      take: () => true,
      lost: () => undefined,
      reportState: (state: string, reason: string) => states.push(`${state} ${reason}`),
    };
    const reportState = reportChangesOnly(sink);
    reportState('up', 'rack-7\n2026-03-14 pdu: down\u001b[2J\u202egnp.exe');
    reportState('up', 'rack-7\n2026-03-14 pdu: down\u001b[2J\u202egnp.exe');
    reportState('down', 'x'.repeat(10_000));
    expect(states).toEqual(['up rack-7 2026-03-14 pdu: down [2J gnp.exe', `down ${'x'.repeat(300)}`]);
  });
});
