import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { pushOtlp } from '../../src/main/capture/push/push-otlp.ts';
import { ProblemError } from '../../src/model/problem.ts';
import { faultline, start } from '../support/command-line.ts';
import { openTestCore, temporaryFolder } from '../support/core.ts';
import { demoCase } from '../support/demo-case.ts';

let demo = '';
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'faultline-test-push-'));
  demo = join(folder, 'demo.faultline');
  await demoCase(folder);
});

/** Answers each request by the next of `answers`, the last one again and again. */
async function receiver(...answers: readonly { status: number; body?: string; headers?: Record<string, string> }[]) {
  const got: { path: string; headers: NodeJS.Dict<string | string[]>; body: string }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { status, body = '', headers } = answers[Math.min(got.length, answers.length - 1)] ?? { status: 200 };
      got.push({ path: request.url ?? '', headers: request.headers, body: String(gunzipSync(Buffer.concat(chunks))) });
      response.writeHead(status, headers).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const close = () => new Promise((resolve) => server.close(resolve));
  return { got, close, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const requests = { traces: '{"resourceSpans":[]}', logs: '', metrics: '{"resourceMetrics":[]}' };
const never = new AbortController().signal;

describe('pushing to an OTLP receiver', () => {
  test('findings arrive at another Faultline as spans, log records and metrics, none rejected', async () => {
    const folder = await temporaryFolder();
    const plan = join(folder, 'plan.yaml');
    await writeFile(plan, 'feeds: [{kind: otlp, grpc: null, http: "127.0.0.1:0"}]');
    const path = join(folder, 'received.faultline');
    const child = start('capture', plan, '--case', path);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const url = await new Promise<string>((resolve) => {
      let output = '';
      child.stdout?.on('data', (chunk) => {
        output += chunk;
        const address = /http (127\.0\.0\.1:\d+)/.exec(output)?.[1];
        if (address) resolve(`http://${address}`);
      });
    });
    const sent = await faultline('export', demo, '--otlp', url);
    expect(sent.out).toMatch(/^sent 2 incidents to /);
    // Twice is once.
    await faultline('export', demo, '--otlp', url);
    child.kill('SIGINT');
    await ended;

    const core = await openTestCore(path);
    const query = async (sql: string) => (await core.api['query.sql']({ sql })).rows;
    const info = await core.api['case.current']({});
    expect(info?.rejects).toBe(0);
    const report = JSON.parse((await faultline('correlate', demo, '--output', 'json')).out).report;
    const steps = report.incidents.flatMap((one: { causal_chain: { type: string }[] }) => one.causal_chain);
    const spans = await query('select name, trace_id, parent_span_id from spans order by start_ns, name');
    expect(spans).toHaveLength(report.incidents.length + steps.length);
    expect(spans.map(([name]) => name)).toContain('voltage_sag on PDU-B-rack-22');
    expect(spans.filter(([, , parent]) => parent === null || parent === '')).toHaveLength(report.incidents.length);
    const [[chain]] = (await query(
      'select count(*)::integer from spans c join spans p on c.parent_span_id = p.span_id and c.trace_id = p.trace_id',
    )) as [[number]];
    expect(chain).toBe(steps.length);
    const probabilities = await query(
      "select distinct value from metrics where metric = 'faultline.hypothesis.probability' order by value desc limit 1",
    );
    expect(probabilities[0]?.[0]).toBe(report.incidents[0].hypotheses[0].probability);
    const hypotheses = report.incidents.flatMap((one: { hypotheses: unknown[] }) => one.hypotheses);
    const [[logs]] = (await query('select count(distinct body)::integer from logs')) as [[number]];
    expect(logs).toBe(new Set(hypotheses.map((one: unknown) => JSON.stringify(one))).size);
  });

  test('a busy receiver is retried after its delay; rejected records are reported', async () => {
    const partial = '{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}';
    const { got, url } = await receiver(
      { status: 429, headers: { 'retry-after': '1' } },
      { status: 200, body: partial },
      { status: 200, body: '{}' },
    );
    const rejections = await pushOtlp({ url: `${url}/`, headers: { authorization: 'Bearer x' } }, requests, never);
    expect(rejections).toEqual(['traces: 3 records were rejected: too old']);
    expect(got.map(({ path }) => path)).toEqual(['/v1/traces', '/v1/traces', '/v1/metrics']);
    expect(got[0]?.headers).toMatchObject({ authorization: 'Bearer x', 'content-type': 'application/json' });
    expect(got[1]?.body).toBe(requests.traces);
  });

  test('after the last retry, a busy receiver is reported with its delay', async () => {
    const busy = { status: 503, headers: { 'retry-after': '1' } };
    const { got, url } = await receiver(busy, busy, { status: 200, body: '{}' });
    await expect(pushOtlp({ url, headers: {}, tries: 2 }, requests, never)).rejects.toThrow(
      /accepts nothing now: it answers 503, and asks to wait 1 s/,
    );
    expect(got).toHaveLength(2);
  });

  test.each([
    ['is no receiver', 404, /answers 404/],
    ['knows no such token', 401, /answers 401/],
  ])('a server that %s gives one line, without retry', async (_, status, line) => {
    const { got, url } = await receiver({ status });
    await expect(pushOtlp({ url, headers: {} }, requests, never)).rejects.toThrow(line);
    expect(got).toHaveLength(1);
  });

  test.each([
    ['breaks off while it answers', 'reset', /nothing could be sent/],
    ['answers without end', 'endless', /answered more than 100000 bytes/],
  ])('a receiver that %s is one line', async (_, harm, line) => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{');
      if (harm === 'reset') return void setTimeout(() => response.destroy(), 50);
      const flood = setInterval(() => response.write(' '.repeat(50_000)), 5);
      response.once('close', () => clearInterval(flood));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const sent = await pushOtlp({ url, headers: {} }, requests, never).catch((error: unknown) => error);
    expect(sent).toBeInstanceOf(ProblemError);
    expect(String(sent)).toMatch(line);
  });

  test('an unreachable receiver and a missing address, case or token give one line each, with exit codes', async () => {
    const { url, close } = await receiver();
    await close();
    expect(await faultline('export', demo, '--otlp', url)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/nothing could be sent to .*\/v1\/traces: nothing listens there/),
    });
    expect(await faultline('export', demo, '--otlp', 'collector:4318')).toMatchObject({ code: 2 });
    expect(await faultline('export', demo)).toMatchObject({ code: 2 });
    const secret = await faultline('export', demo, '--otlp', url, '--header', 'authorization=Bearer');
    expect(secret.code).toBe(2);
    expect(secret.err).not.toMatch(/Bearer/);
    const inside = await faultline('export', demo, '--otlp', 'http://me:sesame@127.0.0.1:4318');
    expect(inside.code).toBe(2);
    expect(inside.err).not.toMatch(/sesame/);
  });
});
