import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Hypothesis, Incident } from '../../src/model/incident/incident.ts';
import { of } from '../support/by-hand.ts';
import { memoryCore, type TestCore, temporaryFolder } from '../support/core.ts';

/** A shop whose database records no spans: only its callers, by the attributes of their client spans. */

const START_NS = 1_767_960_000_000_000_000n;
const [SERVER, CLIENT] = [2, 3];
const ms = (milliseconds: number): bigint => BigInt(Math.round(milliseconds * 1e6));
const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
const text = (key: string, value: string) => ({ key, value: { stringValue: value } });

interface Call {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly length_ms: number;
  readonly failed?: boolean;
}

/** One request per half second: `web` calls `orders`, which makes these calls one after the other. */
function traces(seconds: number, callsAt: (second: number) => readonly Call[]): string {
  const spans: Record<'web' | 'orders', unknown[]> = { web: [], orders: [] };
  for (let i = 0; i < 2 * seconds; i++) {
    const from = START_NS + ms(500 * i);
    const calls = callsAt(i / 2);
    const inside = calls.reduce((sum, { length_ms }) => sum + length_ms, 0);
    const failed = calls.some((call) => call.failed);
    const put = (
      service: 'web' | 'orders',
      id: number,
      parent: number,
      rest: object,
      begin_ms: number,
      length_ms: number,
    ) =>
      spans[service].push({
        traceId: hex(i + 1, 32),
        spanId: hex(16 * (i + 1) + id, 16),
        ...(parent ? { parentSpanId: hex(16 * (i + 1) + parent, 16) } : {}),
        startTimeUnixNano: String(from + ms(begin_ms)),
        endTimeUnixNano: String(from + ms(begin_ms + length_ms)),
        ...rest,
      });
    const status = failed ? { status: { code: 2 } } : {};
    put('web', 1, 0, { name: 'GET /', kind: SERVER, ...status }, 0, inside + 8 + (i % 5));
    put(
      'web',
      2,
      1,
      { name: 'POST orders', kind: CLIENT, attributes: [text('server.address', 'orders')], ...status },
      1,
      inside + 5,
    );
    put('orders', 3, 2, { name: 'POST /', kind: SERVER, ...status }, 2, inside + 3);
    let at = 3;
    for (const [n, call] of calls.entries()) {
      const attributes = Object.entries(call.attributes).map(([key, value]) => text(key, value));
      const outcome = call.failed ? { status: { code: 2 } } : {};
      put('orders', 4 + n, 3, { name: call.name, kind: CLIENT, attributes, ...outcome }, at, call.length_ms);
      at += call.length_ms;
    }
  }
  const of = (service: string, list: readonly unknown[]) => ({
    resource: { attributes: [text('service.name', service), text('host.name', `host-of-${service}`)] },
    scopeSpans: [{ spans: list }],
  });
  return JSON.stringify({ resourceSpans: [of('web', spans.web), of('orders', spans.orders)] });
}

/** Without a record of any device "not enough evidence" comes first, whatever the spans show. */
const suspectOf = (incidents: readonly Incident[], service: string): Hypothesis | undefined =>
  of(incidents, service)?.hypotheses.find(({ subject }) => subject !== null);

async function imported(text: string): Promise<TestCore> {
  const core = await memoryCore();
  const path = join(await temporaryFolder(), 'traces.json');
  await writeFile(path, text);
  await core.import([path]);
  return core;
}

const servicesOf = async (core: TestCore): Promise<unknown[]> =>
  (await core.api['query.sql']({ sql: "select id from entity where kind = 'service' order by id" })).rows.flat();

const query = (length_ms: number, failed = false): Call => ({
  name: 'SELECT orders',
  attributes: { 'db.system.name': 'postgresql', 'server.address': 'orders-db.internal' },
  length_ms,
  failed,
});
const cache: Call = { name: 'GET', attributes: { 'db.system': 'redis', 'server.address': '10.0.0.7' }, length_ms: 2 };

