import { describe, expect, test } from 'vitest';
import { awsFeed } from '../../src/main/capture/aws/index.ts';
import { feeds } from '../../src/main/capture/index.ts';
import type { FeedCheck } from '../../src/model/storage/feed.ts';
import {
  type CloudReply,
  type CloudRequest,
  cloudService,
  environment,
  expectOnlyLoopback,
} from '../support/cloud-service.ts';
import { type FeedRun, pause, runFeed } from '../support/feed-run.ts';
import { samplesOf } from '../support/read-source.ts';

environment({
  AWS_ACCESS_KEY_ID: 'AKIATESTTESTTEST',
  AWS_SECRET_ACCESS_KEY: 'a-secret-key-of-the-test',
  AWS_SESSION_TOKEN: undefined,
  AWS_PROFILE: undefined,
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_CONFIG_FILE: '/nonexistent/config',
  AWS_SHARED_CREDENTIALS_FILE: '/nonexistent/credentials',
});
expectOnlyLoopback();

const ARN = 'arn:aws:health:us-east-1::event/EC2/AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED/1';
const OPEN = 'arn:aws:health:us-east-1::event/EC2/AWS_EC2_POWER_ISSUE/2';
const GPU_NODE = 'i-0123456789abcdef0';
/** Seconds since 1970, as the protocol writes times. */
const T = Date.UTC(2026, 2, 1, 10) / 1000;

const event = (arn: string, more: object) => ({
  arn,
  service: 'EC2',
  eventTypeCode: arn.split('/')[2],
  region: 'us-east-1',
  ...more,
});
const issue = { eventTypeCategory: 'issue', startTime: T, lastUpdatedTime: T + 60 };

interface Account {
  statusCode: string;
  endTime?: number;
}
/** Health and CloudWatch as they answer on the wire (AWS JSON 1.1 and 1.0), an event a page. */
function answersOf(account: Account): (request: CloudRequest) => CloudReply {
  return ({ headers, body }) => {
    const input = JSON.parse(body) as Record<string, never> & { nextToken?: string; NextToken?: string };
    const retirement = {
      eventTypeCategory: 'scheduledChange',
      startTime: T + 86_400,
      lastUpdatedTime: T,
      statusCode: 'upcoming',
    };
    switch (String(headers['x-amz-target']).split('.')[1]) {
      case 'DescribeEvents':
        return input.nextToken
          ? { body: { events: [event(OPEN, { ...issue, ...account })] } }
          : { body: { events: [event(ARN, retirement)], nextToken: 'more' } };
      case 'DescribeEventDetails':
        return {
          body: {
            successfulSet: [
              { event: event(ARN, retirement), eventDescription: { latestDescription: 'It will be retired.' } },
            ],
          },
        };
      case 'DescribeAffectedEntities':
        return input.nextToken
          ? { body: { entities: [{ eventArn: OPEN, entityValue: GPU_NODE }] } }
          : { body: { entities: [{ eventArn: ARN, entityValue: GPU_NODE }], nextToken: 'more' } };
      case 'GetMetricData':
        return input.NextToken
          ? {
              body: {
                MetricDataResults: [
                  { Id: 'm1', Label: `${GPU_NODE} StatusCheckFailed_System`, Timestamps: [T], Values: [1] },
                ],
              },
            }
          : {
              body: {
                MetricDataResults: [
                  { Id: 'm0', Label: `${GPU_NODE} CPUUtilization`, Timestamps: [T, T + 300], Values: [12.5, 99] },
                ],
                NextToken: 'more',
              },
            };
      default:
        return { status: 400, body: { __type: 'UnknownOperationException' } };
    }
  };
}

const planOf = (settings: object) =>
  awsFeed.plan.parse({ kind: 'aws', region: 'us-east-1', every_s: 1, timeout_s: 2, ...settings });
const messages = ({ reading }: FeedRun) =>
  reading.rows.event.map(({ type, entity, message }) => `${type} ${entity} ${message}`);

