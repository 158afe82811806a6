import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { azureFeed } from '../../src/main/capture/azure/index.ts';
import type { FeedCheck } from '../../src/model/storage/feed.ts';
import { type CloudReply, cloudService, environment, expectOnlyLoopback } from '../support/cloud-service.ts';
import { temporaryFolder } from '../support/core.ts';
import { type FeedRun, pause, runFeed } from '../support/feed-run.ts';

const SUBSCRIPTION = '00000000-0000-4000-8000-000000000001';
environment({
  TEST_AZURE_TOKEN: 'given-token',
  AZURE_TENANT_ID: '11111111-1111-4111-8111-111111111111',
  AZURE_CLIENT_ID: '22222222-2222-4222-8222-222222222222',
  AZURE_CLIENT_SECRET: 'client-secret-of-the-test',
  NODE_TLS_REJECT_UNAUTHORIZED: '0',
});
expectOnlyLoopback();

const planOf = (settings: object) =>
  azureFeed.plan.parse({
    kind: 'azure',
    subscription: SUBSCRIPTION,
    every_s: 1,
    timeout_s: 2,
    token: 'env:TEST_AZURE_TOKEN',
    ...settings,
  });
const reported = ({ reading }: FeedRun) =>
  reading.rows.event.map(({ type, entity, message }) => `${type} ${entity} ${message}`);

const VM = `/subscriptions/${SUBSCRIPTION}/resourcegroups/g/providers/microsoft.compute/virtualmachines`;
const availability = (name: string, properties: object) => ({
  id: `${VM}/${name}/providers/Microsoft.ResourceHealth/availabilityStatuses/current`,
  properties: { availabilityState: 'Available', ...properties },
});
const down = {
  availabilityState: 'Unavailable',
  title: 'Unavailable',
  reasonType: 'Unplanned',
  occuredTime: '2026-03-01T10:00:00Z',
};
const outage = {
  name: 'BC_1-FXZ',
  properties: {
    eventType: 'ServiceIssue',
    title: 'Virtual machines in a region',
    impactStartTime: '2026-03-01T09:00:00Z',
  },
};

describe('the health of a subscription', () => {
  test('of all pages, once until it changes; a next page on another host is not requested', async () => {
    const elsewhere = await cloudService(() => ({ body: { value: [] } }));
    const state = { first: availability('gpu-vm-1', down) };
    const service = await cloudService(({ url: path }): CloudReply => {
      if (path.includes('/events?')) return { body: { value: [outage], nextLink: `${elsewhere.url}/steal` } };
      if (path.includes('page=2')) return { body: { value: [availability('gpu-vm-2', {})] } };
      return { body: { value: [state.first], nextLink: `${service.url}/next?page=2` } };
    });
    const run = await runFeed(azureFeed.open(planOf({ endpoint: service.url, resource_group: 'g' })), async (one) => {
      await one.until(() => service.requests.length >= 6);
      expect(reported(one)).toEqual([
        `host_degradation instance:${VM}/gpu-vm-1 Unavailable`,
        'host_degradation  Virtual machines in a region',
      ]);
      const resolved = {
        unavailableOccuredTime: '2026-03-01T10:00:00Z',
        resolvedTime: '2026-03-01T10:30:00Z',
        unavailableSummary: 'Unavailable',
      };
      state.first = availability('gpu-vm-1', { recentlyResolved: resolved });
      await one.until(({ reading }) => reading.rows.event.length >= 3);
      const before = service.requests.length;
      await one.until(() => service.requests.length >= before + 3);
      // All pages of one more poll were asked for: no event may come of them.
      await pause(100);
    });
    expect(reported(run).slice(2)).toEqual([`host_recovered instance:${VM}/gpu-vm-1 resolved`]);
    expect(service.requests[0]?.headers.authorization).toBe('Bearer given-token');
    expect(service.requests[0]?.url).toMatch(
      /resourceGroups\/g\/providers\/Microsoft.ResourceHealth\/availabilityStatuses\?api-version=/,
    );
    expect(elsewhere.requests).toEqual([]);
    expect(run.states).toEqual([{ state: 'up', reason: 'the health of 2 resources' }]);
  });

  test.each<[string, CloudReply, RegExp]>([
    [
      'an expired token',
      { status: 401, body: { error: { code: 'ExpiredAuthenticationToken' } } },
      /^the credentials have expired/,
    ],
    [
      'no permission',
      { status: 403, body: { error: { code: 'AuthorizationFailed' } } },
      /^these credentials have no permission to read that/,
    ],
    ['too many questions', { status: 429, body: { error: { code: 'TooManyRequests' } } }, /^too many requests/],
    ['trouble of theirs', { status: 500, body: { error: { code: 'InternalServerError' } } }, /^it answered 500/],
    ['no list', { body: { value: 'none' } }, /answered no list/],
    ['silence', { body: { value: [] }, delay_ms: 3000 }, /did not answer in time/],
  ])('%s is one line', async (_, reply, reason) => {
    const { url } = await cloudService(() => reply);
    const run = await runFeed(azureFeed.open(planOf({ endpoint: url, timeout_s: 1 })), async (one) => {
      await one.until(({ states: reportedTexts }) => reportedTexts.length > 0);
      // No second line may follow at once; the next poll is two seconds away.
      await pause(100);
    });
    expect(run.states).toEqual([{ state: 'down', reason: expect.stringMatching(reason) }]);
    expect(run.states[0]?.reason).not.toContain('given-token');
  });
});

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** An authority that speaks TLS, as the library wants it. */
async function authority(reply: () => CloudReply) {
  const folder = await temporaryFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const options = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=127.0.0.1';
  execFileSync('openssl', ['req', ...options.split(' '), '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const tls = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  const service = await cloudService(({ url, headers }) => {
    const base = `https://${headers.host}/11111111-1111-4111-8111-111111111111`;
    if (url.includes('openid-configuration'))
      return {
        body: {
          issuer: `${base}/v2.0`,
          authorization_endpoint: `${base}/authorize`,
          token_endpoint: `${base}/oauth2/v2.0/token`,
          jwks_uri: `${base}/keys`,
        },
      };
    return reply();
  }, tls);
  return service;
}