test('a slow database without spans is the first suspect, by what its callers measured', async () => {
  const core = await imported(traces(900, (second) => [query((second > 600 ? 90 : 5) + (second % 3)), cache]));
  expect(await servicesOf(core)).toEqual(['orders', 'orders-db.internal', 'redis', 'web']);
  const { incidents } = await core.api.correlate({});
  for (const service of ['web', 'orders']) {
    const first = suspectOf(incidents, service);
    expect(first?.subject).toEqual({ kind: 'service', id: 'orders-db.internal' });
    expect(first?.evidence.map(({ text }) => text).join('\n')).toContain('as its callers measured it');
  }
  const { rows } = await core.api['query.sql']({
    sql: `select f.id, t.id from edge e join entity f on f.entity_id = e.from_entity join entity t on t.entity_id = e.to_entity
          join name n on n.name_id = e.kind where n.text = 'calls' order by all`,
  });
  expect(rows).toEqual([
    ['orders', 'orders-db.internal'],
    ['orders', 'redis'],
  ]);
});

test('a caller that is slow in itself stays the suspect beside a database without spans', async () => {
  const slow = { name: 'compute', attributes: {}, length_ms: 90 };
  const core = await imported(traces(900, (second) => [query(5 + (second % 3)), ...(second > 600 ? [slow] : [])]));
  const { incidents } = await core.api.correlate({});
  const first = suspectOf(incidents, 'web');
  expect(first?.subject).toEqual({ kind: 'service', id: 'orders' });
});

test('failed calls of a database without spans begin in it', async () => {
  const core = await imported(traces(900, (second) => [query(5 + (second % 3), second > 600 && second % 2 < 1)]));
  const { incidents } = await core.api.correlate({});
  const first = suspectOf(incidents, 'web');
  expect(first?.subject).toEqual({ kind: 'service', id: 'orders-db.internal' });
});

test('a service without spans is excused by a worse one that it may call, which no record can show', async () => {
  const stock = (length_ms: number): Call => ({ name: 'stock', attributes: { 'peer.service': 'stock' }, length_ms });
  const isSlow = (second: number): boolean => second > 600;
  const core = await imported(
    // The stock service asks the database, too: its answers take longer by as much.
    traces(900, (second) => [
      { ...stock((isSlow(second) ? 120 : 40) + (second % 3)) },
      query((isSlow(second) ? 85 : 5) + (second % 3)),
    ]),
  );
  const { incidents } = await core.api.correlate({});
  const found = suspectOf(incidents, 'web');
  expect(found?.subject).toEqual({ kind: 'service', id: 'orders-db.internal' });
  expect(found?.evidence.map(({ text }) => text).join('\n')).toMatch(/explains the degradation of .*stock/);
});

test('an address, a host with a known name, a service with spans and a single call are no services without spans', async () => {
  const calls: readonly Call[] = [
    { name: 'a', attributes: { 'server.address': '10.1.2.3' }, length_ms: 1 },
    { name: 'b', attributes: { 'server.address': 'host-of-web' }, length_ms: 1 },
    { name: 'c', attributes: { 'peer.service': 'web' }, length_ms: 1 },
    { name: 'e', attributes: { 'peer.service': 'x'.repeat(10_000) }, length_ms: 1 },
  ];
  const once: Call = { name: 'd', attributes: { 'peer.service': 'rare' }, length_ms: 1 };
  const core = await imported(traces(60, (second) => (second === 30 ? [...calls, once] : calls)));
  expect(await servicesOf(core)).toEqual(['orders', 'web']);
});

test('a name is taken as it is written, whatever it is made of', async () => {
  const hostile = `o'brien"; drop table span; -- \n<b>`;
  const core = await imported(traces(60, () => [{ name: 'a', attributes: { 'peer.service': hostile }, length_ms: 1 }]));
  expect(await servicesOf(core)).toEqual([hostile, 'orders', 'web'].toSorted());
  expect((await core.api.correlate({})).incidents).toEqual([]);
});

test('calls at the end of time are counted as any others', async () => {
  const text = traces(60, () => [query(5)]);
  const shift = 2n ** 63n - 1n - START_NS - ms(70_000);
  const late = text.replaceAll(/UnixNano":"(\d+)"/g, (_, time: string) => `UnixNano":"${BigInt(time) + shift}"`);
  expect(await servicesOf(await imported(late))).toEqual(['orders', 'orders-db.internal', 'web']);
});
