import { describe, expect, onTestFinished, test } from 'vitest';
import { feeds } from '../../src/main/capture/index.ts';
import { agentAddress } from '../../src/main/capture/snmp/agent-address.ts';
import { snmpFeed } from '../../src/main/capture/snmp/index.ts';
import { captureWhile, isState, reaches, sqlRows } from '../support/capture-run.ts';
import { runFeed } from '../support/feed-run.ts';
import { samplesOf } from '../support/read-source.ts';
import { agentOn, GAUGE32, ObjectTable, type SnmpRequest, TICKS, type Value } from '../support/snmp-agent.ts';

const UPTIME = '1.3.6.1.2.1.1.3.0';
const PHASES = '1.3.6.1.4.1.318.1.1.26.6.3.1';
/** rPDU2PhaseStatusPower, tens of watts. */
const POWER = `${PHASES}.7`;

async function agent(
  values: Readonly<Record<string, (request: SnmpRequest) => Value>>,
  delay_ms = () => 0,
): Promise<number> {
  let isOpen = true;
  const { port, close } = await agentOn((request, reply) => {
    const table: [string, (asked: SnmpRequest) => Value][] = [
      [UPTIME, () => ({ tag: TICKS, value: 5 })],
      ...Object.entries(values),
    ];
    const answer = new ObjectTable(new Map(table.map(([oid, of]) => [oid, () => of(request)] as const))).answer(
      request,
    );
    setTimeout(() => isOpen && reply(answer), delay_ms()).unref();
  });
  onTestFinished(() => {
    isOpen = false;
    close();
  });
  return port;
}
const gauge = (value: number): Value => ({ tag: GAUGE32, value });

describe('late responses', () => {
  const SLOW_MS = 900;

  test('get the midpoint of request and response, each its own, with a remark on the uncertainty', async () => {
    const began = Date.now();
    let delay_ms = 0;
    // An object's value is the time of its measurement: when the request arrived.
    const measured = () => gauge(Date.now() - began);
    const port = await agent({ [`${POWER}.1`]: measured, [`${POWER}.2`]: measured }, () => delay_ms);
    const plan = { kind: 'snmp', host: '127.0.0.1', port, every_s: 0.1, timeout_s: 5, most_values: 1 };
    const run = await runFeed(snmpFeed.open(snmpFeed.plan.parse(plan)), async (one) => {
      await one.until(({ reading }) => reading.rows.point.length > 8);
      delay_ms = SLOW_MS;
      await one.until(({ clocks }) => clocks.length > 0, 20_000);
      const before = one.reading.rows.point.length;
      await one.until(({ reading }) => reading.rows.point.length >= before + 6, 20_000);
    });
    const uncertainty_ms = Number(run.clocks.at(-1)?.[1]) / 1e6;
    expect(run.clocks.at(-1)?.[0]).toBe(0n);
    expect(uncertainty_ms).toBeGreaterThanOrEqual(SLOW_MS / 2);
    const powers = samplesOf({ ...run.reading, remarks: [] }).filter(({ metric }) => metric === 'hw.power');
    const errors = powers.map(({ time_ns, value }) => Number(time_ns / 1_000_000n) - (began + value / 10));
    // Milliseconds are rounded, and a question is some of them on its way.
    expect(errors.filter((error) => Math.abs(error) > uncertainty_ms + 20)).toEqual([]);
    // Three questions of one poll, a second each: not all at its middle.
    const last = powers.slice(-2).map(({ time_ns }) => Number(time_ns / 1_000_000n));
    expect(Math.abs(last[1]! - last[0]!)).toBeGreaterThan(SLOW_MS / 2);
    expect([...run.reading.remarks]).toContainEqual(
      expect.stringMatching(/^a response took \d\.\d s: values get the midpoint .* accurate to \d\.\d s$/),
    );
  });
});

