import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createArchives } from '../../src/main/archives/index.ts';
import type { FeedCheck } from '../../src/model/storage/feed.ts';
import { nanosOf, ofKind, pulled, pullingCore } from '../support/archive-pull.ts';
import { sqlRows } from '../support/capture-run.ts';
import { openTestCore, type TestCore } from '../support/core.ts';
import { bucketPlan, s3Bucket } from '../support/s3-bucket.ts';

const from_ns = nanosOf('2026-05-01T14:00:00Z');
const until_ns = nanosOf('2026-05-01T15:00:00Z');
const logs = (minute: number, texts: readonly string[]): string =>
  texts
    .map((text) =>
      JSON.stringify({
        resourceLogs: [
          {
            resource: { attributes: [{ key: 'service.name', value: { stringValue: 'llm' } }] },
            scopeLogs: [
              {
                logRecords: [
                  {
                    timeUnixNano: String(from_ns + BigInt(minute) * 60_000_000_000n + 1n),
                    severityNumber: 9,
                    body: { stringValue: text },
                  },
                ],
              },
            ],
          },
        ],
      }),
    )
    .join('\n');
/** Each text and how often it is there, but those of the large object, which are counted. */
const bodies = (core: TestCore) =>
  sqlRows(
    core,
    "select if(body like 'large %', 'large', body) as text, count(distinct body)::integer, count(*)::integer from logs group by 1 order by 1",
  );
const once = (...texts: string[]) => texts.toSorted().map((text) => [text, 1, 1]);
const keyOf = (minute: number, name: string): string => {
  const [date, time] = new Date(Date.parse('2026-05-01T14:00:00Z') + minute * 60_000).toISOString().split('T');
  const [year, month, day] = date!.split('-');
  return `otel/year=${year}/month=${month}/day=${day}/hour=${time!.slice(0, 2)}/minute=${time!.slice(3, 5)}/${name}`;
};
const byMinute = "prefixes: ['otel/year=%Y/month=%m/day=%d/hour=%H/minute=%M/']\n";

test('objects by minutes of their prefix: each of the window once, whatever its name, its size and what fails', async () => {
  const large = Array.from({ length: 40_000 }, (_, at) => `large ${at}`);
  let at = 0;
  const seen = new Set<number>();
  const bucket = await s3Bucket((request, response) => {
    const fault = at++;
    seen.add(fault);
    if (fault === 0)
      response
        .writeHead(503, { 'retry-after': '0' })
        .end('<Error><Code>SlowDown</Code><Message>slow</Message></Error>');
    else if (fault === 1) response.end('<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTrun');
    else if (fault === 2) response.end('<html>login</html>');
    else if (fault === 4) response.writeHead(206).end('{"resourceLogs":[');
    else if (fault === 5) {
      response.writeHead(206, { 'content-length': '5000' }).write('{"resource');
      setImmediate(() => request.socket.destroy());
    } else if (fault === 6) request.socket.destroy();
    else return false;
    return true;
  });
  const names = ['a b+c%20d.json', "é'(1)*!~.json", 'logs_&quot;<&>.json'];
  const contents: [string, string | Buffer][] = [
    [keyOf(-1, 'before.json'), logs(-1, ['before'])],
    [keyOf(60, 'after.json'), logs(60, ['after'])],
    [keyOf(3, '_SUCCESS'), 'x'],
    [keyOf(59, 'large.json'), logs(59, large)],
    ...names.map((name, i): [string, string] => [keyOf(i, name), logs(i, [name])]),
  ];
  for (const [key, content] of contents) await bucket.put(key, content);
  const core = await pullingCore();
  const input = { plan: bucketPlan(bucket.url, byMinute), from_ns, until_ns };
  const events = await pulled(core, input);
  expect(Buffer.byteLength(logs(59, large))).toBeGreaterThan(8 * 1024 * 1024);
  expect(ofKind(events, 'plan')[0]?.queries.reduce((sum, { bytes }) => sum + bytes!, 0)).toBe(
    contents.slice(3).reduce((sum, [, content]) => sum + Buffer.byteLength(content), 0),
  );
  expect(ofKind(events, 'problem')).toEqual([]);
  expect(ofKind(events, 'done')).toMatchObject([{ pulled: 4, failed: 0, left: 0 }]);
  expect(seen.size).toBeGreaterThan(6);
  const all = (...more: string[]) => [...once(...names, ...more), ['large', large.length, large.length]].toSorted();
  expect((await bodies(core)).toSorted()).toEqual(all());

  await bucket.put(keyOf(7, 'late.json'), logs(7, ['late']));
  expect(ofKind(await pulled(core, input), 'done')).toMatchObject([{ pulled: 1, failed: 0 }]);
  const shorter = await pulled(core, { ...input, from_ns: from_ns + 1n, where: 'minute=07*lat' });
  expect(ofKind(shorter, 'plan')[0]?.queries).toMatchObject([{ slices: 0, present: 1 }]);
  expect((await bodies(core)).toSorted()).toEqual(all('late'));
});

