import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gcpFeed } from '../../src/main/capture/gcp/index.ts';
import type { FeedCheck } from '../../src/model/storage/feed.ts';
import {
  type CloudReply,
  type CloudRequest,
  cloudService,
  environment,
  expectOnlyLoopback,
} from '../support/cloud-service.ts';
import { temporaryFolder } from '../support/core.ts';
import { type FeedRun, pause, runFeed } from '../support/feed-run.ts';

environment({
  GOOGLE_APPLICATION_CREDENTIALS: undefined,
  GOOGLE_CLOUD_PROJECT: undefined,
  METADATA_SERVER_DETECTION: 'none',
  HTTPS_PROXY: undefined,
  HTTP_PROXY: undefined,
});
expectOnlyLoopback();

const planOf = (settings: object) => gcpFeed.plan.parse({ kind: 'gcp', every_s: 1, timeout_s: 2, ...settings });
const reported = ({ reading }: FeedRun) =>
  reading.rows.event.map(({ type, entity, message }) => `${type} ${entity} ${message}`);

/** Credentials of a workload identity: a token from a file, exchanged at a service on loopback (RFC 8693). */
async function identity(token: () => CloudReply): Promise<void> {
  const { url } = await cloudService(() => token());
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'subject'), 'subject-token');
  const file = join(folder, 'credentials.json');
  await writeFile(
    file,
    JSON.stringify({
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/p',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: `${url}/v1/token`,
      credential_source: { file: join(folder, 'subject') },
    }),
  );
  process.env['GOOGLE_APPLICATION_CREDENTIALS'] = file;
}
const granted = (): CloudReply => ({
  body: {
    access_token: 'granted-token',
    issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    token_type: 'Bearer',
    expires_in: 3600,
  },
});

const instance = (name: string, upcoming?: object) => ({
  id: `77${name.length}`,
  name,
  selfLink: `https://www.googleapis.com/compute/v1/projects/p-1/zones/z/instances/${name}`,
  resourceStatus: upcoming === undefined ? {} : { upcomingMaintenance: upcoming },
});
const pending = {
  type: 'SCHEDULED',
  maintenanceStatus: 'PENDING',
  windowStartTime: '2026-03-02T10:00:00Z',
  windowEndTime: '2026-03-02T12:00:00Z',
  maintenanceReasons: ['FAILURE_GPU_XID'],
};

describe('a project by the Compute API', () => {
  test('maintenance of its instances, of all pages, once until it changes', async () => {
    await identity(granted);
    const upcoming = { ...pending };
    const { url, requests } = await cloudService(({ url: path }) =>
      path.includes('pageToken=second')
        ? {
            body: {
              items: {
                'zones/b': { instances: [instance('gpu-node-22')] },
                'zones/c': { warning: { code: 'NO_RESULTS_ON_PAGE' } },
              },
            },
          }
        : { body: { items: { 'zones/a': { instances: [instance('gpu-1', upcoming)] } }, nextPageToken: 'second' } },
    );
    const plan = planOf({ project: 'p-1', filter: 'labels.cluster=a', endpoint: url });
    const run = await runFeed(gcpFeed.open(plan), async (one) => {
      await one.until(() => requests.length >= 4);
      expect(reported(one)).toEqual(['host_degradation instance:775 scheduled maintenance pending: FAILURE_GPU_XID']);
      Object.assign(upcoming, { maintenanceStatus: 'ONGOING' });
      await one.until(({ reading }) => reading.rows.event.length >= 2);
      const before = requests.length;
      await one.until(() => requests.length >= before + 2);
      // Both pages of one more poll were asked for: no event may come of them.
      await pause(100);
    });
    expect(reported(run)).toHaveLength(2);
    // Ongoing maintenance starts at its stated time.
    expect(run.reading.rows.event[1]?.time_ns).toBe(BigInt(Date.UTC(2026, 2, 2, 10)) * 1_000_000n);
    expect(requests[0]?.headers.authorization).toBe('Bearer granted-token');
    expect(requests[0]?.url).toMatch(
      /^\/compute\/v1\/projects\/p-1\/aggregated\/instances\?.*filter=labels.cluster%3Da/,
    );
    expect(run.states).toEqual([{ state: 'up', reason: 'maintenance of 2 instances' }]);
  });

  test.each<[string, CloudReply, RegExp]>([
    [
      'an expired token',
      { status: 401, body: { error: { code: 401, status: 'UNAUTHENTICATED' } } },
      /^the credentials are not accepted/,
    ],
    [
      'no permission',
      { status: 403, body: { error: { code: 403, status: 'PERMISSION_DENIED' } } },
      /^these credentials have no permission to read that/,
    ],
    [
      'too many questions',
      { status: 429, body: { error: { code: 429, status: 'RESOURCE_EXHAUSTED' } } },
      /^too many requests/,
    ],
    ['trouble of theirs', { status: 503, body: 'no' }, /^it answered 503/],
    ['a redirect', { status: 302, body: '', headers: { location: 'http://127.0.0.2/' } }, /./],
    ['garbage', { body: '<html>' }, /no JSON object/],
  ])('%s is one line', async (_, reply, reason) => {
    await identity(granted);
    const { url } = await cloudService(() => reply);
    const run = await runFeed(gcpFeed.open(planOf({ project: 'p-1', endpoint: url })), async (one) => {
      await one.until(({ states: reportedTexts }) => reportedTexts.length > 0);
      // No second line may follow at once; the next poll is two seconds away.
      await pause(100);
    });
    expect(run.states).toEqual([{ state: 'down', reason: expect.stringMatching(reason) }]);
    expect(run.states[0]?.reason).not.toContain('granted-token');
  });

  test('credentials that are refused are one line', async () => {
    await identity(() => ({
      status: 400,
      body: { error: 'invalid_grant', error_description: 'the token has expired' },
    }));
    const { url, requests: asked } = await cloudService(() => ({ body: {} }));
    const run = await runFeed(gcpFeed.open(planOf({ project: 'p-1', endpoint: url })), (one) =>
      one.until(({ states: reported }) => reported.length > 0),
    );
    expect(run.states).toEqual([{ state: 'down', reason: expect.stringMatching(/^the credentials are not accepted/) }]);
    expect(asked).toEqual([]);
  });
});

