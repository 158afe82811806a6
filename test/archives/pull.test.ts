import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Input } from '../../src/model/contract/index.ts';
import { nanosOf, ofKind, pulled, pullingCore, rowsHash } from '../support/archive-pull.ts';
import { sqlRows } from '../support/capture-run.ts';
import { isSamples, samplePlan } from '../support/sample-answers.ts';
import { sampleArchive } from '../support/sample-archive.ts';

const from_ns = nanosOf('2026-05-01T14:00:00Z');
const until_ns = nanosOf('2026-05-01T14:15:00Z');
const quarter = (url: string, more?: string): Input<'archive.pull'> => ({
  plan: samplePlan(url, more),
  from_ns,
  until_ns,
});
/** Five series, four samples a minute. */
const ROWS = 5 * 60;

let known: Promise<string> | undefined;
/** The hash of a pull without faults. */
const undisturbed = (): Promise<string> =>
  (known ??= (async () => {
    const archive = await sampleArchive();
    const core = await pullingCore();
    await pulled(core, quarter(archive.url));
    return rowsHash(core);
  })());

test('a window comes slice by slice, each a source that states its query; the next pull asks for what is missing only', async () => {
  const archive = await sampleArchive();
  const core = await pullingCore();
  const half = await pulled(core, { ...quarter(archive.url), until_ns: nanosOf('2026-05-01T14:05:00Z') });
  expect(ofKind(half, 'plan')[0]?.queries).toMatchObject([{ slices: 5, present: 0, query: '{__name__!=""}' }]);
  expect(ofKind(half, 'done')).toMatchObject([{ pulled: 5, failed: 0, left: 0 }]);
  expect(ofKind(half, 'source').flatMap(({ source }) => source.remarks)).toContain(
    `pulled from ${archive.url}, 2026-05-01T14:00:00.000Z until 2026-05-01T14:01:00.000Z: {__name__!=""}`,
  );
  const whole = await pulled(core, quarter(archive.url));
  expect(ofKind(whole, 'plan')[0]?.queries).toMatchObject([{ slices: 10, present: 1 / 3 }]);
  const asked = archive.requests.length;
  const again = await pulled(core, quarter(archive.url));
  expect(ofKind(again, 'done')).toMatchObject([{ pulled: 0, failed: 0, left: 0 }]);
  expect(archive.requests.length).toBe(asked);
  expect(
    await sqlRows(core, 'select count(*)::integer, count(distinct (time_ns, entity))::integer from metrics'),
  ).toEqual([[ROWS, ROWS]]);
  expect(await rowsHash(core)).toBe(await undisturbed());
});

test('only a plan asks for estimates, and makes no case', async () => {
  const archive = await sampleArchive();
  const core = await pullingCore();
  const events = await pulled(core, { ...quarter(archive.url), only_plan: true });
  // 5 series, and 20 samples in 300 s of each.
  expect(events).toMatchObject([{ kind: 'plan', queries: [{ rows: 300, bytes: 9000, slices: 15 }] }]);
  expect(await core.api['case.current']({})).toBeNull();
});

test('429 with Retry-After, 503, cut, partial, malformed and missing answers, and resets are repeated: the rows are those of an undisturbed pull', async () => {
  let at = 0;
  const seen = new Set<number>();
  const archive = await sampleArchive((request, response, body) => {
    if (!isSamples(body)) return false;
    const fault = at++;
    seen.add(fault);
    if (fault === 0) response.writeHead(429, { 'retry-after': '0' }).end('{"error":"slow down"}');
    else if (fault === 1) response.writeHead(503).end('<html>overloaded</html>');
    else if (fault === 2)
      response.writeHead(200).end('{"status":"success","data":{"resultType":"matrix","result":[{"metric"');
    else if (fault === 3) response.writeHead(200).end('<html>login</html>');
    else if (fault === 4) request.socket.destroy();
    else if (fault === 5) {
      response.writeHead(200, { 'content-length': '5000' }).write('{"status"');
      setTimeout(() => request.socket.destroy(), 5);
    } else if (fault === 7)
      response.end('{"status":"success","isPartial":true,"data":{"resultType":"matrix","result":[]}}');
    else if (fault === 8)
      response.end('{"status":"success","warnings":["a store is away"],"data":{"resultType":"matrix","result":[]}}');
    else return fault === 6;
    return true;
  });
  const core = await pullingCore();
  const events = await pulled(core, quarter(archive.url, 'parallel: 8\ntimeout_s: 2\n'));
  expect(seen.size).toBeGreaterThanOrEqual(24);
  expect(ofKind(events, 'done')).toMatchObject([{ pulled: 15, failed: 0, left: 0 }]);
  expect(ofKind(events, 'progress').at(-1)?.repeats).toBeGreaterThanOrEqual(9);
  expect(await rowsHash(core)).toBe(await undisturbed());
});

