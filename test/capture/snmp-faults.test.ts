import { describe, expect, onTestFinished, test } from 'vitest';
import { snmpFeed } from '../../src/main/capture/snmp/index.ts';
import { captureWhile, isState, pause, reaches, remarksOf, sqlRows, type Until } from '../support/capture-run.ts';
import type { TestCore } from '../support/core.ts';
import { runFeed } from '../support/feed-run.ts';
import {
  agentOn,
  type Binding,
  COUNTER32,
  COUNTER64,
  GAUGE32,
  ObjectTable,
  OCTETS,
  type SnmpRequest,
  TICKS,
  type Value,
} from '../support/snmp-agent.ts';

const UPTIME = '1.3.6.1.2.1.1.3.0';
/** POWER-ETHERNET-MIB pethPsePortPowerDeniedCounter of port 1. */
const DENIED = '1.3.6.1.2.1.105.1.1.1.12.1.1';
/** rPDU2DeviceStatusPower, hundredths of a kilowatt. */
const POWER = '1.3.6.1.4.1.318.1.1.26.4.3.1.5.1';

interface Agent {
  readonly port: number;
  readonly values: Map<string, Value>;
  /** The agent's sysUpTime at the start of the test, in hundredths of a second. */
  uptime: number;
  delay_ms: number;
  /** Answers that are delayed and not yet sent. */
  underWay: number;
}

async function startAgent(values: Readonly<Record<string, Value>>): Promise<Agent> {
  const began = Date.now();
  const made = { values: new Map(Object.entries(values)), uptime: 5000, delay_ms: 0, underWay: 0 };
  const ticks = (): Value => ({ tag: TICKS, value: made.uptime + Math.round((Date.now() - began) / 10) });
  const answer = (request: SnmpRequest): Binding[] =>
    new ObjectTable(
      new Map<string, () => Value>([
        ['1.3.6.1.2.1.1.5.0', () => ({ tag: OCTETS, value: 'box-1' })],
        [UPTIME, ticks],
        ...[...made.values].map(([oid, value]) => [oid, () => value] as const),
      ]),
    ).answer(request);
  const { port, close } = await agentOn((asked, reply) => {
    const bindings = answer(asked);
    if (made.delay_ms === 0) return reply(bindings);
    made.underWay++;
    setTimeout(() => {
      made.underWay--;
      reply(bindings);
    }, made.delay_ms).unref();
  });
  onTestFinished(close);
  return Object.assign(made, { port });
}

const capture = (port: number, whileRunning: (until: Until, core: TestCore) => Promise<void>, more = '') =>
  captureWhile(
    `feeds: [{kind: snmp, name: box, host: 127.0.0.1, port: ${port}, every_s: 0.1, timeout_s: 0.3${more}}]`,
    whileRunning,
  );
/** At least so many polls of an object were stored, with a value like this. */
const stored = (core: TestCore, oid: string, least: number, where = 'true') =>
  reaches(core, `select count(*) from metrics where attributes->>'oid' = '${oid}' and ${where}`, least);
const timesOf = async (core: TestCore, oid: string): Promise<number[]> => {
  const rows = await sqlRows(
    core,
    `select value, time_ns from metrics where attributes->>'oid' = '${oid}' order by time_ns`,
  );
  const values = rows.map(([value]) => value as number);
  return values.filter((value, at) => value !== values[at - 1]);
};

describe('counters', () => {
  test.each([
    ['of 32 bits', COUNTER32, 2n ** 32n - 3n, 4_294_967_293],
    ['of 64 bits', COUNTER64, 2n ** 64n - 3n, 18_446_744_073_709_552_000],
  ])('%s that wrap are stored unchanged, and are no restart', async (_, tag, highest, expected) => {
    const agent = await startAgent({ [DENIED]: { tag, value: highest } });
    const { core } = await capture(agent.port, async (until, core) => {
      await until(isState('up'));
      await stored(core, DENIED, 2, 'value > 4');
      agent.values.set(DENIED, { tag, value: 4n });
      await stored(core, DENIED, 3, 'value = 4');
    });
    expect(await timesOf(core, DENIED)).toEqual([expected, 4]);
    expect((await remarksOf(core)).join()).not.toMatch(/restarted/);
  });

  test('a lower sysUpTime means a restart: the agent is discovered again, with a remark', async () => {
    const agent = await startAgent({ [POWER]: { tag: GAUGE32, value: 114 } });
    const { core } = await capture(agent.port, async (until, core) => {
      await until(isState('up'));
      await stored(core, POWER, 2);
      agent.uptime = -100;
      // After the restart it has another outlet group: the discovery is outdated.
      agent.values.delete(POWER);
      agent.values.set(POWER.replace(/1$/, '2'), { tag: GAUGE32, value: 50 });
      await stored(core, POWER.replace(/1$/, '2'), 3);
    });
    expect(await timesOf(core, POWER)).toEqual([1140]);
    expect(await timesOf(core, POWER.replace(/1$/, '2'))).toEqual([500]);
    expect((await remarksOf(core)).join()).toMatch(/the agent restarted during the capture, by its sysUpTime/);
  });
});

