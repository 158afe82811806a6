import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventData } from '../../src/main/capture/redfish/event-stream.ts';
import { redfishFeed } from '../../src/main/capture/redfish/index.ts';
import { listenForEvents } from '../../src/main/capture/redfish/push-listener.ts';
import { PushedEvents } from '../../src/main/capture/redfish/pushed-events.ts';
import { quirksOf } from '../../src/main/capture/redfish/quirks.ts';
import type { FeedCheck } from '../../src/model/storage/feed.ts';
import { temporaryFolder } from '../support/core.ts';
import { type FeedRun, runFeed } from '../support/feed-run.ts';
import { samplesOf } from '../support/read-source.ts';
import { type Doc, type RedfishService, redfishService, treeIn } from '../support/redfish-service.ts';

const rackmount = () => treeIn(join(import.meta.dirname, '../../fixtures/redfish/rackmount'));
const planOf = (settings: object) =>
  redfishFeed.plan.parse({
    kind: 'redfish',
    name: 'bmc',
    every_s: 1,
    timeout_s: 2,
    most_requests_per_s: 1000,
    ...settings,
  });
const feedOf = (settings: object) => redfishFeed.open(planOf(settings));
const hasPoints = ({ reading }: FeedRun) => reading.rows.point.length > 0;
const has =
  (message: string) =>
  ({ reading }: FeedRun): boolean =>
    reading.rows.event.some((row) => row.message === message);
const times = ({ reading }: FeedRun, message: string) =>
  reading.rows.event.filter((row) => row.message === message).length;

process.env['TEST_BMC_PASSWORD'] = 'correct horse';
const OPERATOR = { user: 'operator', password: 'correct horse' };
const asOperator = { user: 'operator', password: 'env:TEST_BMC_PASSWORD' };

async function withEventService(
  more: Doc,
  options: Parameters<typeof redfishService>[1] = {},
): Promise<RedfishService> {
  const service = await redfishService(rackmount(), options);
  service.tree.set('/redfish/v1/EventService', {
    '@odata.id': '/redfish/v1/EventService',
    '@odata.type': '#EventService.v1_10_0.EventService',
    ServiceEnabled: true,
    Subscriptions: { '@odata.id': '/redfish/v1/EventService/Subscriptions' },
    ...more,
  });
  const root = service.tree.get('/redfish/v1')!;
  service.tree.set('/redfish/v1', { ...root, EventService: { '@odata.id': '/redfish/v1/EventService' } });
  return service;
}
const STREAM = { ServerSentEventUri: '/redfish/v1/EventService/SSE' };
const event = (Message: string, more: Doc = {}): Doc => ({
  '@odata.type': '#Event.v1_7_0.Event',
  Events: [
    {
      EventId: '1',
      EventTimestamp: '2026-03-01T10:00:00+00:00',
      MessageId: 'Power.1.0.PowerSupplyFailed',
      MessageSeverity: 'Critical',
      Message,
      OriginOfCondition: { '@odata.id': '/redfish/v1/Chassis/1U/PowerSubsystem/PowerSupplies/Bay1' },
      ...more,
    },
  ],
});