test('an object that is gone, changed or refused is named; the others are in, and the next pull has the rest', async () => {
  let isFirst = true;
  const bucket = await s3Bucket(async ({ url }, response) => {
    if (url!.includes('gone.json')) await bucket.remove(keyOf(1, 'gone.json'));
    if (url!.includes('changed.json') && isFirst) {
      isFirst = false;
      await bucket.put(keyOf(2, 'changed.json'), logs(2, ['changed']));
    }
    if (!url!.includes('locked.json')) return false;
    response.writeHead(403).end('<Error><Code>AccessDenied</Code><Message>not for you</Message></Error>');
    return true;
  });
  for (const name of ['gone', 'changed', 'fine', 'locked'])
    await bucket.put(
      keyOf(['fine', 'gone', 'changed', 'locked'].indexOf(name), `${name}.json`),
      logs(1, [`old ${name}`]),
    );
  const core = await pullingCore();
  const input = { plan: bucketPlan(bucket.url, byMinute), from_ns, until_ns };
  const events = await pulled(core, input);
  const problems = ofKind(events, 'problem')
    .map(({ problem }) => problem.message)
    .join('\n');
  expect(problems).toContain('it answered 404: NoSuchKey');
  expect(problems).toContain('it answered 403: AccessDenied: not for you');
  expect(problems).toMatch(/changed\.json was written anew|it answered 412/);
  expect(ofKind(events, 'done')).toMatchObject([{ pulled: 1, failed: 3, left: 0 }]);
  expect(ofKind(await pulled(core, input), 'done')).toMatchObject([{ pulled: 1, failed: 1, left: 0 }]);
  expect(await bodies(core)).toEqual(once('changed', 'old fine'));
});

test('a connection test names what is wrong: key, bucket, prefix', async () => {
  const bucket = await s3Bucket();
  await bucket.put('otel/one.json', logs(0, ['one']));
  const lastCheck = async (plan: string): Promise<FeedCheck | undefined> => {
    const archive = await createArchives(true).open(plan);
    let last: FeedCheck | undefined;
    for await (const check of archive.test(AbortSignal.timeout(20_000))) last = check;
    return last;
  };
  const fine = bucketPlan(bucket.url, "prefixes: ['otel/']\n");
  expect(await lastCheck(fine)).toMatchObject({ passed: true, detail: 'fleet has otel/one.json' });
  expect(await lastCheck(fine.replace('otel/', 'none/'))).toMatchObject({
    step: 'values',
    passed: false,
    detail: 'nothing in fleet begins with "none/"',
  });
  expect(await lastCheck(fine.replace('bucket: fleet', 'bucket: other'))).toMatchObject({
    step: 'values',
    passed: false,
    detail: expect.stringContaining('404: NoSuchBucket'),
  });
  vi.stubEnv('FAULTLINE_TEST_SECRET_KEY', 'another secret');
  const refused = await lastCheck(fine);
  expect(refused).toMatchObject({ step: 'auth', passed: false });
  expect(JSON.stringify(refused)).toContain('403: SignatureDoesNotMatch');
  const anonymous = fine.replace(/(?:access|secret)_key: .*\n/g, '');
  expect(await lastCheck(anonymous)).toMatchObject({ passed: true });
});