describe('unnamed devices behind one address', () => {
  process.env['TEST_COMMUNITY_A'] = 'left-pdu';
  process.env['TEST_COMMUNITY_B'] = 'right-pdu';

  test('stay apart by port and by community, which is not shown', async () => {
    const byCommunity = ({ community }: SnmpRequest) => gauge(String(community) === 'left-pdu' ? 100 : 200);
    const port = await agent({ [`${POWER}.1`]: byCommunity });
    const other = await agent({ [`${POWER}.1`]: () => gauge(300) });
    const plan = JSON.stringify({
      feeds: [
        { kind: 'snmp', host: '127.0.0.1', port, community: 'env:TEST_COMMUNITY_A', every_s: 0.2 },
        { kind: 'snmp', host: '127.0.0.1', port, community: 'env:TEST_COMMUNITY_B', every_s: 0.2 },
        { kind: 'snmp', host: '127.0.0.1', port: other, every_s: 0.2 },
      ],
    });
    const { core, events } = await captureWhile(plan, async (until, core) => {
      for (let i = 0; i < 3; i++) await until(isState('up'));
      const polls = "select count(distinct time_ns) as polls from metrics where metric = 'hw.power' group by entity";
      await reaches(core, `select case when count(*) < 3 then 0 else min(polls) end from (${polls})`, 3);
    });
    const sql = "select distinct entity, value from metrics where metric = 'hw.power' order by value";
    expect(await sqlRows(core, sql)).toEqual([
      [`127.0.0.1:${port}`, 1000],
      [`127.0.0.1:${port}/community-2`, 2000],
      [`127.0.0.1:${other}`, 3000],
    ]);
    const [begun] = events;
    expect(begun).toMatchObject({
      feeds: [`SNMP 127.0.0.1:${port}`, `SNMP 127.0.0.1:${port}/community-2`, `SNMP 127.0.0.1:${other}`],
    });
    const reported = [events, (await core.api['case.current']({}))?.sources];
    const plainly = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
    expect(JSON.stringify(reported, plainly)).not.toMatch(/left-pdu|right-pdu/);
  });

  test('and by SNMP context', () => {
    const planOf = (more: object) => snmpFeed.plan.parse({ kind: 'snmp', host: '10.0.0.7', ...more });
    const user = { name: 'reader' };
    const all = [planOf({ version: '3', user, context: 'rack-1' }), planOf({ version: '3', user, context: 'rack-2' })];
    expect(all.map((plan) => agentAddress(plan, all))).toEqual(['10.0.0.7/rack-1', '10.0.0.7/rack-2']);
    expect(agentAddress(planOf({ host: 'fe80::1', port: 1161 }), [])).toBe('[fe80::1]:1161');
    const text = JSON.stringify({ feeds: all.map(({ user: _, ...plan }) => ({ ...plan, user })) });
    expect(feeds.readPlan(text).problems).toEqual([]);
  });
});

test('an impossible reading is rejected once, and later valid ones are recorded', async () => {
  let power = 200;
  const port = await agent({
    [`${POWER}.1`]: () => gauge(power),
    [`${PHASES}.6.1`]: () => gauge(power > 999 ? 2303 : 230),
  });
  const plan = { kind: 'snmp', host: '127.0.0.1', port, every_s: 0.1 };
  const run = await runFeed(snmpFeed.open(snmpFeed.plan.parse(plan)), async (one) => {
    const more = async () => {
      const before = one.reading.rows.point.length;
      await one.until(({ reading }) => reading.rows.point.length > before + 9);
    };
    await more();
    power = 1000;
    await more();
    power = 200;
    await more();
  });
  const volts = samplesOf({ ...run.reading, remarks: [] }).filter(({ metric }) => metric === 'hw.voltage');
  expect(new Set(volts.map(({ value }) => value))).toEqual(new Set([230]));
  expect(run.reading.rows.reject.map(({ reason, excerpt }) => [reason, String(excerpt).includes('2303 V')])).toEqual([
    ['no hw.voltage is beyond -1500 to 1500', true],
  ]);
  expect(
    [...run.reading.remarks].filter((text) => text.includes(`127.0.0.1:${port} reports hw.voltage 2303 V`)),
  ).toHaveLength(1);
});