describe('events by the stream', () => {
  test('are recorded at once, for their part, and not again from the log', async () => {
    const service = await withEventService(STREAM, OPERATOR);
    const LOG = '/redfish/v1/Systems/437XR1138R2/LogServices/Log1/Entries';
    const run = await runFeed(feedOf({ url: service.url, ...asOperator, status_every_s: 1 }), async (one) => {
      await one.until(hasPoints);
      await one.until(() => service.streams === 1);
      service.send(event('PSU 1 failed'));
      await one.until(has('PSU 1 failed'), 2000);
      const id = `${LOG}/99`;
      const entry = { '@odata.id': id, '@odata.type': '#LogEntry.v1_14_0.LogEntry', Id: '99', EntryType: 'Event' };
      const same = {
        Created: '2026-03-01T10:00:00Z',
        MessageId: 'Power.1.0.PowerSupplyFailed',
        Message: 'PSU 1 failed',
      };
      service.tree.set(id, { ...entry, ...same });
      const other = {
        ...entry,
        '@odata.id': `${LOG}/100`,
        Id: '100',
        Created: '2026-03-01T10:00:05Z',
        Message: 'another',
      };
      service.tree.set(`${LOG}/100`, other);
      const log = service.tree.get(LOG)!;
      const links = [id, `${LOG}/100`].map((to) => ({ '@odata.id': to }));
      service.tree.set(LOG, { ...log, Members: [...(log['Members'] as Doc[]), ...links] });
      await one.until(has('another'), 5000);
      const polls = () => service.requests.filter((path) => path.startsWith(`GET ${LOG}`)).length;
      const before = polls();
      await one.until(() => polls() >= before + 2);
    });
    expect(times(run, 'PSU 1 failed')).toBe(1);
    const [row] = run.reading.rows.event.filter(({ message }) => message === 'PSU 1 failed');
    expect(row).toMatchObject({ type: 'psu_failure', entity: 'psu:web483/psu-Bay1', severity: 0 });
    expect(row?.time_ns).toBe(1_772_359_200_000_000_000n);
    // The stream, too, ends with the capture.
    expect(service.tokens.size).toBe(0);
  });

  test('and log entries are paired one by one, in any order', () => {
    const events = new PushedEvents();
    const failedSupply = { MessageId: 'Power.1.0.PowerSupplyFailed', Message: 'a supply failed' };
    const sent = (time: string) => ({ Events: [{ ...failedSupply, EventTimestamp: time }] });
    const entry = (id: string, time: string) => ({
      '@odata.id': `/redfish/v1/Log/${id}`,
      ...failedSupply,
      Created: time,
    });
    const [ten, eleven] = ['2026-03-01T10:00:00Z', '2026-03-01T11:00:00Z'];
    events.take(sent('2026-03-01T11:00:00+01:00'), 0);
    expect(events.drain()).toHaveLength(1);
    // The same message of two PSUs within a second: one was pushed.
    expect([events.wasPushed(entry('1', ten)), events.wasPushed(entry('2', ten))]).toEqual([true, false]);
    expect([events.wasPushed(entry('1', ten)), events.wasPushed(entry('2', ten))]).toEqual([true, false]);
    // The log was first.
    expect(events.wasPushed(entry('3', eleven))).toBe(false);
    expect(events.take(sent(eleven), 0)).toBe(true);
    expect(events.drain()).toEqual([]);
    expect(events.take({ Name: 'something else' }, 0)).toBe(false);
    // Without a time no match is possible.
    expect(
      events.wasPushed({ ...failedSupply, '@odata.id': '/redfish/v1/Log/4', Created: '0000-00-00T00:00:00Z' }),
    ).toBe(false);
    events.take({ Events: [failedSupply] }, 0);
    expect(events.drain()).toHaveLength(1);
  });

  test('beyond the queue limit are counted as lost', () => {
    const events = new PushedEvents();
    for (let i = 0; i < 10_005; i++)
      events.take({ Events: [{ EventTimestamp: '2026-03-01T10:00:00Z', Message: `${i}` }] }, 0);
    expect([events.drain().length, [...events.refused()]]).toEqual([10_000, [[5, 'more events came than could wait']]]);
  });

  test('continue after the stream ended; it delivers metric reports; garbage is ignored', async () => {
    const service = await withEventService(STREAM);
    const run = await runFeed(feedOf({ url: service.url }), async (one) => {
      await one.until(() => service.streams === 1);
      service.send({ hello: 'world' });
      service.send(event('before'));
      await one.until(has('before'));
      service.send({
        '@odata.id': '/redfish/v1/TelemetryService/MetricReports/Live',
        '@odata.type': '#MetricReport.v1_4_0.MetricReport',
        Id: 'Live',
        MetricValues: [{ MetricId: 'CPUUtil', MetricValue: '37', Timestamp: '2026-03-01T10:00:00Z' }],
      });
      await one.until(({ reading }) => samplesOf({ ...reading, remarks: [] }).some(({ value }) => value === 37));
      // Polled reports are in a collection as well: those from the stream are newer.
      expect([...one.reading.remarks].join('\n')).not.toMatch(/several files hold/);
      service.endStreams();
      await one.until(() => service.streams === 2, 15_000);
      service.send(event('after'));
      await one.until(has('after'));
    });
    expect(times(run, 'before')).toBe(1);
    expect(run.states.map(({ state }) => state)).toEqual(['up']);
  });

  test('an unavailable stream gets a remark, and logs are read', async () => {
    const service = await withEventService(STREAM);
    service.fault = (_method, path) => (path.startsWith('/redfish/v1/EventService/SSE') ? { status: 403 } : undefined);
    const run = await runFeed(feedOf({ url: service.url }), (one) =>
      one.until(({ reading }) => [...reading.remarks].some((text) => /no event stream: it answered 403/.test(text))),
    );
    expect(run.reading.rows.event.length).toBeGreaterThan(0);
  });

  test('lines of any end, data of several lines, comments and pieces of any size', async () => {
    const text =
      ': hello\r\n\r\ndata: {"a":\r\ndata: 1}\r\n\r\nid: 7\nevent: x\ndata:{"b":"\u00e4"}\n\ndata: c\r\rdata: cut off';
    const bytes = Buffer.from(text);
    for (const size of [1, 2, 3, 7, 1000]) {
      const read: string[] = [];
      const pieces = async function* () {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
      };
      for await (const data of eventData(pieces())) read.push(data);
      expect(read).toEqual(['{"a":\n1}', '{"b":"ä"}', 'c']);
    }
    const endless = async function* () {
      for (;;) yield Buffer.from(`data: ${'x'.repeat(100_000)}\n`);
    };
    await expect(eventData(endless()).next()).rejects.toThrow(/does not end/);
  });
});