const dumps = join(import.meta.dirname, '../../fixtures/flight-recorder/gpu-error-expert-group');

test('dumps without a time in their key are one job by when they were written; a later rank comes alone', async () => {
  const bucket = await s3Bucket();
  const [first = '', ...others] = readdirSync(dumps);
  for (const name of others) await bucket.put(`dumps/expert/${name}`, readFileSync(join(dumps, name)));
  const core = await pullingCore();
  const now = () => BigInt(Date.now()) * 1_000_000n;
  /** What was written in a second is pulled when it is over. */
  const secondIsOver = () => new Promise((resolve) => setTimeout(resolve, 1010 - (Date.now() % 1000)));
  const plan = bucketPlan(bucket.url, "prefixes: ['dumps/']\nformat: flight-recorder\nlag_s: 0\n");
  const hour = () => ({ plan, from_ns: now() - 3_600_000_000_000n, until_ns: now() });
  await secondIsOver();
  const events = await pulled(core, hour());
  expect(ofKind(events, 'problem')).toEqual([]);
  expect(ofKind(events, 'done')).toMatchObject([{ pulled: 1, failed: 0 }]);
  await bucket.put(`dumps/expert/${first}`, readFileSync(join(dumps, first)));
  await secondIsOver();
  const again = await pulled(core, hour());
  expect(ofKind(again, 'source')).toHaveLength(1);
  expect(ofKind(await pulled(core, hour()), 'source')).toHaveLength(0);
  const direct = await openTestCore();
  await direct.import([dumps]);
  const count = 'select count(*)::integer, count(distinct rank)::integer from collectives';
  expect(await sqlRows(core, count)).toEqual(await sqlRows(direct, count));
  expect(await sqlRows(core, "select count(*)::integer from entity where kind = 'job' and id = 'expert'")).toEqual([
    [1],
  ]);
});

test('plans: half a login, unknown parts of a date and services are refused', async () => {
  const core = await pullingCore();
  const refused = (plan: string, more: object = {}) =>
    expect(pulled(core, { plan, from_ns, until_ns, ...more })).rejects;
  const plan = bucketPlan('http://127.0.0.1:1', '');
  await refused(plan.replace(/secret_key: .*\n/, '')).toThrow('a login is access_key and secret_key');
  await refused(`${plan}prefixes: ['%H/']\n`).toThrow('each with those before it');
  await refused(`${plan}prefixes: ['%Y/%q']\n`).toThrow('may have %Y');
  await refused(plan, { services: ['llm'] }).toThrow('does not know which services');
});

test('a listing of several pages: each object once, whatever the size of a page', async () => {
  const tokens: string[] = [];
  const bucket = await s3Bucket((request) => {
    const { searchParams } = new URL(request.url!, 'http://localhost');
    if (searchParams.get('list-type') !== '2') return false;
    tokens.push(searchParams.get('continuation-token') ?? '');
    // The server's own pages hold a thousand.
    request.url += '&max-keys=3';
    return false;
  });
  const names = Array.from({ length: 8 }, (_, i) => `part ${i}.json`);
  for (const name of names) await bucket.put(keyOf(7, name), logs(7, [name]));
  const core = await pullingCore();
  const plan = bucketPlan(bucket.url, "prefixes: ['otel/year=%Y/month=%m/day=%d/hour=%H/']\n");
  const events = await pulled(core, { plan, from_ns, until_ns });
  expect(ofKind(events, 'done')).toMatchObject([{ pulled: names.length, failed: 0, left: 0 }]);
  expect(await bodies(core)).toEqual(once(...names));
  expect(tokens.filter((token) => token !== '')).toHaveLength(2);
  expect(new Set(tokens).size).toBe(3);
});