describe.skipIf(!hasOpenssl())('credentials of the environment (skipped: openssl is not installed)', () => {
  test('are exchanged for a token, once', async () => {
    const service = await cloudService(() => ({ body: { value: [availability('gpu-vm-1', down)] } }));
    const tokens = await authority(() => ({
      body: { token_type: 'Bearer', expires_in: 3600, access_token: 'library-token' },
    }));
    const settings = { endpoint: service.url, authority: tokens.url, token: null, service_events: false };
    const run = await runFeed(azureFeed.open(planOf(settings)), (one) => one.until(() => service.requests.length >= 2));
    expect(reported(run)).toHaveLength(1);
    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer library-token',
      'Bearer library-token',
    ]);
    expect(tokens.requests.filter(({ url }) => url.includes('/token'))).toHaveLength(1);
  });

  test('that are refused are one line without them', async () => {
    const service = await cloudService(() => ({ body: { value: [] } }));
    const tokens = await authority(() => ({
      status: 401,
      body: { error: 'invalid_client', error_description: 'AADSTS7000222: expired' },
    }));
    const settings = { endpoint: service.url, authority: tokens.url, token: null };
    const run = await runFeed(azureFeed.open(planOf(settings)), (one) =>
      one.until(({ states: reported }) => reported.length > 0, 15_000),
    );
    expect(run.states).toEqual([
      { state: 'down', reason: expect.stringMatching(/^(the credentials are not accepted|no credentials)/) },
    ]);
    expect(JSON.stringify(run.states)).not.toContain('client-secret');
    expect(service.requests).toEqual([]);
  });
});

test('the connection is tested step by step', async () => {
  const steps = async (settings: object) => {
    const all: FeedCheck[] = [];
    for await (const check of azureFeed.test?.(planOf(settings), new AbortController().signal) ?? []) all.push(check);
    return all.map(({ step, passed }) => `${passed ? '' : '!'}${step}`).join(' ');
  };
  const { url } = await cloudService(() => ({ body: { value: [] } }));
  expect(await steps({ endpoint: url })).toBe('secret port auth view values');
  expect(await steps({ endpoint: url, token: 'env:NOBODY_SET_THIS' })).toBe('!secret');
  const denied = await cloudService(() => ({ status: 403, body: { error: { code: 'AuthorizationFailed' } } }));
  expect(await steps({ endpoint: denied.url })).toBe('secret port !view');
});