describe('a hostile stream', () => {
  const MEBI = 1024 * 1024;
  const read = async (pieces: Iterable<string>) => {
    let refused = 0;
    const events: string[] = [];
    const chunks = async function* () {
      for (const piece of pieces) yield Buffer.from(piece);
    };
    for await (const data of eventData(chunks(), () => refused++)) events.push(data);
    return { events, refused };
  };

  test('an oversized event of any form is skipped and counted, and the next is read', async () => {
    const large = 'x'.repeat(5 * MEBI);
    const shapes = [
      `data: ${large}\n\n`,
      `data: ${'x\ndata: '.repeat(MEBI)}\n\n`,
      `${'data:\n'.repeat(MEBI)}\n`,
      `: ${large}\n\n`,
      `event${large}\n\n`,
    ];
    for (const shape of shapes) {
      const whole = `data: before\n\n${shape}data: after\n\n`;
      expect(await read([whole])).toEqual({ events: ['before', 'after'], refused: 1 });
      const pieces = Array.from({ length: Math.ceil(whole.length / 777) }, (_, i) =>
        whole.slice(i * 777, (i + 1) * 777),
      );
      expect(await read(pieces)).toEqual({ events: ['before', 'after'], refused: 1 });
    }
    // Ignored fields may have any length.
    const comments = function* () {
      for (let i = 0; i < 3000; i++) yield `: ${'keep alive '.repeat(3000)}\nid: ${i}\n`;
      yield 'data: x\n\n';
    };
    expect(await read(comments())).toEqual({ events: ['x'], refused: 0 });
  });

  test('events above the rate limit are counted, not stored', () => {
    const events = new PushedEvents();
    const some = (count: number, size = 10) => ({
      Events: Array.from({ length: count }, (_, i) => ({
        EventTimestamp: '2026-03-01T10:00:00Z',
        Message: `${i}`.padEnd(size),
      })),
    });
    events.take(some(15_000), 0);
    expect(events.drain().flatMap(({ doc }) => doc['Events'] as Doc[])).toHaveLength(10_000);
    expect([...events.refused()]).toEqual([[5000, 'more events came than could wait']]);
    events.take(some(9000), 0);
    const [[refused, reason] = [0, '']] = [...events.refused()];
    expect(reason).toBe('more than 200 events came in a second');
    expect(refused).toBeGreaterThan(5000);
    // Few, but large: their characters count.
    const heavy = new PushedEvents();
    for (let i = 0; i < 20; i++) heavy.take(some(1), 0, 4 * MEBI);
    expect(heavy.drain()).toHaveLength(8);
    expect([...heavy.refused()]).toEqual([[12, 'more events came than could wait']]);
    heavy.take(some(1), 0, 4 * MEBI);
    expect(heavy.drain()).toHaveLength(1);
  });

  test('is shown, and the controller is polled as before', async () => {
    const service = await withEventService(STREAM);
    const run = await runFeed(feedOf({ url: service.url }), async (one) => {
      await one.until(() => service.streams === 1);
      service.sendText(`data: ${'x'.repeat(5 * MEBI)}\n\n`);
      service.send(event('after the large one'));
      await one.until(has('after the large one'), 20_000);
      expect(one.lost()).toBe(1);
      const storm = Array.from({ length: 1000 }, (_, i) => ({
        EventTimestamp: '2026-03-01T10:00:00Z',
        Message: `storm ${i}`,
      }));
      for (let i = 0; i < 30; i++) service.send({ '@odata.type': '#Event.v1_7_0.Event', Events: storm });
      const powers = () => one.reading.rows.point.filter(({ series }) => String(series).includes('"hw.power"')).length;
      await one.until(() => one.lost() > 1000, 20_000);
      const before = powers();
      await one.until(() => powers() > before, 20_000);
    });
    expect(run.states.map(({ state }) => state)).toEqual(['up']);
    expect(run.reading.rows.event.length + run.lost()).toBeGreaterThanOrEqual(30_000);
    expect(service.streams).toBe(1);
  });
});