test('health events of several pages with their resources, once; the end of an issue when it comes', async () => {
  const account: Account = { statusCode: 'open' };
  const { url, requests } = await cloudService((request) => answersOf(account)(request));
  const run = await runFeed(awsFeed.open(planOf({ endpoint: url })), async (one) => {
    await one.until(({ reading }) => reading.rows.event.length >= 2);
    await one.until(() => requests.length > 18);
    expect(messages(one)).toHaveLength(2);
    Object.assign(account, { statusCode: 'closed', endTime: T + 3600 });
    await one.until(({ reading }) => reading.rows.event.length >= 3);
    const before = requests.length;
    await one.until(() => requests.length >= before + 2);
    // Both pages of events were asked for once more: no event may come of them.
    await pause(200);
  });
  expect(messages(run).sort()).toEqual([
    `host_degradation instance:${GPU_NODE} AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED: It will be retired.`,
    `host_degradation instance:${GPU_NODE} AWS_EC2_POWER_ISSUE: `,
    `host_recovered instance:${GPU_NODE} AWS_EC2_POWER_ISSUE: closed`,
  ]);
  expect(run.reading.rows.reject).toEqual([]);
  expect(run.states).toEqual([{ state: 'up', reason: 'AWS Health' }]);
  expect(requests[0]?.headers.authorization).toMatch(/Credential=AKIATESTTESTTEST\/.*\/us-east-1\/health\//);
  expect(JSON.stringify([run.states, [...run.reading.remarks]])).not.toContain('a-secret-key');
});

test('rows that did not fit are delivered once there is room', async () => {
  const { url, requests: asked } = await cloudService(answersOf({ statusCode: 'open' }));
  const run = await runFeed(awsFeed.open(planOf({ endpoint: url })), async (one) => {
    one.isFull = true;
    await one.until(() => asked.length > 14);
    expect(messages(one)).toEqual([]);
    one.isFull = false;
    await one.until(({ reading }) => reading.rows.event.length > 0);
  });
  expect(messages(run)).toHaveLength(2);
  expect(run.lost()).toBe(0);
});

test('metrics of instances by their names, each point once', async () => {
  const { url, requests: asked } = await cloudService(answersOf({ statusCode: 'open' }));
  const settings = {
    endpoint: url,
    health: false,
    instances: [GPU_NODE],
    metrics: ['CPUUtilization', 'StatusCheckFailed_System'],
  };
  const run = await runFeed(awsFeed.open(planOf(settings)), async (one) => {
    await one.until(() => asked.length >= 6);
  });
  const samples = samplesOf({ ...run.reading, remarks: [] }).map(({ entity, metric, value, time_ns }) => [
    entity,
    metric,
    value,
    time_ns,
  ]);
  const at = (seconds: number) => BigInt(seconds) * 1_000_000_000n;
  expect(samples).toEqual([
    [`instance:${GPU_NODE}`, 'system.cpu.utilization', 12.5, at(T)],
    [`instance:${GPU_NODE}`, 'system.cpu.utilization', 99, at(T + 300)],
    [`instance:${GPU_NODE}`, 'cloud.status_check.failed', 1, at(T)],
  ]);
  const query = JSON.parse(asked[0]?.body ?? '{}') as {
    EndTime: number;
    MetricDataQueries: { MetricStat: object }[];
  };
  // Only complete periods are polled.
  expect(query.EndTime % 300).toBe(0);
  expect(query.EndTime).toBeLessThanOrEqual(Date.now() / 1000 - 120);
  expect(query.MetricDataQueries.map(({ MetricStat }) => MetricStat)).toMatchObject([
    { Stat: 'Average' },
    { Stat: 'Maximum' },
  ]);
});

describe('each failure is one line', () => {
  test.each<[string, CloudReply, RegExp]>([
    [
      'expired credentials',
      { status: 400, body: { __type: 'ExpiredTokenException', message: 'The security token' } },
      /^the credentials have expired.*ExpiredTokenException, 400\)$/,
    ],
    [
      'unknown credentials',
      { status: 403, body: { __type: 'UnrecognizedClientException' } },
      /^the credentials are not accepted/,
    ],
    [
      'no permission',
      { status: 400, body: { __type: 'AccessDeniedException' } },
      /^these credentials have no permission to read that/,
    ],
    ['no support plan', { status: 400, body: { __type: 'SubscriptionRequiredException' } }, /no support plan/],
    ['throttling', { status: 400, body: { __type: 'ThrottlingException' } }, /^too many requests/],
    ['trouble of theirs', { status: 503, body: { __type: 'ServiceUnavailable' } }, /503/],
    ['garbage', { status: 200, body: '<html>' }, /./],
    ['silence', { body: {}, delay_ms: 4000 }, /did not answer in time/],
  ])('%s', async (_, reply, reason) => {
    const { url, requests: asked } = await cloudService(() => reply);
    const run = await runFeed(awsFeed.open(planOf({ endpoint: url, timeout_s: 1 })), async (one) => {
      await one.until(({ states: reportedTexts }) => reportedTexts.length > 0, 15_000);
      const before = asked.length;
      // Real time is the subject: the interval grows, at first to two seconds, so longer than the one of the plan.
      await pause(1200);
      expect(asked.length - before).toBeLessThanOrEqual(2);
    });
    expect(run.states).toEqual([{ state: 'down', reason: expect.stringMatching(reason) }]);
    expect(run.states[0]?.reason).toMatch(/^[^\n]{10,300}$/);
    expect(run.states[0]?.reason).not.toMatch(/a-secret-key/);
    expect(run.reading.rows.event).toEqual([]);
  });

  test('nothing listens, and later something does', async () => {
    const dead = await cloudService(() => ({ body: {} }));
    const closed = dead.url.replace(/:\d+$/, ':9');
    const run = await runFeed(awsFeed.open(planOf({ endpoint: closed })), (one) =>
      one.until(({ states: reported }) => reported.length > 0),
    );
    expect(run.states[0]).toEqual({ state: 'down', reason: 'nothing listens there (ECONNREFUSED)' });
    let isBroken = true;
    const { url } = await cloudService((request) =>
      isBroken ? { status: 500, body: {} } : answersOf({ statusCode: 'open' })(request),
    );
    const back = await runFeed(awsFeed.open(planOf({ endpoint: url })), async (one) => {
      await one.until(({ states: reported }) => reported.length > 0);
      isBroken = false;
      await one.until(({ reading }) => reading.rows.event.length > 0, 15_000);
    });
    expect(back.states.map(({ state }) => state)).toEqual(['down', 'up']);
  });
});