test('what one tenant has is not what another has', async () => {
  const archive = await sampleArchive();
  const core = await pullingCore();
  for (const tenant of ['a', 'b', 'a']) {
    const [done] = ofKind(await pulled(core, quarter(archive.url, `tenant: ${tenant}\n`)), 'done');
    expect(done).toMatchObject({ failed: 0, left: 0 });
  }
  const { rows } = await core.api['query.sql']({ sql: 'select count(distinct query)::integer from pulled' });
  expect(rows).toEqual([[2]]);
});

test('a secret is in no error text, though the server repeats it and though it cannot be sent', async () => {
  const archive = await sampleArchive((request, response) => {
    response.writeHead(400).end(JSON.stringify({ error: `no access for ${request.headers.authorization}` }));
    return true;
  });
  for (const token of ['secret-token-1', 'secret-token-2\nx']) {
    vi.stubEnv('FAULTLINE_TEST_TOKEN', token);
    const core = await pullingCore();
    const failure = await pulled(core, quarter(archive.url, 'bearer: env:FAULTLINE_TEST_TOKEN\nattempts: 1\n')).then(
      (events) => JSON.stringify(events, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
      (error: unknown) => String(error),
    );
    expect(failure).toMatch(/\*\*\*|no header/);
    expect(failure).not.toContain('secret-token');
  }
});

test('a slice that fails for good is named and counted, the others are in; five in a row end the pull', async () => {
  let isBroken = true;
  const minute = (text: string) => nanosOf(`2026-05-01T14:${text}:00Z`) / 1_000_000_000n;
  const archive = await sampleArchive((_, response, body) => {
    const time = BigInt(Math.ceil(Number(new URLSearchParams(body).get('time'))));
    if (!isBroken || !isSamples(body) || (time !== minute('03') && time < minute('08'))) return false;
    response.writeHead(500).end('{"error":"no space \u001b[2J left"}');
    return true;
  });
  const core = await pullingCore();
  const events = await pulled(core, quarter(archive.url, 'attempts: 1\nparallel: 1\n'));
  expect(ofKind(events, 'done')).toMatchObject([{ pulled: 6, failed: 6, left: 3 }]);
  const [first] = ofKind(events, 'problem');
  expect(first?.from_ns).toBe(nanosOf('2026-05-01T14:02:00Z'));
  expect(first?.problem.message).toBe(`${archive.url}: it answered 500: no space \\u001b[2J left, after 1 attempts`);
  isBroken = false;
  const rest = await pulled(core, quarter(archive.url));
  expect(ofKind(rest, 'done')).toMatchObject([{ pulled: 9, failed: 0, left: 0 }]);
  expect(await rowsHash(core)).toBe(await undisturbed());
});

test('a slice that the archive finds too large is cut until it answers', async () => {
  const archive = await sampleArchive((_, response, body) => {
    const range = Number(/\[(\d+)ms\]/.exec(decodeURIComponent(body))?.[1] ?? 0);
    if (range <= 30_000) return false;
    response
      .writeHead(422)
      .end('{"status":"error","error":"query processing would load too many samples into memory"}');
    return true;
  });
  const core = await pullingCore();
  const events = await pulled(core, quarter(archive.url, ''));
  expect(ofKind(events, 'done')).toMatchObject([{ pulled: 30, failed: 0, left: 0 }]);
  expect(await rowsHash(core)).toBe(await undisturbed());
});

test('a slice for which the archive is too slow is cut until it answers in time; what is never answered is not cut for ever', async () => {
  let isDead = false;
  let slow = 0;
  const archive = await sampleArchive((_, response, body) => {
    const range = Number(/\[(\d+)ms\]/.exec(decodeURIComponent(body))?.[1] ?? 0);
    if (!isSamples(body) || (!isDead && range <= 200_000)) return false;
    if (slow++ % 2 === 0) response.writeHead(504).end('<html>upstream timed out</html>');
    return true;
  });
  const core = await pullingCore();
  const plan = `kind: prometheus\nurl: ${archive.url}\nexemplars: false\nrequests_per_s: 1000\ntimeout_s: 0.5\n`;
  const events = await pulled(core, { plan, from_ns, until_ns });
  expect(ofKind(events, 'done')).toMatchObject([{ pulled: 8, failed: 0, left: 0 }]);
  expect(await rowsHash(core)).toBe(await undisturbed());
  isDead = true;
  const before = archive.requests.length;
  const dead = await pulled(await pullingCore(), { plan: `${plan}parallel: 1\n`, from_ns, until_ns });
  expect(ofKind(dead, 'done')).toMatchObject([{ pulled: 0, failed: 5 }]);
  expect(ofKind(dead, 'problem')[0]?.problem).toMatchObject({ code: 'archive.too_slow' });
  expect(archive.requests.length - before).toBeLessThan(40);
});

test('a query that is wrong is refused at once, though the error has the word limit', async () => {
  const archive = await sampleArchive((_, response, body) => {
    if (!isSamples(body)) return false;
    response.writeHead(400).end('{"status":"error","error":"parse error: unexpected identifier \\"limit\\""}');
    return true;
  });
  const events = await pulled(await pullingCore(), quarter(archive.url));
  expect(ofKind(events, 'problem')[0]?.problem).toMatchObject({ code: 'archive.refused' });
  expect(ofKind(events, 'progress').every(({ slices }) => slices === 15)).toBe(true);
});

test('cancelled and continued after a restart of the archive, the rows are the same', async () => {
  const archive = await sampleArchive();
  const core = await pullingCore();
  const cancel = new AbortController();
  const first = pulled(core, quarter(archive.url), (event) => event.kind === 'source' && cancel.abort(), cancel.signal);
  await expect(first).rejects.toThrow();
  const before = (await core.api['case.current']({}))?.sources.length ?? 0;
  expect(before).toBeGreaterThan(0);
  let restarted: Promise<unknown> | undefined;
  const rest = await pulled(core, quarter(archive.url, 'parallel: 2\n'), (event) => {
    if (event.kind === 'source') restarted ??= archive.end().then(() => archive.begin());
  });
  await restarted;
  expect(ofKind(rest, 'done')).toMatchObject([{ pulled: 15 - before, failed: 0, left: 0 }]);
  expect(await rowsHash(core)).toBe(await undisturbed());
});

test('redirects are refused, and credentials go to the stated origin only', async () => {
  const elsewhere: (string | undefined)[] = [];
  const other = createServer((request, response) => {
    elsewhere.push(request.headers.authorization);
    response.end('{}');
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const seen: (string | undefined)[] = [];
  const archive = await sampleArchive((request, response, body) => {
    seen.push(request.headers.authorization);
    if (!isSamples(body)) return false;
    response.writeHead(307, { location: `http://127.0.0.1:${port}/` }).end();
    return true;
  });
  process.env['FAULTLINE_ARCHIVE_TEST'] = 'secret-token';
  onTestFinished(() => void delete process.env['FAULTLINE_ARCHIVE_TEST']);
  const core = await pullingCore();
  const events = await pulled(core, quarter(archive.url, 'bearer: env:FAULTLINE_ARCHIVE_TEST\nparallel: 1\n'));
  expect(ofKind(events, 'done')).toMatchObject([{ pulled: 0, failed: 5, left: 10 }]);
  expect(ofKind(events, 'problem')[0]?.problem.message).toContain('it redirects to another address');
  expect(JSON.stringify(ofKind(events, 'problem').map(({ problem }) => problem))).not.toContain('secret-token');
  expect(new Set(seen)).toEqual(new Set(['Bearer secret-token']));
  expect(elsewhere).toEqual([]);
});

test('what may still arrive is left for the next pull, and a window must not be empty', async () => {
  const archive = await sampleArchive();
  const core = await pullingCore();
  const now = BigInt(Date.now()) * 1_000_000n;
  const recent = { plan: samplePlan(archive.url), from_ns: now - 120_000_000_000n, until_ns: now };
  const [plan] = ofKind(await pulled(core, { ...recent, only_plan: true }), 'plan');
  expect(Number((now - plan!.until_ns) / 1_000_000_000n)).toBeGreaterThan(25);
  // A step that ends later is left, too.
  const steps = await pulled(core, { ...recent, plan: `${recent.plan}step_s: 60\n`, only_plan: true });
  const [query] = ofKind(steps, 'plan')[0]!.queries;
  expect(Number((now - query!.until_ns) / 1_000_000_000n)).toBeGreaterThan(25);
  expect(query!.until_ns % 60_000_000_000n).toBe(0n);
  await expect(pulled(core, { ...recent, from_ns: now - 1_000_000_000n })).rejects.toThrow(
    'nothing of the window is older',
  );
  await expect(pulled(core, { ...recent, from_ns: now })).rejects.toThrow('ends before it begins');
});

test('plans with a password in the address, unknown kinds and fields are refused', async () => {
  const core = await pullingCore();
  const refused = (plan: string) => expect(pulled(core, { plan, from_ns, until_ns })).rejects;
  await refused('kind: prometheus\nurl: http://a:b@127.0.0.1:1\n').toThrow('must not contain a password');
  await refused('kind: prometheus\nurl: http://127.0.0.1:1\nuser: a\n').toThrow('a login is bearer alone');
  await refused('kind: oracle\n').toThrow('no kind of archive');
  await refused('kind: prometheus\nurl: http://127.0.0.1:1\nmatch: ["rate(up[5m])"]\n').toThrow('must be a selector');
  await refused('kind: [').toThrow('no YAML');
});