describe('events by push', () => {
  const push = { listen: '127.0.0.1:0' };

  test.each([undefined, 'wanted', 'refused'] as const)(
    'a subscription is made, delivers, and is gone at the end (event types: %s)',
    async (eventTypes) => {
      const service = await withEventService({}, { ...OPERATOR, ...(eventTypes ? { eventTypes } : {}) });
      await runFeed(feedOf({ url: service.url, ...asOperator, push }), async (one) => {
        await one.until(() => service.subscriptions.size === 1);
        expect(await service.push(event('pushed'))).toEqual([204]);
        await one.until(has('pushed'));
      });
      expect(service.subscriptions.size).toBe(0);
      expect(service.tokens.size).toBe(0);
    },
  );

  test('a controller whose stream fails uses push instead', async () => {
    const service = await withEventService(STREAM);
    service.fault = (_method, path) => (path.startsWith('/redfish/v1/EventService/SSE') ? { status: 405 } : undefined);
    const run = await runFeed(feedOf({ url: service.url, push }), async (one) => {
      await one.until(() => service.subscriptions.size === 1);
      expect(await service.push(event('pushed'))).toEqual([204]);
      await one.until(has('pushed'));
    });
    expect([...run.reading.remarks].join('\n')).toMatch(/no event stream: it answered 405/);
    expect(service.subscriptions.size).toBe(0);
  });

  test('belong to the resource that they name; of another host, to that host', async () => {
    const service = await withEventService({});
    const supply = '/redfish/v1/Chassis/1U/PowerSubsystem/PowerSupplies/Bay1';
    const run = await runFeed(feedOf({ url: service.url, push }), async (one) => {
      await one.until(() => service.subscriptions.size === 1);
      await one.until(hasPoints);
      await service.push(event('by path'));
      await service.push(event('own', { OriginOfCondition: { '@odata.id': `${service.url}${supply}` } }));
      await service.push(event('own text', { OriginOfCondition: `${service.url}${supply}/` }));
      await service.push(event('other', { OriginOfCondition: { '@odata.id': `https://bmc-7.example${supply}` } }));
      await one.until(has('other'));
    });
    const about = (message: string) => run.reading.rows.event.find((row) => row.message === message)?.entity;
    expect(about('by path')).toMatch(/^psu:/);
    expect([about('own'), about('own text')]).toEqual([about('by path'), about('by path')]);
    expect(about('other')).toBe('device:bmc-7.example');
  });

  test('above the rate limit get status 429 and are counted; wrong paths get no answer in the end', async () => {
    let [taken, refused] = [0, 0];
    const take = () => {
      taken++;
      return true;
    };
    const listener = await listenForEvents({ ...push, destination: null, certificate: null, key: null }, take, () => {
      refused++;
    });
    onTestFinished(() => listener.close());
    const { destination, context } = listener;
    const post = (url: string, body: string) =>
      fetch(url, { method: 'POST', body }).then(
        ({ status, headers }) => `${status} ${headers.get('retry-after') ?? ''}`.trim(),
        () => 'none',
      );
    const storm = async (many: number, url: string, body: string): Promise<Record<string, number>> => {
      const answers: Record<string, number> = {};
      for (let sent = 0; sent < many; sent += 20)
        for (const answer of await Promise.all(Array.from({ length: 20 }, () => post(url, body))))
          answers[answer] = (answers[answer] ?? 0) + 1;
      return answers;
    };
    const wrong = await storm(400, new URL('/', destination).href, '{}');
    expect(Object.keys(wrong).sort()).toEqual(['404', 'none']);
    const large = JSON.stringify({ Context: context, padding: 'x'.repeat(3 << 20) });
    const heavy = await storm(20, destination, large);
    expect(Object.keys(heavy).sort()).toEqual(['204', '429 10']);
    expect([heavy['204'], heavy['429 10']]).toEqual([taken, refused]);
    const small = await storm(3000, destination, JSON.stringify({ Context: context }));
    expect(small['429 10']).toBeGreaterThan(0);
    expect([Number(heavy['204']) + Number(small['204'] ?? 0)]).toEqual([taken]);
  });

  test('unknown senders cannot write', async () => {
    const service = await withEventService({});
    const run = await runFeed(feedOf({ url: service.url, push }), async (one) => {
      await one.until(() => service.subscriptions.size === 1);
      const [subscription] = service.subscriptions.values();
      const { Destination, Context } = subscription as { Destination: string; Context: string };
      const post = async (url: string, body: string, method = 'POST') =>
        (await fetch(url, method === 'POST' ? { method, body } : { method })).status;
      const forged = JSON.stringify({ ...event('forged'), Context });
      const other = Destination.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
      expect(await post(other, forged)).toBe(404);
      expect(await post(new URL('/', Destination).href, forged)).toBe(404);
      expect(await post(Destination, JSON.stringify(event('forged')))).toBe(403);
      expect(await post(Destination, JSON.stringify({ ...event('forged'), Context: 'guessed' }))).toBe(403);
      expect(await post(Destination, 'no json')).toBe(400);
      expect(await post(Destination, JSON.stringify({ Context, Name: 'nothing' }))).toBe(400);
      expect(await post(Destination, forged, 'GET')).toBe(405);
      const large = post(Destination, `${forged}${' '.repeat(5 * 1024 * 1024)}`).catch(() => 413);
      expect(await large).toBe(413);
      expect(await service.push(event('genuine'))).toEqual([204]);
      await one.until(has('genuine'));
    });
    expect(times(run, 'forged')).toBe(0);
  });

  test('a subscription that is created during the end is deleted, too', async () => {
    const service = await withEventService({}, { subscribes_after_ms: 300 });
    await runFeed(feedOf({ url: service.url, push }), (one) => one.until(() => service.subscriptions.size === 1));
    expect(service.subscriptions.size).toBe(0);
  });

  test('leftover subscriptions of earlier captures are deleted; those of others stay', async () => {
    const service = await withEventService({});
    const listen = `127.0.0.1:${20_000 + Math.floor(Math.random() * 20_000)}`;
    const left = (id: string, Destination: string) =>
      service.subscriptions.set(`/redfish/v1/EventService/Subscriptions/${id}`, {
        '@odata.id': `/redfish/v1/EventService/Subscriptions/${id}`,
        Destination,
      });
    left('old', `http://${listen}/faultline/${'0'.repeat(48)}`);
    left('other', 'https://monitoring.example/events');
    await runFeed(feedOf({ url: service.url, push: { listen } }), async (one) => {
      await one.until(() => [...service.subscriptions.values()].some(({ Context }) => Context !== undefined));
      expect([...service.subscriptions.keys()].some((id) => id.endsWith('/old'))).toBe(false);
    });
    expect([...service.subscriptions.keys()]).toEqual(['/redfish/v1/EventService/Subscriptions/other']);
  });
});

