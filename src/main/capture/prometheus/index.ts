import { z } from 'zod';
import { withEither } from '../../../base/with-either.ts';
import { fail, ProblemError } from '../../../model/problem.ts';
import { type RowBatch, rowCount } from '../../../model/rows/rows.ts';
import type { Feed, FeedCheck, FeedSink } from '../../../model/storage/feed.ts';
import { nanos } from '../../../model/time.ts';
import { bodyOf } from '../answer-body.ts';
import { checkSecrets, checkWay, failed, passed } from '../connection-checks.ts';
import { connectionFailures } from '../connection-failures.ts';
import type { FeedKind } from '../feed-kind.ts';
import { reportChangesOnly } from '../feed-state.ts';
import { hasNoPassword } from '../plan/plain-url.ts';
import { secret, secretSchema } from '../plan/secret.ts';
import { PollSchedule } from '../poll-schedule.ts';
import { whyNotPlain } from '../speaks-tls.ts';
import { steadyNanos } from '../steady-clock.ts';
import { PageReader } from './page-reader.ts';
import { SampleCount } from './sample-count.ts';

export const prometheusPlanSchema = z
  .strictObject({
    kind: z.literal('prometheus'),
    /** null: the name of the target. */
    name: z
      .string()
      .min(1)
      .max(200)
      .nullable()
      .default(null)
      .describe('name of its data source; null: the name of the target'),
    /** Address of the metrics page: `http://node-3:9400/metrics`. */
    url: z
      .url({ protocol: /^https?$/ })
      .refine(hasNoPassword, 'must not contain a password: set bearer to where a token is')
      .describe('address of the metrics page: http://node-3:9400/metrics'),
    every_s: z.number().min(1).max(3600).default(15).describe('poll interval in seconds'),
    timeout_s: z.number().min(0.1).max(300).default(10).describe('request timeout in seconds'),
    /** Device of metrics that name none; null: the host in the URL. */
    device: z
      .string()
      .min(1)
      .max(200)
      .nullable()
      .default(null)
      .describe('device of metrics that name none; null: the host in the URL'),
    /** Reference to a bearer token; null: none is sent. */
    bearer: secretSchema.nullable().default(null).describe('where a bearer token is; null: none is sent'),
    /** Like `sample_limit` of a Prometheus server: a larger page is refused as a whole. */
    most_samples: z
      .number()
      .int()
      .min(1)
      .max(200_000)
      .default(50_000)
      .describe('a larger answer is refused as a whole and becomes a gap: it would delay other feeds'),
  })
  .meta({
    title: 'Prometheus target',
    description: 'targets that a Prometheus server could scrape: dcgm-exporter, node exporter, others',
  });

const MOST_BYTES = 64 * 1024 * 1024;
const ACCEPT = 'application/openmetrics-text;version=1.0.0;q=0.8,text/plain;version=0.0.4;q=0.9';

const pages = new PageReader();

/**
 * A target that a Prometheus server could scrape (prometheus.io/docs/instrumenting/exposition_formats): dcgm-exporter,
 * node exporter.
 */
export const prometheusFeed: FeedKind<typeof prometheusPlanSchema> = {
  kind: 'prometheus',
  plan: prometheusPlanSchema,
  open: (plan): Feed => {
    const name = plan.name ?? `Prometheus ${new URL(plan.url).host}`;
    return {
      name,
      format: 'prometheus-live',
      stampedBy: 'here',
      about: plan.url,
      async run(sink, signal) {
        const headers = { accept: ACCEPT, ...(await authorization(plan.bearer)) };
        pages.begin();
        try {
          await follow({ ...plan, name, headers }, sink, signal);
        } finally {
          await pages.end();
        }
      },
    };
  },
  test: testTarget,
};

async function follow(target: FollowedTarget, sink: FeedSink, signal: AbortSignal): Promise<void> {
  const reportState = reportChangesOnly(sink);
  const schedule = new PollSchedule();
  while (!signal.aborted) {
    const began = performance.now();
    const scraped = await scrape(target, signal).catch((error: unknown) => whyNot(error, target.url));
    if (signal.aborted) return;
    if (typeof scraped === 'string') reportState('down', scraped, performance.now() - began);
    else {
      // For example a login page.
      if (rowsOf(scraped) > 0) reportState('up', 'scraped');
      else reportState('down', 'its answer has no metrics', performance.now() - began);
      deliver(sink, scraped);
    }
    await schedule.rest(target.every_s * 1000, signal, (late_ms) => sink.missed?.(late_ms));
  }
}

