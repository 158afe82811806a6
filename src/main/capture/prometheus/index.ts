import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import type { Feed, FeedSink } from '../../../model/feed.ts';
import { fail, ProblemError } from '../../../model/problem.ts';
import { type RowBatch, rowCount } from '../../../model/rows.ts';
import type { SourceInput } from '../../../model/source.ts';
import { nanos } from '../../../model/time.ts';
import { prometheus } from '../../sources/prometheus/index.ts';
import { connectionFailures } from '../connection-failures.ts';
import type { FeedKind } from '../feed-kind.ts';
import { sayingChanges } from '../feed-state.ts';
import { secret } from '../secret.ts';

function hasNoPassword(url: string): boolean {
  if (!URL.canParse(url)) return true;
  const { username, password } = new URL(url);
  return username === '' && password === '';
}

export const prometheusPlanSchema = z.strictObject({
  kind: z.literal('prometheus'),
  /** null: as the target is called. */
  name: z.string().min(1).max(200).nullable().default(null),
  /** Of what it exposes: `http://node-3:9400/metrics`. */
  url: z
    .url({ protocol: /^https?$/ })
    .refine(hasNoPassword, 'bears no password: name an environment variable with bearer_env'),
  every_s: z.number().min(1).max(3600).default(15),
  timeout_s: z.number().min(0.1).max(300).default(10),
  /** The machine that the target speaks of where it does not say; null: its host name. */
  device: z.string().min(1).max(200).nullable().default(null),
  /** Name of the environment variable that holds a bearer token; the token itself is in no plan, case or log. */
  bearer_env: z
    .string()
    .regex(/^[A-Za-z_]\w*$/)
    .nullable()
    .default(null),
});

const MOST_BYTES = 64 * 1024 * 1024;
const ACCEPT = 'application/openmetrics-text;version=1.0.0;q=0.8,text/plain;version=0.0.4;q=0.9';

/** What a Prometheus server would scrape (prometheus.io/docs/instrumenting/exposition_formats): dcgm-exporter, node exporter. */
export const prometheusFeed: FeedKind<typeof prometheusPlanSchema> = {
  kind: 'prometheus',
  plan: prometheusPlanSchema,
  open: (plan): Feed => {
    const name = plan.name ?? `Prometheus ${new URL(plan.url).host}`;
    return {
      name,
      format: 'prometheus-live',
      about: plan.url,
      async run(sink, signal) {
        const headers = { accept: ACCEPT, ...authorization(plan.bearer_env) };
        const say = sayingChanges(sink);
        while (!signal.aborted) {
          const began = Date.now();
          const scraped = await scrape({ ...plan, name, headers }, signal).catch((error: unknown) => why(error));
          if (signal.aborted) return;
          if (typeof scraped === 'string') say('down', scraped);
          else {
            say('up', 'scraped');
            keep(sink, scraped);
          }
          const rest = plan.every_s * 1000 - (Date.now() - began);
          await setTimeout(Math.max(0, rest), undefined, { signal }).catch(() => undefined);
        }
      },
    };
  },
};

function keep(sink: FeedSink, batches: readonly RowBatch[]): void {
  const rows = batches.reduce((sum, batch) => sum + rowCount(batch), 0);
  if (!sink.take(batches)) sink.lost(rows, 'a scrape came while rows waited to be written');
}

function authorization(variable: string | null): { readonly authorization?: string } {
  if (variable === null) return {};
  return { authorization: `Bearer ${secret(variable)}` };
}

interface Target extends Pick<z.output<typeof prometheusPlanSchema>, 'url' | 'timeout_s' | 'device'> {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function scrape({ url, timeout_s, device, name, headers }: Target, signal: AbortSignal): Promise<RowBatch[]> {
  const asked = nanos(BigInt(Date.now()) * 1_000_000n);
  const patience = AbortSignal.any([signal, AbortSignal.timeout(timeout_s * 1000)]);
  // A redirect would send the token to whoever it names.
  const answer = await fetch(url, { headers: { ...headers }, signal: patience, redirect: 'error' });
  if (!answer.ok) fail('feed.status', `it answered ${answer.status} ${answer.statusText}`);
  const bytes = await bodyOf(answer);
  const batches: RowBatch[] = [];
  // When it was asked is the time of what has none: that need not be said at every scrape.
  for await (const batch of prometheus.read(inputOf({ name, bytes, asked, device: device ?? new URL(url).hostname })))
    batches.push({ ...batch, remarks: batch.remarks.filter((remark) => !remark.startsWith('no times in the file')) });
  return batches;
}

async function bodyOf(answer: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > MOST_BYTES) fail('feed.too_large', `it answered more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

interface Scraped {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly asked: ReturnType<typeof nanos>;
  readonly device: string;
}

/** An answer as the file that it would be. */
function inputOf({ name, bytes, asked, device }: Scraped): SourceInput {
  async function* open(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  const never = (): never => {
    throw new Error('a scrape is no file on disk');
  };
  const file = { path: name, bytes: bytes.length, captured_ns: asked, captured_from: 'given' as const };
  return {
    name,
    chunks: open(),
    files: [{ ...file, open, onDisk: async () => never() }],
    assume: { zone: null, device, mapping: null },
    database: async () => never(),
  };
}

/** Why there was nothing, without what a token or an address of somebody's would say. */
function why(error: unknown): string {
  if (error instanceof ProblemError) return error.problem.message;
  if (!(error instanceof Error)) return 'it could not be asked';
  if (error.name === 'TimeoutError') return 'it did not answer in time';
  // `fetch failed` says nothing; what failed stands behind it.
  const { code, message = error.message } = (error.cause ?? {}) as { code?: string; message?: string };
  return code === undefined ? message : `${connectionFailures[code] ?? 'the connection failed'} (${code})`;
}