/** The metadata server of one machine; `change` completes waiting requests. */
async function metadata(flavor = 'Google') {
  const state = { event: 'NONE', etag: 1 };
  const waiting: (() => void)[] = [];
  const headers = () => ({ 'metadata-flavor': flavor, etag: `e${state.etag}` });
  const { url, requests: asked } = await cloudService((request: CloudRequest) => {
    if (request.headers['metadata-flavor'] !== 'Google') return { status: 403, body: 'Missing Metadata-Flavor' };
    if (request.url.endsWith('/instance/id')) return { body: '7788', headers: headers() };
    if (request.url.endsWith('/instance/name')) return { body: 'gpu-node-3', headers: headers() };
    const last = /last_etag=([^&]*)/.exec(request.url)?.[1];
    return { body: state.event, headers: headers(), delay_ms: last === `e${state.etag}` ? 400 : 0 };
  });
  const change = (event: string) => {
    state.event = event;
    state.etag++;
    for (const wake of waiting.splice(0)) wake();
  };
  return { url, asked, change };
}

describe('this machine by its metadata server', () => {
  test('each maintenance is recorded at its start and its end', async () => {
    const server = await metadata();
    const run = await runFeed(gcpFeed.open(planOf({ metadata_endpoint: server.url })), async (one) => {
      await one.until(({ states: reported }) => reported.length > 0);
      for (const event of ['MIGRATE_ON_HOST_MAINTENANCE', 'NONE', 'MIGRATE_ON_HOST_MAINTENANCE', 'NONE']) {
        const before = one.reading.rows.event.length;
        server.change(event);
        await one.until(({ reading }) => reading.rows.event.length > before);
      }
    });
    expect(reported(run)).toEqual([
      'maintenance_started instance:7788 MIGRATE_ON_HOST_MAINTENANCE',
      'host_recovered instance:7788 over: MIGRATE_ON_HOST_MAINTENANCE',
      'maintenance_started instance:7788 MIGRATE_ON_HOST_MAINTENANCE',
      'host_recovered instance:7788 over: MIGRATE_ON_HOST_MAINTENANCE',
    ]);
    expect(server.asked.some(({ url }) => /wait_for_change=true&timeout_sec=1&last_etag=e1/.test(url))).toBe(true);
  });

  test('another service at its address is rejected', async () => {
    const server = await metadata('Other');
    const run = await runFeed(gcpFeed.open(planOf({ metadata_endpoint: server.url })), (one) =>
      one.until(({ states: reported }) => reported.length > 0),
    );
    expect(run.states).toEqual([{ state: 'down', reason: 'what answers is not the metadata server of Google Cloud' }]);
  });
});

test('the connection is tested step by step', async () => {
  const steps = async (settings: object) => {
    const all: FeedCheck[] = [];
    for await (const check of gcpFeed.test?.(planOf(settings), new AbortController().signal) ?? []) all.push(check);
    return all.map(({ step, passed }) => `${passed ? '' : '!'}${step}`).join(' ');
  };
  const server = await metadata();
  expect(await steps({ metadata_endpoint: server.url })).toBe('secret port auth view values');
  await identity(() => ({ status: 400, body: { error: 'invalid_grant' } }));
  expect(await steps({ project: 'p-1', endpoint: server.url })).toBe('!secret');
  await identity(granted);
  const denied = await cloudService(() => ({ status: 403, body: {} }));
  expect(await steps({ project: 'p-1', endpoint: denied.url })).toBe('secret port !view');
});
