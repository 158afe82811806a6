import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { PollSchedule } from '../../src/main/capture/poll-schedule.ts';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';
import { appendSample } from '../../src/model/rows/records.ts';
import type { RowBatch } from '../../src/model/rows/rows.ts';
import type { Feed } from '../../src/model/storage/feed.ts';
import { nanos } from '../../src/model/time.ts';
import { pause } from '../support/capture-run.ts';
import { faultline, finished, start } from '../support/command-line.ts';
import { openTestCore, temporaryFolder } from '../support/core.ts';
import { openedFeeds } from '../support/opened-feeds.ts';
import { agentOn, GAUGE32, ObjectTable, OCTETS, TICKS, type Value } from '../support/snmp-agent.ts';

/** rPDU2DeviceStatusPower, hundredths of a kilowatt. */
const POWER = '1.3.6.1.4.1.318.1.1.26.4.3.1.5.1';

async function pdu(): Promise<number> {
  let power = 100;
  const table = new ObjectTable(
    new Map<string, () => Value>([
      ['1.3.6.1.2.1.1.5.0', () => ({ tag: OCTETS, value: 'PDU-A' })],
      ['1.3.6.1.2.1.1.3.0', () => ({ tag: TICKS, value: Math.round(performance.now() / 10) })],
      [POWER, () => ({ tag: GAUGE32, value: power++ })],
    ]),
  );
  const { port, close } = await agentOn((requests, reply) => reply(table.answer(requests)));
  onTestFinished(close);
  return port;
}

async function exporter(series: number): Promise<string> {
  const lines = ['# TYPE requests_per_pod gauge'];
  for (let i = 0; i < series; i++)
    lines.push(`requests_per_pod{namespace="team-${i % 40}",pod="worker-${i}",node="node-${i % 500}"} ${i}.5`);
  const page = Buffer.from(`${lines.join('\n')}\n`);
  const server = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(page));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
}

/**
 * Records a PDU at 1 Hz and a target of this many series until that is reported, and a while longer; returns peak
 * memory in MiB, and the rows.
 */
async function pduWith(series: number, until: RegExp, more = '') {
  const folder = await temporaryFolder();
  const [plan, path] = [join(folder, 'plan.yaml'), join(folder, 'c.faultline')];
  await writeFile(
    plan,
    `feeds:
  - {kind: snmp, name: PDU, host: 127.0.0.1, port: ${await pdu()}, every_s: 1, timeout_s: 2}
  - {kind: prometheus, name: huge, url: "${await exporter(series)}", every_s: 3${more}}`,
  );
  const child = start('capture', plan, '--case', path);
  // What has failed leaves nothing running.
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = finished(child);
  let summary = '';
  child.stdout?.on('data', (chunk) => {
    summary += chunk;
  });
  await expect.poll(() => summary).toMatch(until);
  // Some rounds of both.
  await new Promise((resolve) => setTimeout(resolve, 12_000));
  const status = process.platform === 'linux' ? readFileSync(`/proc/${child.pid}/status`, 'utf8') : '';
  child.kill('SIGINT');
  const { code, out } = await ended;
  expect(code, out).toBe(0);
  const rows = async (sql: string) =>
    JSON.parse((await faultline('query', path, sql, '--format', 'json')).out) as Record<string, string>[];
  return { rows, resident_mib: Number(/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? 0) / 1024, out };
}

/** Seconds in which at least two polls of the PDU are missing without a reported outage. */
const UNSAID = `
  with polls as (select distinct time_ns as t from metrics where metric = 'hw.power'),
    holes as (select lag(t) over (order by t) as a, t as b from polls)
  select a, b from holes where b - a > 2900000000 and not exists (
    select 1 from outages where source = 'PDU' and epoch_ns(from_utc) < b and epoch_ns(until_utc) > a)`;

test('a target of 200,000 series is refused with its reason, and a PDU beside it is polled as before', async () => {
  const { rows, resident_mib } = await pduWith(200_000, /huge: down/);
  expect(await rows(UNSAID)).toEqual([]);
  const [polls] = await rows("select count(distinct time_ns)::integer as n from metrics where metric = 'hw.power'");
  expect(Number(polls?.n)).toBeGreaterThan(5);
  expect(await rows("select distinct reason from outages where source = 'huge'")).toEqual([
    { reason: expect.stringMatching(/^it answers more than 50000 samples, .* raise most_samples/) },
  ]);
  console.log(`refused: ${Math.round(resident_mib)} MiB resident at most`);
  expect(resident_mib).toBeLessThan(400);
});

test('a target with a high limit does not delay others: what is missing is a gap', async () => {
  const { rows, resident_mib } = await pduWith(200_000, /huge: up/, ', most_samples: 200000');
  expect(await rows(UNSAID)).toEqual([]);
  const [brought] = await rows("select count(*)::integer as n from metrics where source = 'huge'");
  expect(Number(brought?.n)).toBeGreaterThan(100_000);
  console.log(`taken: ${Math.round(resident_mib)} MiB resident at most`);
});

