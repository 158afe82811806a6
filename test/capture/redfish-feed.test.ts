import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { feeds } from '../../src/main/capture/index.ts';
import { redfishFeed } from '../../src/main/capture/redfish/index.ts';
import { redfish } from '../../src/main/sources/redfish/index.ts';
import { openTestCore } from '../support/core.ts';
import { pause, runFeed } from '../support/feed-run.ts';
import { type GrowingReading, type Reading, type Row, readSource, samplesOf } from '../support/read-source.ts';
import {
  type Doc,
  type Fault,
  type RedfishService,
  redfishService,
  type ServiceOptions,
  treeIn,
} from '../support/redfish-service.ts';
import { sharedData } from '../support/shared-data.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures/redfish');
const rackmount = () => treeIn(join(FIXTURES, 'rackmount'));
const POWER = '/redfish/v1/Chassis/1U/Power';

const planOf = (settings: object) =>
  redfishFeed.plan.parse({
    kind: 'redfish',
    name: 'bmc',
    every_s: 1,
    timeout_s: 1,
    most_requests_per_s: 1000,
    ...settings,
  });
const feedOf = (settings: object) => redfishFeed.open(planOf(settings));
const somePoints = ({ reading }: { reading: { rows: Reading['rows'] } }) => reading.rows.point.length > 0;

process.env['TEST_BMC_PASSWORD'] = 'correct horse';
process.env['TEST_BMC_WRONG'] = 'battery staple';
const OPERATOR: ServiceOptions = { user: 'operator', password: 'correct horse' };
const asOperator = { user: 'operator', password: 'env:TEST_BMC_PASSWORD' };

