import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../src/main/capture/redfish/budget.ts';
import { Controller } from '../../src/main/capture/redfish/controller.ts';
import { redfishFeed } from '../../src/main/capture/redfish/index.ts';
import { Logs } from '../../src/main/capture/redfish/logs.ts';
import { ResourceCache } from '../../src/main/capture/redfish/resource-cache.ts';
import { ResourceTree } from '../../src/main/sources/redfish/resource-tree.ts';
import { type FeedRun, runFeed } from '../support/feed-run.ts';
import { samplesOf } from '../support/read-source.ts';
import { type Doc, type RedfishService, redfishService, treeIn } from '../support/redfish-service.ts';

const rackmount = () => treeIn(join(import.meta.dirname, '../../fixtures/redfish/rackmount'));
const planOf = (settings: object) =>
  redfishFeed.plan.parse({ kind: 'redfish', name: 'bmc', every_s: 1, most_requests_per_s: 1000, ...settings });
const SENSORS = '/redfish/v1/Chassis/1U/Sensors';
const MANY = 200_000;
const hasPoints = ({ reading }: FeedRun) => reading.rows.point.length > 0;
const powers = ({ reading }: FeedRun) =>
  samplesOf({ ...reading, remarks: [] }).filter(
    ({ metric, attributes }) => metric === 'hw.power' && 'control' in attributes,
  );
const skipOf = (path: string) => Number(/\$skip=(\d+)/.exec(path)?.[1] ?? 0);
const requestsTo = (service: RedfishService, path: RegExp) => service.requests.filter((one) => path.test(one)).length;

/** Members from so many on, as a page of so many; the page after it is named as services do. */
function page(collection: string, from: number, size: number, more: Doc = {}): string {
  const until = Math.min(MANY, from + size);
  return JSON.stringify({
    '@odata.id': collection,
    '@odata.type': '#SensorCollection.SensorCollection',
    Members: Array.from({ length: until - from }, (_, i) => ({ '@odata.id': `${collection}/S${from + i}` })),
    ...(until < MANY ? { 'Members@odata.nextLink': `${collection}?$skip=${until}` } : {}),
    ...more,
  });
}
const oneSensor = (path: string): string =>
  JSON.stringify({
    '@odata.id': path,
    '@odata.type': '#Sensor.v1_5_0.Sensor',
    Id: path.split('/').at(-1),
    ReadingType: 'Temperature',
    Reading: 30,
  });

describe('a collection of 200000 members', () => {
  test.each([
    ['in one page', MANY, /^of 200000 members of .*\/Sensors the first 2000 are followed$/],
    ['in pages of 100, counted', 100, /^of 200000 members of .*\/Sensors the first 2000 are followed$/],
    ['in pages of 300, not counted', 300, /^of 2100 or more members of .*\/Sensors the first 2000 are followed$/],
  ])('%s is read up to a limit, with a remark, and all else is read', async (_, size, reportedTexts) => {
    const service = await redfishService(rackmount());
    const count = size === 300 ? {} : { 'Members@odata.count': MANY };
    service.fault = (_method, path) => {
      if (path.replace(/\?.*/, '') === SENSORS) return { body: page(SENSORS, skipOf(path), size, count) };
      return path.startsWith(`${SENSORS}/S`) ? { body: oneSensor(path) } : undefined;
    };
    const run = await runFeed(redfishFeed.open(planOf({ url: service.url, most_at_once: 8, every_s: 60 })), (one) =>
      one.until(hasPoints, 60_000),
    );
    expect([...run.reading.remarks].filter((text) => reportedTexts.test(text))).toHaveLength(1);
    expect(requestsTo(service, /Sensors\/S\d/)).toBe(LIMITS.members);
    // One more failed request: the root states that it expands.
    expect(requestsTo(service, /Sensors(\?|$)/)).toBe(Math.ceil(LIMITS.members / size) + 1);
    expect(powers(run).map(({ value }) => value)).toEqual([344]);
  });

  test('that goes on without members, or goes in circles, ends', async () => {
    for (const next of [(skip: number) => skip + 1, (skip: number) => (skip + 1) % 5, () => 0]) {
      const service = await redfishService(rackmount());
      service.fault = (_method, path) =>
        path.startsWith(`${SENSORS}?`) || path === SENSORS
          ? {
              body: JSON.stringify({
                '@odata.id': SENSORS,
                Members: [],
                'Members@odata.nextLink': `${SENSORS}?$skip=${next(skipOf(path))}`,
              }),
            }
          : undefined;
      const run = await runFeed(redfishFeed.open(planOf({ url: service.url, every_s: 60 })), (one) =>
        one.until(hasPoints, 20_000),
      );
      expect(requestsTo(service, /Sensors(\?|$)/)).toBeLessThanOrEqual(LIMITS.pages + 1);
      expect(powers(run)).toHaveLength(1);
    }
  });
});

