import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ControllerClock } from '../../src/main/capture/redfish/clock.ts';
import { redfishFeed } from '../../src/main/capture/redfish/index.ts';
import { ClockSteps } from '../../src/main/capture/steady-clock.ts';
import { type FeedRun, runFeed } from '../support/feed-run.ts';
import { samplesOf } from '../support/read-source.ts';
import { byAddress, link, resource } from '../support/redfish-rack.ts';
import { type RedfishService, redfishService, treeIn } from '../support/redfish-service.ts';

const SECOND = 1000;
const NOW = Date.parse('2026-03-01T10:00:00.400Z');
const dateOf = (ms: number) => new Date(ms).toUTCString();
const answer = (sent_ms: number, received_ms: number, date?: number) => ({
  headers: date === undefined ? {} : { date: dateOf(date) },
  sent_ms,
  received_ms,
});

describe('the time of a response', () => {
  /** A clock that is so far ahead and known to a tenth of a second. */
  const measured = (ahead: number) => {
    const clock = new ControllerClock();
    for (let i = 0; i < 10; i++) {
      const sent = NOW + i * 1100;
      clock.saw(answer(sent, sent + 20, sent + 10 + ahead));
    }
    return clock;
  };

  test.each([0, 7 * SECOND, -3600 * SECOND])('is its Date minus the clock offset: %d ms', (ahead) => {
    const clock = measured(ahead);
    for (const late of [500, 10 * SECOND, 19_500]) {
      const sent = NOW + 60 * SECOND;
      const slow = answer(sent, sent + 20 * SECOND, sent + late + ahead);
      clock.saw(slow);
      expect(Math.abs(clock.dated(slow) - (sent + late))).toBeLessThanOrEqual(1100);
    }
    expect(clock.doubt()).toBeNull();
  });

  test('is between request and response, whatever the Date', () => {
    const clock = measured(0);
    const sent = NOW + 60 * SECOND;
    for (const date of [sent - 3600 * SECOND, sent + 3600 * SECOND]) {
      const slow = answer(sent, sent + 20 * SECOND, date);
      expect(clock.dated(slow)).toBe(sent + 10 * SECOND);
    }
    const quick = answer(sent, sent + 10, sent);
    expect(clock.dated(quick)).toBeGreaterThanOrEqual(sent);
    expect(clock.dated(quick)).toBeLessThanOrEqual(sent + 10);
  });

  test('is the midpoint without a Date, with one remark on the uncertainty', () => {
    const clock = new ControllerClock();
    clock.saw(answer(NOW, NOW + 20));
    expect([clock.dated(answer(NOW, NOW + 20)), clock.doubt()]).toEqual([NOW + 10, null]);
    expect(clock.dated(answer(NOW, NOW + 20 * SECOND))).toBe(NOW + 10 * SECOND);
    expect(clock.doubt()).toMatch(/up to 10\.0 s off/);
    expect(clock.dated(answer(NOW, NOW + 21 * SECOND))).toBe(NOW + 10.5 * SECOND);
    expect(clock.doubt()).toBeNull();
  });
});

test("a step of this machine's clock is not attributed to the controller", () => {
  let leaps = 0;
  const clock = new ControllerClock(() => leaps);
  const answerAt = (at: number) => {
    const sent = NOW + at * SECOND;
    clock.saw(answer(sent + leaps, sent + leaps + 20, sent + 10 + 5 * SECOND));
  };
  for (let at = 0; at < 10; at++) answerAt(at * 1.1);
  expect(clock.settle()).toMatch(/^the clock of the controller is 5\.0 s ahead/);
  leaps = 600 * SECOND;
  for (let at = 20; at < 30; at++) answerAt(at);
  expect(clock.step()).toBe(
    "this machine's clock was set forward by 600 s: since then, the controller's own times are behind by that much",
  );
  expect(clock.step()).toBeNull();
  expect(clock.uncertainty_ms).toBeLessThan(1000);
});