/** Rows but for when they were read, and from which file. */
const timeless = (rows: readonly Row[]): string[] =>
  rows
    .map(({ time_ns: _, raw: __, file: ___, excerpt: ____, ...rest }) =>
      JSON.stringify(rest, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    )
    .sort();

async function imported(tree: ReadonlyMap<string, Doc>): Promise<Reading> {
  const files = Object.fromEntries([...tree].map(([, doc], i) => [`${i}.json`, JSON.stringify(doc)]));
  return await readSource(redfish, files, { name: 'bmc' });
}

/** Live rows of a tree and imported ones of the same: each table, every row. */
async function compare(folder: string, options: ServiceOptions): Promise<void> {
  const service = await redfishService(treeIn(folder), options);
  const wanted = await imported(service.tree);
  const began = Date.now();
  const { reading } = await runFeed(feedOf({ url: service.url, most_at_once: 8, every_s: 60 }), (run) =>
    run.until(somePoints, 60_000),
  );
  expect(reading.rows.point.length).toBeGreaterThan(3);
  for (const table of ['point', 'event', 'edge', 'reject'] as const)
    expect([table, timeless(reading.rows[table])]).toEqual([table, timeless(wanted.rows[table])]);
  expect([...reading.entities.keys()].sort()).toEqual([...wanted.entities.keys()].sort());
  // A value without its own time gets the poll time.
  const stated = new Set(wanted.rows.point.map(({ time_ns }) => time_ns));
  for (const { time_ns } of reading.rows.point)
    if (!stated.has(time_ns)) {
      expect(Number((time_ns as bigint) / 1_000_000n)).toBeGreaterThanOrEqual(began - 1000);
      expect(Number((time_ns as bigint) / 1_000_000n)).toBeLessThanOrEqual(Date.now() + 1000);
    }
}

describe('a live tree gives the same rows as an import of its recording', () => {
  test.each(['rackmount', 'powershelf'])('fixture %s', async (name) => {
    await compare(join(FIXTURES, name), { expands: true, etags: true });
    await compare(join(FIXTURES, name), {});
  });
  test.each([
    'dmtf-public-rackmount1',
    'generic-dmtf',
    'hpe-dl365-gen10plus',
    'hpe-dl380a-slice',
    'infra-controller/dell_poweredge_r750',
    'supermicro-gb300-nvl',
    'supermicro-x10sdv',
    'supermicro-x10-119',
  ])('recorded %s', async (name) => {
    await compare(sharedData(`redfish/${name}`), { expands: true });
  });
});

/** The consumed power of the rackmount machine, which changes over time. */
function setPower(service: RedfishService, watts: number): void {
  const doc = service.tree.get(POWER)!;
  const [first, ...others] = doc['PowerControl'] as Doc[];
  service.tree.set(POWER, { ...doc, PowerControl: [{ ...first, PowerConsumedWatts: watts }, ...others] });
}
const powers = ({ rows, entities, consumed }: GrowingReading) =>
  samplesOf({ rows, entities, consumed, remarks: [] }).filter(
    ({ metric, attributes }) => metric === 'hw.power' && 'control' in attributes,
  );

const LOG = '/redfish/v1/Systems/437XR1138R2/LogServices/Log1/Entries';
function addEntry(service: RedfishService, id: string, more: Doc): void {
  const log = service.tree.get(LOG)!;
  const entry = {
    '@odata.id': `${LOG}/${id}`,
    '@odata.type': '#LogEntry.v1_14_0.LogEntry',
    Id: id,
    Name: `entry ${id}`,
    EntryType: 'Event',
    ...more,
  };
  service.tree.set(entry['@odata.id'], entry);
  service.tree.set(LOG, { ...log, Members: [...(log['Members'] as Doc[]), { '@odata.id': entry['@odata.id'] }] });
}
const logPolls = (service: RedfishService) => service.requests.filter((one) => one.startsWith(`GET ${LOG}`)).length;
const messages = (reading: { rows: Reading['rows'] }) => reading.rows.event.map(({ message }) => message);

test('a sensor outside any collection is polled', async () => {
  const service = await redfishService(rackmount());
  const sensors = '/redfish/v1/Chassis/1U/Sensors';
  const hidden = `${sensors}/Hidden`;
  const doc = { '@odata.id': hidden, '@odata.type': '#Sensor.v1_5_0.Sensor', Id: 'Hidden', ReadingType: 'Temperature' };
  service.tree.set(hidden, { ...doc, Reading: 41.5, ReadingUnits: 'Cel' });
  const metrics = service.tree.get('/redfish/v1/Chassis/1U/EnvironmentMetrics')!;
  service.tree.set('/redfish/v1/Chassis/1U/EnvironmentMetrics', {
    ...metrics,
    DewPointCelsius: { DataSourceUri: hidden, Reading: 3 },
  });
  const { reading } = await runFeed(feedOf({ url: service.url }), (run) => run.until(somePoints));
  expect(samplesOf({ ...reading, remarks: [] }).map(({ value }) => value)).toContain(41.5);
});

describe('polling', () => {
  test('changing values are polled at a limited rate, and unchanged values are not emitted again', async () => {
    const service = await redfishService(rackmount(), { etags: true });
    service.fault = () => ({ delay_ms: 5 });
    const { reading } = await runFeed(feedOf({ url: service.url }), async (run) => {
      await run.until(somePoints);
      const learned = service.requests.length;
      setPower(service, 501);
      await run.until(() => powers(run.reading).length >= 3);
      const again = service.requests.slice(learned);
      expect(again.some((one) => one === `GET ${POWER}`)).toBe(true);
      // The state of a chassis is polled once a minute.
      expect(again.some((one) => one === 'GET /redfish/v1/Chassis/1U')).toBe(false);
    });
    expect(powers(reading).map(({ value }) => value)).toEqual([
      344,
      ...powers(reading)
        .slice(1)
        .map(() => 501),
    ]);
    expect(new Set(powers(reading).map(({ time_ns }) => time_ns)).size).toBe(powers(reading).length);
    expect(service.notModified()).toBeGreaterThan(10);
    expect(service.mostAtOnce()).toBe(2);
    // Links and names of parts are emitted once.
    expect(timeless(reading.rows.edge)).toEqual([...new Set(timeless(reading.rows.edge))]);
  });

  test('a reading that can be none is rejected once for its series, and counted', async () => {
    const service = await redfishService(rackmount());
    setPower(service, 65_535);
    const powerRequests = () => service.requests.filter((one) => one === `GET ${POWER}`).length;
    const { reading } = await runFeed(feedOf({ url: service.url }), async (run) => {
      await run.until(somePoints);
      setPower(service, -1);
      const before = powerRequests();
      await run.until(() => powerRequests() >= before + 3);
    });
    const implausible = reading.rows.reject.filter(({ excerpt }) =>
      /hw\.power .*: (?:65535|-1) W/.test(String(excerpt)),
    );
    expect(implausible).toHaveLength(1);
    const [, count, last] =
      /(\d+) readings of one series were rejected, .* hw\.power .*: (-?\d+) W/.exec([...reading.remarks].join('\n')) ??
      [];
    expect(Number(count)).toBeGreaterThanOrEqual(3);
    expect(last).toBe('-1');
  });

  test('polls that this process missed are reported', async () => {
    const service = await redfishService(rackmount());
    const run = await runFeed(feedOf({ url: service.url }), async (one) => {
      await one.until(somePoints);
      for (const end = performance.now() + 3500; performance.now() < end; );
      await one.until(() => one.missed.length > 0);
    });
    expect(run.missed[0]).toBeGreaterThan(1000);
  });

  test('no more requests in a second than the plan allows', async () => {
    const service = await redfishService(rackmount());
    const began = Date.now();
    await runFeed(feedOf({ url: service.url, most_requests_per_s: 40, most_at_once: 8 }), (run) =>
      run.until(somePoints),
    );
    expect(service.requests.length / ((Date.now() - began) / 1000)).toBeLessThan(45);
  });

  test('a log entry is one event; later entries are recorded when they come; numbers may restart', async () => {
    const service = await redfishService(rackmount());
    const late = { Created: '2026-03-01T10:00:00Z', Severity: 'Critical', Message: 'Power supply 2 lost its input' };
    const { reading } = await runFeed(feedOf({ url: service.url, status_every_s: 1 }), async (run) => {
      const readAgain = async (times: number) => {
        const before = logPolls(service);
        await run.until(() => logPolls(service) >= before + times);
      };
      await run.until(({ reading: { rows } }) => rows.event.length > 0);
      await readAgain(2);
      addEntry(service, '77', late);
      await run.until(({ reading: { rows } }) => rows.event.some(({ message }) => message === late.Message));
      await readAgain(2);
      // The log is cleared, and its next entry has an old number.
      service.tree.set(LOG, { ...service.tree.get(LOG)!, Members: [] });
      await readAgain(2);
      addEntry(service, '77', { ...late, Created: '2026-03-01T11:00:00Z', Message: 'Fan 3 failed' });
      await run.until(({ reading: { rows } }) => rows.event.some(({ message }) => message === 'Fan 3 failed'));
    });
    expect(messages(reading).length).toBe(
      new Set(reading.rows.event.map((row) => `${row.original_id} ${row.time_ns}`)).size,
    );
    expect(reading.rows.event.find(({ message }) => message === late.Message)?.type).toBe('psu_failure');
  });

  test('readings that did not fit are counted, and events among them are recorded later', async () => {
    const service = await redfishService(rackmount());
    const run = await runFeed(feedOf({ url: service.url }), async (run) => {
      run.isFull = true;
      await run.until(() => run.lost() > 0);
      expect(run.reading.rows.event).toEqual([]);
      run.isFull = false;
      await run.until(({ reading: { rows } }) => rows.event.length > 0);
    });
    expect(messages(run.reading)).toHaveLength(2);
    expect(run.reading.rows.edge.length).toBeGreaterThan(5);
  });
});

describe('who asks', () => {
  test('one session for all requests, renewed when it expires, ended at the end', async () => {
    const service = await redfishService(rackmount(), OPERATOR);
    const { states: reportedTexts, reading } = await runFeed(
      feedOf({ url: service.url, ...asOperator }),
      async (run) => {
        await run.until(somePoints);
        expect([service.logins, service.tokens.size]).toEqual([1, 1]);
        service.tokens.clear();
        const before = pointCount(run);
        await run.until(() => pointCount(run) > before + 50);
        expect(service.logins).toBe(2);
      },
    );
    expect(reportedTexts.map(({ state }) => state)).toEqual(['up']);
    expect(service.tokens.size).toBe(0);
    expect(service.requests.at(-1)).toMatch(/^DELETE .*Sessions\//);
    expect(JSON.stringify([reportedTexts, [...reading.remarks]])).not.toContain('correct horse');
  });
  const pointCount = ({ reading }: { reading: { rows: Reading['rows'] } }) => reading.rows.point.length;

  test.each([
    ['as set in the plan', { auth: 'basic' }, {}],
    ['where there are no sessions', {}, { sessions: false }],
  ])('a password with each request: %s', async (_, settings, options) => {
    const service = await redfishService(rackmount(), { ...OPERATOR, ...options });
    await runFeed(feedOf({ url: service.url, ...asOperator, ...settings }), (run) => run.until(somePoints));
    expect(service.tokens.size).toBe(0);
  });

  test.each(['session', 'basic'])('a wrong password is one line, and the account is not hammered: %s', async (auth) => {
    const service = await redfishService(rackmount(), OPERATOR);
    const settings = { user: 'operator', password: 'env:TEST_BMC_WRONG', auth, most_at_once: 8 };
    const { states: reported } = await runFeed(feedOf({ url: service.url, ...settings }), async (run) => {
      await run.until(() => run.states.length > 0);
      // Real time is the subject: without the rest after a refusal the next poll comes after two seconds.
      await pause(2500);
    });
    expect(reported).toEqual([
      { state: 'down', reason: expect.stringMatching(/^the user or the password is wrong \(user operator\)/) },
    ]);
    expect(service.logins).toBe(1);
  });

  test('a password that stops being right while it runs is not tried again and again', async () => {
    const service = await redfishService(rackmount(), OPERATOR);
    const { states: reported } = await runFeed(feedOf({ url: service.url, ...asOperator }), async (run) => {
      await run.until(somePoints);
      service.password = 'changed';
      service.tokens.clear();
      await run.until(() => run.states.length > 1);
      // Here too the next poll would come after two seconds.
      await pause(2500);
    });
    expect(reported.map(({ state }) => state)).toEqual(['up', 'down']);
    expect(service.logins).toBe(2);
  });

  test('a missing secret is reported before any request', async () => {
    const service = await redfishService(rackmount(), OPERATOR);
    const feed = feedOf({ url: service.url, user: 'operator', password: 'env:NOBODY_SET_THIS_EITHER' });
    await expect(runFeed(feed, (run) => run.until(() => false))).rejects.toThrow(
      /the environment has no NOBODY_SET_THIS_EITHER/,
    );
    expect(service.requests).toEqual([]);
  });
});

describe('a controller that fails, or means harm', () => {
  test('one that dies is a gap with its reason; when it comes back the feed goes on', async () => {
    const service = await redfishService(rackmount());
    const { states: reported, reading } = await runFeed(feedOf({ url: service.url }), async (run) => {
      await run.until(somePoints);
      await service.close();
      await run.until(() => run.states.length > 1);
      const retained = run.reading.rows.point.length;
      // Nothing may be stored while it is away.
      await pause(300);
      expect(run.reading.rows.point.length).toBe(retained);
      await service.listenAgain();
      await run.until(() => run.states.length > 2, 15_000);
      await run.until(() => run.reading.rows.point.length > retained);
    });
    expect(reported.map(({ state }) => state)).toEqual(['up', 'down', 'up']);
    expect(reported[1]?.reason).toMatch(/ECONNREFUSED|ECONNRESET/);
    expect(powers(reading).every(({ value }) => value > 0)).toBe(true);
  });

  test.each<[string, Fault, RegExp]>([
    ['is busy', { status: 503 }, /503/],
    ['answers garbage', { body: '{"@odata.id": ' }, /no JSON object/],
    ['answers a list', { body: '[]' }, /no JSON object/],
    ['answers a web page', { body: '<html>', headers: { 'content-type': 'text/html' } }, /no JSON object/],
    ['answers without an end', { breaks: 'endless' }, /more than 16777216 bytes|within 1 s/],
    [
      'nests without an end',
      { body: `{"@odata.id":"${POWER}","x":${'{"x":'.repeat(200_000)}1${'}'.repeat(200_000)}}` },
      /nested too deeply|no JSON object/,
    ],
    ['packs a bomb', { body: 'not packed', headers: { 'content-encoding': 'gzip' } }, /cannot be unpacked/],
    ['is slow', { delay_ms: 3000 }, /did not answer within 1 s/],
    ['hangs', { breaks: 'hang' }, /did not answer within 1 s/],
    ['hangs up', { breaks: 'reset' }, /ECONNRESET/],
    ['sends elsewhere', { status: 302, headers: { location: 'http://127.0.0.2/redfish/v1/Chassis' } }, /302/],
  ])('one resource that %s is missing, and the others are read', async (_, fault, reason) => {
    const service = await redfishService(rackmount());
    service.fault = (_method, path) => (path === POWER ? fault : undefined);
    const { reading, states: reported } = await runFeed(feedOf({ url: service.url }), (run) => run.until(somePoints));
    expect(reported.map(({ state }) => state)).toEqual(['up']);
    expect(powers(reading)).toEqual([]);
    expect([...reading.remarks, ...reading.rows.reject.map((row) => row.reason)].join('\n')).toMatch(reason);
  });

  test.each<[string, Fault, RegExp]>([
    ['is busy', { status: 503 }, /^it answered 503/],
    ['is none', { status: 404 }, /is this a BMC/],
    ['is something else', { body: '{"hello": "world"}' }, /no Redfish/],
    ['hangs', { breaks: 'hang' }, /did not answer within 1 s/],
    ['hangs up', { breaks: 'reset' }, /ECONNRESET/],
  ])('one that %s is down with one line', async (_, fault, reason) => {
    const service = await redfishService(rackmount());
    service.fault = () => fault;
    const { states: reported, reading } = await runFeed(feedOf({ url: service.url }), async (run) => {
      await run.until(() => run.states.length > 0);
      // No second line may follow at once.
      await pause(300);
    });
    expect(reported).toEqual([{ state: 'down', reason: expect.stringMatching(reason) }]);
    expect(reading.rows.point).toEqual([]);
  });

  test('stops polling an unresponsive BMC after three requests, and the gap begins with them', async () => {
    const service = await redfishService(rackmount());
    const { states: reported, silences } = await runFeed(feedOf({ url: service.url, timeout_s: 0.5 }), async (run) => {
      await run.until(somePoints);
      service.fault = () => ({ breaks: 'hang' });
      const requestCount = service.requests.length;
      await run.until(() => run.states.length > 1);
      // Two at once: the third that stays without an answer ends the poll, and a fourth that has just begun.
      expect(service.requests.length - requestCount).toBeLessThanOrEqual(6);
      service.fault = () => undefined;
      await run.until(() => run.states.length > 2);
    });
    expect(reported.map(({ state }) => state)).toEqual(['up', 'down', 'up']);
    expect(reported[1]?.reason).toMatch(/did not answer within 0.5 s/);
    expect(silences[1]).toBeGreaterThan(900);
  });

  test('links in circles, without an end, to other hosts and out of the tree lead nowhere', async () => {
    const service = await redfishService(rackmount());
    const elsewhere = await redfishService(rackmount());
    const chassis = service.tree.get('/redfish/v1/Chassis')!;
    const to = (link: string) => ({ '@odata.id': link });
    service.tree.set('/redfish/v1/Chassis', {
      ...chassis,
      Members: [
        ...(chassis['Members'] as Doc[]),
        to('/redfish/v1/Chassis'),
        to('/redfish/v1/Chassis/'),
        to('/redfish/v1/Chassis/Deep0'),
        to(`${elsewhere.url}/redfish/v1/Chassis/1U`),
        to(`${elsewhere.url.replace('http:', '')}/redfish/v1/Chassis/1U`),
        to('/redfish/../etc/passwd'),
        to('/redfish/v1/%2e%2e/%2e%2e/admin'),
        to('file:///etc/passwd'),
      ],
      'Members@odata.nextLink': '/redfish/v1/Chassis?$skip=0',
    });
    service.fault = (_method, path) => {
      const depth = /\/Deep(\d+)$/.exec(path)?.[1];
      if (depth !== undefined)
        return {
          body: JSON.stringify({
            '@odata.id': path,
            '@odata.type': '#Chassis.v1_5_0.Chassis',
            Links: { Contains: [to(`/redfish/v1/Chassis/Deep${Number(depth) + 1}`)] },
          }),
        };
      const skip = /\$skip=(\d+)/.exec(path)?.[1];
      if (skip === undefined) return undefined;
      return {
        body: JSON.stringify({
          Members: [],
          'Members@odata.nextLink': `/redfish/v1/Chassis?$skip=${Number(skip) + 1}`,
        }),
      };
    };
    const { states: reported, reading } = await runFeed(feedOf({ url: service.url, most_at_once: 8 }), (run) =>
      run.until(somePoints),
    );
    expect(reported.map(({ state }) => state)).toEqual(['up']);
    expect(elsewhere.requests).toEqual([]);
    expect(service.requests.filter((one) => !one.startsWith('GET /redfish/v1'))).toEqual([]);
    expect(service.requests.length).toBeLessThan(400);
    expect([...reading.remarks].join('\n')).toMatch(/lead to other hosts/);
    expect([...reading.remarks].join('\n')).toMatch(/are too deep/);
    expect([...reading.remarks].join('\n')).toMatch(/of more than \d+ members of \/redfish\/v1\/Chassis the first/);
  });
});

describe('its clock', () => {
  const minute = 60_000;

  test('times are the controller’s, and how far it is off is measured', async () => {
    const service = await redfishService(rackmount());
    service.clock_ms = 90 * minute;
    const began = Date.now();
    const { reading, clocks } = await runFeed(feedOf({ url: service.url }), (run) => run.until(somePoints));
    const [power] = powers(reading);
    expect(Math.abs(Number((power?.time_ns ?? 0n) / 1_000_000n) - began - 90 * minute)).toBeLessThan(3000);
    expect(clocks).toHaveLength(1);
    const [offset = 0n, uncertainty = 0n] = clocks[0] ?? [];
    expect(Math.abs(Number(offset) / 1e6 + 90 * minute)).toBeLessThanOrEqual(Number(uncertainty) / 1e6 + 1);
    expect(Number(uncertainty)).toBeLessThan(6e8);
    expect([...reading.remarks].join('\n')).toMatch(/clock of the controller is 5(399|400)\.\d s ahead/);
  });

  test('a step during the capture is reported; a clock that was never set is ignored', async () => {
    const service = await redfishService(rackmount());
    const { reading, clocks } = await runFeed(feedOf({ url: service.url, status_every_s: 1 }), async (run) => {
      await run.until(somePoints);
      service.clock_ms = -5 * minute;
      await run.until(() => /was set by -\d+ s/.test([...run.reading.remarks].join('\n')), 15_000);
    });
    expect(clocks).toEqual([]);
    const times = powers(reading).map(({ time_ns }) => time_ns);
    expect(times).toEqual([...times].sort((a, b) => Number(a - b)));
    const unset = await redfishService(rackmount());
    unset.clock_ms = -Date.now();
    const run = await runFeed(feedOf({ url: unset.url }), (one) => one.until(somePoints));
    expect([...run.reading.remarks].join('\n')).toMatch(/was never set/);
    expect(Math.abs(Number((powers(run.reading)[0]?.time_ns ?? 0n) / 1_000_000n) - Date.now())).toBeLessThan(10_000);
  });

  test('a restarted manager is reported, and its tree is discovered again', async () => {
    const service = await redfishService(rackmount());
    const id = '/redfish/v1/Managers/BMC';
    const manager = { '@odata.id': id, '@odata.type': '#Manager.v1_19_0.Manager', Id: 'BMC' };
    service.tree.set(id, { ...manager, LastResetTime: '2026-01-01T00:00:00Z' });
    await runFeed(feedOf({ url: service.url, status_every_s: 1 }), async (run) => {
      await run.until(somePoints);
      service.tree.set(id, { ...manager, LastResetTime: '2026-02-01T00:00:00Z' });
      const roots = () => service.requests.filter((one) => one === 'GET /redfish/v1/').length;
      const before = roots();
      await run.until(() => /restarted at 2026-02-01/.test([...run.reading.remarks].join('\n')));
      await run.until(() => roots() > before);
    });
  });
});

test('topology, clock and rows arrive in a case', async () => {
  const service = await redfishService(rackmount());
  service.clock_ms = 3_600_000;
  const core = await openTestCore(undefined, { feeds });
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const plan = `feeds: [{kind: redfish, name: bmc, url: "${service.url}", every_s: 1, most_requests_per_s: 1000}]`;
  for await (const event of core.api['capture.run']({ plan }, { signal: stop.signal }))
    if (event.kind === 'written' && event.rows > 0) stop.abort();
  const { rows } = await core.api['query.sql']({
    sql: 'select distinct edge from topology order by 1',
  });
  expect(rows.flat()).toEqual(expect.arrayContaining(['contains', 'feeds']));
  const source = (await core.api['case.current']({}))?.sources[0];
  expect(Number(source?.clock_offset_ns) / 1e9).toBeCloseTo(-3600, -1);
  // On the case's clock it is now.
  const { rows: newest } = await core.api['query.sql']({
    sql: `select (max(time_ns) / 1000000000)::double from metrics where metric = 'hw.power'`,
  });
  expect(Math.abs(Number(newest[0]?.[0]) - Date.now() / 1000)).toBeLessThan(30);
});

test.each([
  [{ url: 'https://user:secret@bmc' }, /must not contain a password/],
  [{ url: 'ftp://bmc' }, /url/],
  [{ url: 'https://bmc/redfish/v1/Chassis/1' }, /not of one of its resources/],
  [{ url: 'https://bmc', user: 'operator' }, /user and password belong together/],
  [{ url: 'https://bmc', user: 'operator', password: 'secret' }, /env:NAME or keychain:NAME/],
  [{ url: 'http://bmc', tls: 'insecure' }, /without TLS there is no certificate/],
  [{ url: 'https://bmc', fingerprint_sha256: 'abc' }, /64 hexadecimal digits/],
  [{ url: 'https://bmc', fingerprint_sha256: 'ab'.repeat(32), tls: 'insecure' }, /leave tls out/],
  [{ url: 'https://bmc', push: { listen: 'here' } }, /is an address and a port/],
])('invalid plan: %j', async (settings, reason) => {
  const plan = JSON.stringify({ feeds: [{ kind: 'redfish', ...settings }] });
  await expect(feeds.open(plan)).rejects.toThrow(reason);
  await expect(feeds.open(plan)).rejects.not.toThrow(/secret@|'secret'/);
});