function samples(count: number): RowBatch {
  const builder = new BatchBuilder();
  const entity = builder.entity('pdu', 'PDU-A');
  const time_ns = nanos(BigInt(Date.now()) * 1_000_000n);
  for (let i = 0; i < count; i++) appendSample(builder, { entity, metric: 'hw.power', time_ns, value: i });
  return builder.finish(0);
}

const feed = (name: string, run: Feed['run']): Feed => ({
  name,
  format: 'snmp-live',
  stampedBy: 'here',
  about: '',
  run,
});

test('a flooding feed is refused, and lost rows are a gap; small feeds continue', async () => {
  const taken: boolean[] = [];
  const flood = feed('flood', async (sink) => {
    while (sink.take([samples(20_000)]));
    sink.lost(20_000, 'they came while rows waited');
    // Until it was written.
    while (!sink.take([samples(1)])) await pause(20);
  });
  const poll = feed('poll', async (sink) => {
    taken.push(sink.take([samples(100)]));
  });
  const sender = feed('sender', async (sink) => {
    while (sink.take([samples(20_000)]));
    while (!sink.take([samples(1)])) await pause(20);
  });
  const core = await openTestCore(undefined, { feeds: openedFeeds([flood, sender, poll]) });
  for await (const _ of core.api['capture.run']({ plan: 'any' }));
  expect(taken).toEqual([true]);
  const { rows } = await core.api['query.sql']({ sql: 'select source, reason, until_utc > from_utc from outages' });
  // Rows that were refused and sent again are no gap.
  expect(rows).toEqual([['flood', 'rows were lost: they came while rows waited', true]]);
});

test('a feed with endless new series ends alone, with its reason, before memory is full', async () => {
  const taken: boolean[] = [];
  const churn = feed('churn', async (sink, signal) => {
    for (let at = 0; !signal.aborted; at++) {
      const builder = new BatchBuilder();
      const entity = builder.entity('service', 'api');
      const time_ns = nanos(BigInt(Date.now()) * 1_000_000n);
      for (let i = 0; i < 20_000; i++)
        appendSample(builder, { entity, metric: 'hw.power', attributes: { request: `${at}.${i}` }, time_ns, value: i });
      sink.take([builder.finish(0)]);
      await pause(100);
    }
  });
  const poll = feed('poll', async (sink, signal) => {
    while (!signal.aborted) {
      taken.push(sink.take([samples(1)]));
      await pause(100);
    }
  });
  const core = await openTestCore(undefined, { feeds: openedFeeds([churn, poll]) });
  const stop = new AbortController();
  const states: string[] = [];
  for await (const event of core.api['capture.run']({ plan: 'any' }, { signal: stop.signal })) {
    if (event.kind === 'feed') states.push(`${event.feed} ${event.state}: ${event.reason}`);
    if (states.length > 0) stop.abort();
  }
  expect(states).toEqual([expect.stringMatching(/^churn down: it sent more than 300000 series/)]);
  expect(new Set(taken)).toEqual(new Set([true]));
  const { rows } = await core.api['query.sql']({ sql: 'select source, until_utc >= from_utc from outages' });
  expect(rows).toEqual([['churn', true]]);
});

const blockEventLoop = (milliseconds: number): void => {
  for (const end = Date.now() + milliseconds; Date.now() < end; );
};

test.each(['between two polls', 'in the middle of one'])(
  'polls that this process had no time for (%s) are a gap of their feed; a slow answer is none',
  async (when) => {
    const busy = feed('busy', async (sink, signal) => {
      const schedule = new PollSchedule();
      const missed = (late_ms: number) => sink.missed?.(late_ms);
      const poll = async (answer_ms: number) => {
        await pause(answer_ms);
        sink.take([samples(1)]);
      };
      await poll(0);
      await schedule.rest(100, signal, missed);
      await poll(2500);
      await schedule.rest(100, signal, missed);
      // As a decoder would hold the thread up.
      if (when !== 'between two polls') blockEventLoop(1500);
      await poll(0);
      const resting = schedule.rest(100, signal, missed);
      if (when === 'between two polls') blockEventLoop(1500);
      await resting;
      await poll(0);
    });
    const core = await openTestCore(undefined, { feeds: openedFeeds([busy]) });
    for await (const _ of core.api['capture.run']({ plan: 'any' }));
    const { rows } = await core.api['query.sql']({
      sql: 'select reason, until_utc - from_utc between interval 1 second and interval 2400 milliseconds from outages',
    });
    expect(rows).toEqual([["Faultline's own process had no time for it", true]]);
  },
);