describe('a slow controller', () => {
  const rackmount = () => treeIn(join(import.meta.dirname, '../../fixtures/redfish/rackmount'));
  const POWER = '/redfish/v1/Chassis/1U/Power';
  const SLOW_MS = 6000;
  const feedOf = (service: RedfishService) =>
    redfishFeed.open(
      redfishFeed.plan.parse({
        kind: 'redfish',
        name: 'bmc',
        url: service.url,
        every_s: 60,
        timeout_s: 20,
        most_requests_per_s: 1000,
      }),
    );
  const hasPoints = ({ reading }: FeedRun) => reading.rows.point.length > 0;
  const all = ({ reading }: FeedRun) => samplesOf({ ...reading, remarks: [] });
  const watts = (run: FeedRun) =>
    all(run).find(({ metric, attributes }) => metric === 'hw.power' && 'control' in attributes);

  test.each([
    ['at once, and sends it late', 0],
    ['late, and sends it then', SLOW_MS],
  ])('that reads its sensors %s: dated by its Date', async (_, after) => {
    const service = await redfishService(rackmount());
    let requested_ms = 0;
    service.fault = (_method, path) => {
      if (path !== POWER) return undefined;
      requested_ms = Date.now();
      const headers = { date: dateOf(requested_ms + after) };
      return { delay_ms: SLOW_MS, headers, body: JSON.stringify(service.tree.get(POWER)) };
    };
    const run = await runFeed(feedOf(service), (one) => one.until(hasPoints, 30_000));
    const dated_ms = Number((watts(run)?.time_ns ?? 0n) / 1_000_000n);
    expect(Math.abs(dated_ms - (requested_ms + after))).toBeLessThan(2000);
  });

  test("a step of this machine's clock during a request does not count as a slow response", async () => {
    const real = Date.now;
    let shift_ms = 0;
    vi.spyOn(Date, 'now').mockImplementation(() => real() + shift_ms);
    onTestFinished(() => {
      vi.restoreAllMocks();
      // Tests of one process share the clock of captures, which does not go back by itself.
      new ClockSteps();
    });
    const service = await redfishService(rackmount());
    let polls = 0;
    let isDue = false;
    service.fault = (_method, path) => {
      if (path !== POWER) return undefined;
      polls++;
      if (isDue) shift_ms = 600 * SECOND;
      return undefined;
    };
    const plan = redfishFeed.plan.parse({ kind: 'redfish', url: service.url, every_s: 1, most_requests_per_s: 1000 });
    await runFeed(redfishFeed.open(plan), async (one) => {
      await one.until(hasPoints);
      isDue = true;
      await expect.poll(() => shift_ms).toBeGreaterThan(0);
      const before = polls;
      await one.until(() => polls >= before + 3, 20_000);
    });
  });

  test('a sensor that changes while its own time does not gets the poll time from then on', async () => {
    const SENSOR = '/redfish/v1/Chassis/1U/Sensors/AmbientTemp';
    const service = await redfishService(rackmount());
    const sensor = service.tree.get(SENSOR)!;
    const stated = '2026-01-01T10:00:00Z';
    const show = (Reading: number) => service.tree.set(SENSOR, { ...sensor, Reading, ReadingTime: stated });
    const shown = (run: FeedRun) => all(run).filter(({ attributes }) => attributes['sensor'] === 'AmbientTemp');
    const plan = redfishFeed.plan.parse({ kind: 'redfish', url: service.url, every_s: 1, most_requests_per_s: 1000 });
    show(30);
    const began = Date.now();
    const run = await runFeed(redfishFeed.open(plan), async (one) => {
      await one.until((now) => shown(now).length === 1);
      show(31);
      await one.until((now) => shown(now).length >= 2);
      show(30);
      await one.until((now) => shown(now).at(-1)?.value === 30);
    });
    const [first, ...later] = shown(run).map(({ value, time_ns }) => [value, Number(time_ns / 1_000_000n)] as const);
    expect(first).toEqual([30, Date.parse(stated)]);
    expect(new Set(later.map(([value]) => value))).toEqual(new Set([31, 30]));
    expect(later.filter(([, ms]) => ms < began - 1000)).toEqual([]);
    expect([...run.reading.remarks].join('\n')).toMatch(/reading time stays the same/);
    expect(run.reading.rows.reject).toEqual([]);
  });

  test("a sensor's own time is used, unless it is in the future: then the poll time", async () => {
    const [past, future] = ['2026-01-01T10:00:00Z', new Date(Date.now() + 3_600_000).toISOString()];
    const sensor = (id: string, ReadingTime: string) =>
      resource(`Chassis/1/Sensors/${id}`, 'Sensor', { ReadingType: 'Temperature', Reading: 30, ReadingTime });
    const service = await redfishService(
      byAddress([
        resource('Chassis', 'ChassisCollection', { Members: [link('/redfish/v1/Chassis/1')] }),
        resource('Chassis/1', 'Chassis', { SerialNumber: 'C1', Sensors: link('/redfish/v1/Chassis/1/Sensors') }),
        resource('Chassis/1/Sensors', 'SensorCollection', {
          Members: ['Past', 'Future'].map((id) => link(`/redfish/v1/Chassis/1/Sensors/${id}`)),
        }),
        sensor('Past', past),
        sensor('Future', future),
      ]),
    );
    const began = Date.now();
    const run = await runFeed(feedOf(service), (one) => one.until(hasPoints));
    const time = (id: string) =>
      Number((all(run).find(({ attributes }) => attributes['sensor'] === id)?.time_ns ?? 0n) / 1_000_000n);
    expect(time('Past')).toBe(Date.parse(past));
    expect(time('Future')).toBeGreaterThanOrEqual(began - 1000);
    expect(time('Future')).toBeLessThan(Date.parse(future) - 60_000);
    expect([...run.reading.remarks].join('\n')).toMatch(/reading times in the future/);
  });
});