test.each([
  [
    { Vendor: 'Dell', Product: 'Integrated Dell Remote Access Controller' },
    { streamRest_s: 30, eventTypes: null },
  ],
  [{ Oem: { Hpe: {} } }, { eventTypes: expect.arrayContaining(['Alert']) }],
  [{ Vendor: 'Supermicro', Product: 'GB NVL' }, { eventTypes: null }],
  [{ Oem: { Supermicro: {} } }, { eventTypes: expect.arrayContaining(['Alert']) }],
  [{}, { eventTypes: null, streamFilter: null }],
])('quirks of %j', (root, expected) => {
  expect(quirksOf(root)).toMatchObject(expected);
});

/** A certificate of its own for 127.0.0.1. */
async function selfSigned(): Promise<{ cert: string; key: string; fingerprint: string }> {
  const folder = await temporaryFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const options = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=bmc';
  execFileSync('openssl', ['req', ...options.split(' '), '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const output = execFileSync('openssl', ['x509', '-in', cert, '-noout', '-fingerprint', '-sha256'], {
    encoding: 'utf8',
  });
  return {
    cert: readFileSync(cert, 'utf8'),
    key: readFileSync(key, 'utf8'),
    fingerprint: output.replace(/^.*=/, '').trim(),
  };
}
function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!hasOpenssl())('a certificate of its own (skipped: openssl is not installed)', () => {
  test('is rejected, unless the plan has its fingerprint or allows any', async () => {
    const { fingerprint, ...tls } = await selfSigned();
    const service = await redfishService(rackmount(), { ...OPERATOR, tls });
    const down = async (settings: object) =>
      await runFeed(feedOf({ url: service.url, ...asOperator, ...settings }), (one) =>
        one.until(({ states: reportedTexts }) => reportedTexts.length > 0),
      );
    expect((await down({})).states).toEqual([
      { state: 'down', reason: expect.stringMatching(/certificate is its own/) },
    ]);
    const other = await down({ fingerprint_sha256: 'ab'.repeat(32) });
    expect(other.states).toEqual([
      { state: 'down', reason: expect.stringMatching(/not that of the plan: [0-9a-f]{64}$/) },
    ]);
    // Neither request nor password reached it.
    expect([service.requests, service.logins]).toEqual([[], 0]);
    for (const settings of [{ fingerprint_sha256: fingerprint }, { tls: 'insecure' }]) {
      const run = await runFeed(feedOf({ url: service.url, ...asOperator, ...settings }), (one) =>
        one.until(hasPoints),
      );
      expect(run.states.map(({ state }) => state)).toEqual(['up']);
      const remarks = [...run.reading.remarks].join('\n');
      expect(remarks).toMatch('tls' in settings ? /was not verified/ : /has the fingerprint/);
    }
  });

  test('events are pushed to a listener with TLS', async () => {
    const { cert, key } = await selfSigned();
    const folder = await temporaryFolder();
    const files = { certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
    await writeFile(files.certificate, cert);
    await writeFile(files.key, key);
    const service = await withEventService({});
    await runFeed(feedOf({ url: service.url, push: { listen: '127.0.0.1:0', ...files } }), async (one) => {
      await one.until(() => service.subscriptions.size === 1);
      const [subscription] = service.subscriptions.values();
      const { Destination, Context } = subscription as { Destination: string; Context: string };
      expect(Destination).toMatch(/^https:/);
      const body = JSON.stringify({ ...event('by TLS'), Context });
      const sent = request(Destination, { method: 'POST', rejectUnauthorized: false }).end(body);
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      expect(answer.statusCode).toBe(204);
      await one.until(has('by TLS'));
    });
  });

  test('is tested step by step', async () => {
    const { fingerprint, ...tls } = await selfSigned();
    const service = await redfishService(rackmount(), { ...OPERATOR, tls });
    const plain = fingerprint.replaceAll(':', '').toLowerCase();
    const untrusted = await checks({ url: service.url, ...asOperator });
    expect(steps(untrusted)).toBe('secret port !tls');
    expect(untrusted.at(-1)?.hint).toContain(`fingerprint_sha256: ${plain}`);
    const pinned = await checks({ url: service.url, ...asOperator, fingerprint_sha256: plain });
    expect(steps(pinned)).toBe('secret port tls auth view values');
    expect(service.tokens.size).toBe(0);
  });
});

async function checks(settings: object): Promise<FeedCheck[]> {
  const all: FeedCheck[] = [];
  const signal = new AbortController().signal;
  for await (const check of redfishFeed.test?.(planOf(settings), signal) ?? []) all.push(check);
  for (const { detail } of all) expect(detail).toMatch(/^[^\n]{5,300}$/);
  return all;
}
const steps = (all: readonly FeedCheck[]): string =>
  all.map(({ step, passed }) => `${passed ? '' : '!'}${step}`).join(' ');

describe('a test of the connection', () => {
  test('tries to listen for events, and continues if that fails', async () => {
    const service = await redfishService(rackmount(), OPERATOR);
    const tried = (push: object) => checks({ url: service.url, ...asOperator, push });
    const good = await tried({ listen: '127.0.0.1:0' });
    expect(steps(good)).toBe('secret port port auth view values');
    expect(good[1]?.detail).toBe('events can be taken at 127.0.0.1:0');
    const { host } = new URL(service.url);
    const taken = await tried({ listen: host });
    expect(steps(taken)).toBe('secret !port port auth view values');
    expect(taken[1]).toMatchObject({
      detail: `nothing can listen at ${host} (EADDRINUSE)`,
      hint: expect.stringMatching(/another address/),
    });
    const folder = await temporaryFolder();
    const files = { certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
    const unreadable = await tried({ listen: '127.0.0.1:0', ...files });
    expect(steps(unreadable)).toBe('secret !port port auth view values');
    expect(unreadable[1]?.detail).toMatch(/^the certificate of the push listener cannot be read \(.*cert\.pem\)$/);
    await writeFile(files.certificate, 'no certificate');
    await writeFile(files.key, 'no key');
    const unusable = await tried({ listen: '127.0.0.1:0', ...files });
    expect(unusable[1]).toMatchObject({ passed: false, detail: expect.stringMatching(/cannot be used \(ERR_OSSL/) });
  });

  test('reports each step, and ends after the failed one', async () => {
    const service = await redfishService(rackmount(), OPERATOR);
    const good = await checks({ url: service.url, ...asOperator });
    expect(steps(good)).toBe('secret port auth view values');
    expect(good.at(-1)?.detail).toMatch(/^\d\d+ readings of \d+ parts were read$/);
    process.env['TEST_BMC_WRONG'] = 'battery staple';
    const wrong = await checks({ url: service.url, user: 'operator', password: 'env:TEST_BMC_WRONG' });
    expect(steps(wrong)).toBe('secret port !auth');
    expect(wrong.at(-1)?.hint).toMatch(/check the password/);
    expect(JSON.stringify([...good, ...wrong])).not.toMatch(/correct horse|battery staple/);
    expect(steps(await checks({ url: service.url, user: 'operator', password: 'env:NOBODY_SET_THIS' }))).toBe(
      '!secret',
    );
    expect(steps(await checks({ url: 'http://no-such-controller.invalid' }))).toBe('secret !name');
    await service.close();
    expect(steps(await checks({ url: service.url, ...asOperator }))).toBe('secret !port');
  });

  test('another service is no controller; an empty controller has no values', async () => {
    const service = await redfishService(rackmount());
    service.fault = () => ({ body: '<html>' });
    expect(steps(await checks({ url: service.url }))).toBe('secret port !auth');
    service.fault = (_, path) => (/Chassis\/|Systems\//.test(path) ? { status: 403 } : undefined);
    const blind = await checks({ url: service.url });
    expect(steps(blind)).toBe('secret port auth view !values');
    expect(blind.at(-2)?.detail).toMatch(/refused to this user/);
  });
});