describe('limits of a round', () => {
  const learn = async (limits: object, change: (service: RedfishService) => void = () => undefined) => {
    const service = await redfishService(rackmount());
    change(service);
    const controller = await Controller.of(planOf({ url: service.url }));
    const remarks: string[] = [];
    const cache = new ResourceCache(controller, (text) => remarks.push(text), { ...LIMITS, ...limits });
    await cache.learn(new AbortController().signal);
    return { service, controller, remarks, held: cache };
  };

  test('answers, bytes and time: what was left out is counted', async () => {
    const whole = (await learn({})).held.size;
    const { service, controller, remarks, held: cache } = await learn({ answers: 20 });
    expect(cache.size).toBeLessThan(whole);
    // A collection is asked a second time where it is refused in full.
    expect(service.requests.length).toBeLessThanOrEqual(2 * 20 + 1);
    expect(remarks.join()).toMatch(
      /more resources than the limits allow \(20 answers.*: \d+ linked resources were left out/,
    );
    await controller.close();
    for (const limits of [{ bytes: 2000 }, { time_ms: -1 }]) {
      const less = await learn(limits);
      expect(less.held.size).toBeLessThan(20);
      expect(less.remarks.join()).toMatch(/\d+ linked resources were left out/);
      await less.controller.close();
    }
  });

  test('a chassis that contains 200000 others, in no collection', async () => {
    const id = '/redfish/v1/Chassis/1U';
    const { service, controller, remarks } = await learn({ answers: 60 }, ({ tree }) => {
      const Contains = Array.from({ length: MANY }, (_, i) => ({ '@odata.id': `${id}-${i}` }));
      tree.set(id, { ...tree.get(id)!, Links: { Contains } });
    });
    expect(service.requests.length).toBeLessThanOrEqual(2 * 60 + 1);
    const [, leftOut] = /: (\d+) linked resources were left out/.exec(remarks.join()) ?? [];
    expect(Number(leftOut)).toBeGreaterThan(MANY - 60);
    await controller.close();
  });

  test('answers that grow after they were learned are not kept beyond what is held', async () => {
    const { service, controller, remarks, held } = await learn({ bytes: 300_000 });
    service.fault = (_method, path) =>
      path === '/redfish/v1/Chassis/1U/Power' ? { body: JSON.stringify({ Filler: 'x'.repeat(400_000) }) } : undefined;
    await held.refresh(['moving'], new AbortController().signal);
    const tree = new ResourceTree();
    held.addTo(tree, { remark: () => undefined, reject: () => undefined });
    expect(tree.ofType('Power')).toHaveLength(1);
    expect(remarks.join()).toMatch(/grown beyond .*Power is not updated/);
    await controller.close();
  });

  test('metric reports that nobody links are held to a number', async () => {
    const { controller, remarks, held } = await learn({});
    const before = held.size;
    for (let i = 0; i < 1000; i++)
      held.put(
        {
          '@odata.id': `/redfish/v1/TelemetryService/MetricReports/R${i}`,
          '@odata.type': '#MetricReport.v1_4_0.MetricReport',
        },
        i,
      );
    expect(held.size - before).toBe(64);
    expect(remarks.join()).toMatch(/more than 64 unlinked metric reports/);
    await controller.close();
  });
});

describe('a log of 200000 entries', () => {
  const LOG = '/redfish/v1/Systems/437XR1138R2/LogServices/Log1/Entries';
  const SIZE = 50;
  /** Oldest first, in full, fifty to a page. */
  async function longLog(skips: boolean): Promise<RedfishService> {
    const service = await redfishService(rackmount());
    const root = service.tree.get('/redfish/v1')!;
    service.tree.set('/redfish/v1', { ...root, ProtocolFeaturesSupported: { TopSkipQuery: skips } });
    service.fault = (_method, path) => {
      if (path.replace(/\?.*/, '') !== LOG) return undefined;
      const from = skipOf(path);
      const until = Math.min(MANY, from + SIZE);
      const Members = Array.from({ length: until - from }, (_, i) => ({
        '@odata.id': `${LOG}/${from + i}`,
        '@odata.type': '#LogEntry.v1_14_0.LogEntry',
        Id: String(from + i),
        Created: new Date(1_700_000_000_000 + (from + i) * 1000).toISOString(),
        Message: `entry ${from + i}`,
      }));
      const next = until < MANY ? { 'Members@odata.nextLink': `${LOG}?$skip=${until}` } : {};
      return { body: JSON.stringify({ '@odata.id': LOG, 'Members@odata.count': MANY, Members, ...next }) };
    };
    return service;
  }
  const readLog = async (service: RedfishService) => {
    const controller = await Controller.of(planOf({ url: service.url }));
    const remarks: string[] = [];
    const logs = new Logs(controller, 1000, (text) => remarks.push(text));
    await logs.read([LOG], new AbortController().signal);
    const tree = new ResourceTree();
    logs.addTo(tree, { remark: () => undefined, reject: () => undefined }, () => false);
    await controller.close();
    return { remarks, entries: tree.ofType('LogEntry').map(({ doc }) => String(doc['Message'])) };
  };

  test('is asked for its end where the service can skip: the newest are read, in few requests', async () => {
    const service = await longLog(true);
    const { remarks, entries } = await readLog(service);
    expect(entries).toHaveLength(1000);
    expect([entries[0], entries.at(-1)]).toEqual(['entry 199000', 'entry 199999']);
    expect(requestsTo(service, /Entries/)).toBe(40);
    expect(remarks).toEqual([`of 200000 entries of ${LOG} the newest 1000 are read`]);
  });

  test('stops after a hundred pages without skip support, and the remark does not call them the newest', async () => {
    const service = await longLog(false);
    const { remarks, entries } = await readLog(service);
    expect(entries).toHaveLength(1000);
    expect(requestsTo(service, /Entries/)).toBe(100);
    expect(remarks).toEqual([
      expect.stringMatching(/has more than the \d+ entries that were read, 200000 or more: some may be newer/),
    ]);
  });
});

test('a recorded tree above the limit reports how many resources were left out', async () => {
  const tree = new ResourceTree(1000);
  const Members = Array.from({ length: 1500 }, (_, i) => ({
    '@odata.id': `${SENSORS}/S${i}`,
    '@odata.type': '#Sensor.v1_5_0.Sensor',
    Id: `S${i}`,
  }));
  const bytes = Buffer.from(JSON.stringify({ '@odata.id': SENSORS, Members }));
  const remarks: string[] = [];
  const file = {
    path: 'a.json',
    open: async function* () {
      yield bytes;
    },
  };
  await tree.load([file as never], { remark: (text) => remarks.push(text), reject: () => undefined });
  expect(tree.size).toBe(1000);
  expect(remarks).toEqual(['the tree has 501 resources more than the 1000 that are read: they are left out']);
});