async function steps(settings: object): Promise<string> {
  const all: FeedCheck[] = [];
  for await (const check of awsFeed.test?.(planOf(settings), new AbortController().signal) ?? []) all.push(check);
  return all.map(({ step, passed }) => `${passed ? '' : '!'}${step}`).join(' ');
}

test('the connection is tested step by step', async () => {
  const { url } = await cloudService(answersOf({ statusCode: 'open' }));
  expect(await steps({ endpoint: url })).toBe('secret port auth view values');
  const expired = await cloudService(() => ({ status: 400, body: { __type: 'ExpiredTokenException' } }));
  expect(await steps({ endpoint: expired.url })).toBe('secret port !auth');
  const denied = await cloudService(() => ({ status: 400, body: { __type: 'AccessDeniedException' } }));
  expect(await steps({ endpoint: denied.url })).toBe('secret port !view');
  const { AWS_ACCESS_KEY_ID } = process.env;
  delete process.env['AWS_ACCESS_KEY_ID'];
  try {
    expect(await steps({ endpoint: url })).toBe('!secret');
  } finally {
    process.env['AWS_ACCESS_KEY_ID'] = AWS_ACCESS_KEY_ID;
  }
});

test.each([
  [{ region: 'nowhere' }, /is a region/],
  [{ region: 'us-east-1', health: false }, /polls nothing/],
  [{ region: 'us-east-1', instances: ['web-1'] }, /is an instance/],
  [{ region: 'us-east-1', period_s: 7 }, /period_s/],
])('invalid plan: %j', async (settings, reason) => {
  await expect(feeds.open(JSON.stringify({ feeds: [{ kind: 'aws', ...settings }] }))).rejects.toThrow(reason);
});