describe('answers', () => {
  test('for other OIDs than requested are ignored', async () => {
    const { port, close } = await agentOn((_, reply) => reply([[POWER, { tag: GAUGE32, value: 666 }]]));
    onTestFinished(close);
    const { core } = await capture(port, async (until, core) => {
      await until(isState('up'));
      await stored(core, POWER, 1);
      // For three more intervals nothing else may be stored.
      await pause(300);
    });
    expect(await sqlRows(core, `select distinct attributes->>'oid', value from metrics`)).toEqual([[POWER, 6660]]);
  });

  test('that come too late are ignored, also by later requests', async () => {
    const agent = await startAgent({ [POWER]: { tag: GAUGE32, value: 100 }, [DENIED]: { tag: COUNTER32, value: 7 } });
    const { core, events } = await capture(agent.port, async (until, core) => {
      await until(isState('up'));
      await stored(core, POWER, 2);
      // Each response arrives as the second attempt times out: during the next request, or never.
      agent.delay_ms = 750;
      await until(isState('down', /no answer/));
      agent.values.set(POWER, { tag: GAUGE32, value: 200 });
      agent.delay_ms = 0;
      await until(isState('up'));
      while (agent.underWay > 0) await pause(20);
      const [[before]] = (await sqlRows(core, 'select count(*) from metrics')) as [[number]];
      await reaches(core, 'select count(*) from metrics', Number(before) + 6);
    });
    expect(events.filter((event) => event.kind === 'feed').map(({ state }) => state)).toEqual(['up', 'down', 'up']);
    expect(await timesOf(core, POWER)).toEqual([1000, 2000]);
    expect(await timesOf(core, DENIED)).toEqual([7]);
  });

  test('of a slow agent within the timeout are used', async () => {
    const agent = await startAgent({ [POWER]: { tag: GAUGE32, value: 100 } });
    agent.delay_ms = 30;
    const { core, events } = await capture(agent.port, async (until, core) => {
      await until(isState('up'));
      await stored(core, POWER, 4);
    });
    expect(events.filter((event) => event.kind === 'feed').map(({ state }) => state)).toEqual(['up']);
    expect(await timesOf(core, POWER)).toEqual([1000]);
  });

  test.each<[string, RegExp, (request: SnmpRequest, count: number) => Binding[]]>([
    [
      'that never end are given up',
      /too many values/,
      (asked, count) =>
        Array.from({ length: Math.max(1, asked.repetitions) }, (_, at) => [
          `${(asked.oids[0] ?? '').split('.').slice(0, 7).join('.')}.1.${count * 1000 + at}`,
          { tag: GAUGE32, value: at },
        ]),
    ],
    [
      'that go round in circles end the walk',
      /./,
      (asked) =>
        ['1', '2', '1', '2'].map((last) => [
          `${(asked.oids[0] ?? '').replace(/\.[12]$/, '')}.${last}`,
          { tag: GAUGE32, value: 1 },
        ]),
    ],
  ])('%s', async (_, reason, lie) => {
    let count = 0;
    const { port, close } = await agentOn((asked, reply) => reply(lie(asked, count++)));
    onTestFinished(close);
    const { core, events } = await capture(
      port,
      (until) => until((event) => event.kind === 'feed'),
      ', most_values: 100, most_requests_per_s: 1000',
    );
    const states = events.flatMap((event) => (event.kind === 'feed' ? [event.reason] : []));
    expect(states[0]).toMatch(reason);
    expect(events.at(-1)).toMatchObject({ feeds: [{ problem: null }] });
    const [[rows]] = (await sqlRows(core, 'select count(*)::integer from metrics')) as [[number]];
    expect(rows).toBeLessThan(1000);
  });
});

describe('rate limits', () => {
  /** Request times, in milliseconds of this machine. */
  async function request(answers: boolean, settings: object, enough: number): Promise<number[]> {
    const times: number[] = [];
    const { port, close } = await agentOn((_, reply) => {
      times.push(performance.now());
      if (answers) reply([[POWER, { tag: GAUGE32, value: 100 }]]);
    });
    onTestFinished(close);
    const plan = snmpFeed.plan.parse({ kind: 'snmp', host: '127.0.0.1', port, every_s: 0.1, ...settings });
    await runFeed(snmpFeed.open(plan), (run) => run.until(() => times.length >= enough));
    return times;
  }

  test('sends no more requests per second than the plan allows', async () => {
    const times = await request(true, { most_requests_per_s: 20 }, 30);
    // A timer may be a millisecond early.
    for (let at = 10; at < times.length; at++) expect(times[at]! - times[at - 10]!).toBeGreaterThan(10 * 49 - 50);
  });

  test('polls an unresponsive agent less and less often', async () => {
    const times = await request(false, { timeout_s: 0.1 }, 10);
    // Each request is sent twice; the interval doubles each time.
    const begun = times.filter((_, at) => at % 2 === 0);
    for (let at = 1; at < begun.length; at++) expect(begun[at]! - begun[at - 1]!).toBeGreaterThan(100 * 2 ** at - 20);
  });

  test('the end of a capture does not wait for a response', async () => {
    await request(false, { timeout_s: 60 }, 1);
  });
});