async function* testTarget(
  plan: z.output<typeof prometheusPlanSchema>,
  signal: AbortSignal,
): AsyncGenerator<FeedCheck, void, void> {
  const { protocol, hostname, port } = new URL(plan.url);
  const secrets = await checkSecrets([plan.bearer]);
  if (secrets) yield secrets;
  if (secrets?.passed === false) return;
  const number = Number(port) || (protocol === 'https:' ? 443 : 80);
  for await (const check of checkWay(hostname, number, plan.timeout_s * 1000)) {
    yield check;
    if (!check.passed) return;
  }
  const headers = { accept: ACCEPT, ...(await authorization(plan.bearer)) };
  pages.begin();
  try {
    const batches = await scrape({ ...plan, name: 'test', headers }, signal);
    if (protocol === 'https:') yield passed('tls', 'the connection is encrypted, the certificate is valid');
    yield passed('auth', plan.bearer === null ? 'it answers without a token' : 'it accepts the token');
    const points = batches.reduce((sum, { tables }) => sum + (tables.point?.count ?? 0), 0);
    if (points > 0) yield passed('values', `${points} values`);
    else yield failed('values', 'its answer has no metrics', 'the address ends in /metrics on most targets');
  } catch (error) {
    yield await whyNotScraped(error, plan);
  } finally {
    await pages.end();
  }
}

/** Finds the step at which a scrape failed; its port accepts connections. */
async function whyNotScraped(
  error: unknown,
  { bearer, url }: Pick<z.output<typeof prometheusPlanSchema>, 'bearer' | 'url'>,
): Promise<FeedCheck> {
  const reason = await whyNot(error, url);
  if (/write https?:\/\//.test(reason)) return failed('tls', reason, 'change the address in the plan');
  const [, status] = /^it answered (\d+)/.exec(reason) ?? [];
  if (status === '401' || status === '403')
    return failed(
      'auth',
      reason,
      bearer === null ? 'it requires a token: set bearer to where one is' : `the token of ${bearer} is not accepted`,
    );
  if (status === '404') return failed('values', reason, 'the address ends in /metrics on most targets');
  const { code = '' } = (error instanceof Error ? (error.cause ?? {}) : {}) as { code?: string };
  if (/CERT|SSL|TLS/.test(code)) return failed('tls', reason, 'this machine must trust the certificate');
  return failed('values', reason);
}

const rowsOf = (batches: readonly RowBatch[]): number => batches.reduce((sum, batch) => sum + rowCount(batch), 0);

function deliver(sink: FeedSink, batches: readonly RowBatch[]): void {
  if (!sink.take(batches)) sink.lost(rowsOf(batches), 'writing was too slow: the rows of a scrape were dropped');
}

async function authorization(bearer: string | null): Promise<{ readonly authorization?: string }> {
  return bearer === null ? {} : { authorization: `Bearer ${await secret(bearer)}` };
}

interface Target extends Pick<z.output<typeof prometheusPlanSchema>, 'url' | 'timeout_s' | 'device' | 'most_samples'> {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
}
interface FollowedTarget extends Target {
  readonly every_s: number;
}

const tooMany = (most: number): string =>
  `it answers more than ${most} samples, the limit of this feed: raise most_samples, or reduce what it exposes`;

async function scrape(target: Target, signal: AbortSignal): Promise<readonly RowBatch[]> {
  const { url, timeout_s, device, name, headers, most_samples } = target;
  const requestedAt = nanos(steadyNanos());
  const body = await withEither([signal, AbortSignal.timeout(timeout_s * 1000)], async (patience) => {
    // A redirect would send the token to another host.
    const answer = await fetch(url, { headers: { ...headers }, signal: patience, redirect: 'error' });
    if (!answer.ok) fail('feed.status', `it answered ${answer.status} ${answer.statusText}`);
    const samples = new SampleCount();
    return await bodyOf(answer.body, MOST_BYTES, (chunk) => {
      samples.take(chunk);
      if (samples.count > most_samples) fail('feed.page_too_large', tooMany(most_samples));
    });
  });
  // A small body shares its buffer with others.
  const bytes = body.byteLength === body.buffer.byteLength ? new Uint8Array(body.buffer) : new Uint8Array(body);
  return pages.read(
    {
      name,
      bytes: bytes as Uint8Array<ArrayBuffer>,
      requestedAt,
      device: device ?? new URL(url).hostname,
    },
    most_samples,
    signal,
  );
}

async function whyNot(error: unknown, url: string): Promise<string> {
  const reason = why(error);
  const { code = '' } = (error instanceof Error ? (error.cause ?? {}) : {}) as { code?: string };
  const [, status = code] = /^it answered (\d+)/.exec(reason) ?? [];
  return (await whyNotPlain(url, status)) ?? reason;
}

/** Why a scrape failed, without tokens or addresses. */
function why(error: unknown): string {
  if (error instanceof ProblemError) return error.problem.message;
  if (!(error instanceof Error)) return 'it could not be polled';
  if (error.name === 'TimeoutError') return 'it did not answer in time';
  // `fetch failed` has no details; its cause has them.
  const { code, message = error.message } = (error.cause ?? {}) as { code?: string; message?: string };
  return code === undefined ? message : `${connectionFailures[code] ?? 'the connection failed'} (${code})`;
}
