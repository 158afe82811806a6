import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { HealthClient } from '@aws-sdk/client-health';
import type { Feed, FeedCheck } from '../../../model/storage/feed.ts';
import { awsHealth } from '../../sources/aws-health/index.ts';
import { cloudwatch } from '../../sources/cloudwatch/index.ts';
import { checkCloud } from '../cloud/check.ts';
import { type CloudAnswer, pollCloud } from '../cloud/poll.ts';
import { whyNot } from '../cloud/why-not.ts';
import type { FeedKind } from '../feed-kind.ts';
import { healthSince } from './health.ts';
import { metricsSince } from './metrics.ts';
import { type AwsPlan, awsPlanSchema } from './plan.ts';

/** The region that serves AWS Health for a partition (AWS Health endpoints and quotas). */
const healthRegionOf = (region: string): string =>
  region.startsWith('us-gov-') ? 'us-gov-west-1' : region.startsWith('cn-') ? 'cn-northwest-1' : 'us-east-1';
/** Health events appear some time after their update, and points after their period. */
const OVERLAP_MS = 15 * 60_000;

/** AWS Health and CloudWatch, with the credentials of the environment, the shared configuration or the instance. */
export const awsFeed: FeedKind<typeof awsPlanSchema> = {
  kind: 'aws',
  plan: awsPlanSchema,
  ambientCredentials: 'the AWS credentials of this machine',
  open: (plan): Feed => ({
    name: nameOf(plan),
    format: 'aws-live',
    stampedBy: 'sender',
    about: plan.endpoint ?? plan.region,
    async run(sink, signal) {
      const account = await Account.of(plan);
      try {
        await pollCloud(
          { every_s: plan.every_s, stampedBy: 'sender', whyNot, poll: (stop) => account.poll(stop) },
          sink,
          signal,
        );
      } finally {
        account.close();
      }
    },
  }),
  test,
};

const nameOf = ({ name, region }: AwsPlan): string => name ?? `AWS ${region}`;

/** The clients of one account. */
class Account {
  private readonly plan: AwsPlan;
  private readonly health: HealthClient | null;
  private readonly metrics: CloudWatchClient | null;
  private from: Date;
  private isFirst = true;

  private constructor(plan: AwsPlan, health: HealthClient | null, metrics: CloudWatchClient | null) {
    this.plan = plan;
    this.health = health;
    this.metrics = metrics;
    this.from = new Date(Date.now() - plan.history_s * 1000);
  }

  /** Loads the SDK on demand. */
  static async of(plan: AwsPlan): Promise<Account> {
    const timeout = plan.timeout_s * 1000;
    const common = {
      maxAttempts: 2,
      requestHandler: {
        requestTimeout: timeout,
        connectionTimeout: Math.min(timeout, 5000),
        throwOnRequestTimeout: true,
      },
      ...(plan.profile === null ? {} : { profile: plan.profile }),
      ...(plan.endpoint === null ? {} : { endpoint: plan.endpoint }),
    };
    const health = plan.health
      ? new (await import('@aws-sdk/client-health')).HealthClient({ ...common, region: healthRegionOf(plan.region) })
      : null;
    const metrics =
      plan.instances.length > 0
        ? new (await import('@aws-sdk/client-cloudwatch')).CloudWatchClient({ ...common, region: plan.region })
        : null;
    return new Account(plan, health, metrics);
  }

  close(): void {
    this.health?.destroy();
    this.metrics?.destroy();
  }

  /** @throws errors of the SDK */
  async credentials(): Promise<string> {
    const { accessKeyId } = (await (this.health ?? this.metrics)?.config.credentials()) ?? { accessKeyId: '' };
    return `found the credentials of the key ${accessKeyId.slice(0, 4)}…`;
  }

  /** @throws errors of the SDK */
  async poll(signal: AbortSignal): Promise<{ answers: readonly CloudAnswer[]; about: string }> {
    const began = Date.now();
    const answers: CloudAnswer[] = [];
    const events = this.health ? await healthSince(this.health, { from: this.from, isOpen: this.isFirst }, signal) : [];
    if (events.length > 0) answers.push({ source: awsHealth, name: nameOf(this.plan), answers: events });
    if (this.metrics)
      for (const answer of await metricsSince(this.metrics, this.plan, this.from, signal))
        answers.push({ source: cloudwatch, name: nameOf(this.plan), answers: [answer] });
    this.isFirst = false;
    // Move the start time only after a successful poll.
    this.from = new Date(Math.max(this.from.getTime(), began - Math.max(OVERLAP_MS, 3 * this.plan.period_s * 1000)));
    const parts = [
      this.health ? 'AWS Health' : '',
      this.metrics ? `metrics of ${this.plan.instances.length} instances` : '',
    ];
    return { answers, about: parts.filter(Boolean).join(' and ') };
  }
}

async function* test(plan: AwsPlan, signal: AbortSignal): AsyncGenerator<FeedCheck> {
  const account = await Account.of(plan);
  const service = plan.health ? `health.${healthRegionOf(plan.region)}` : `monitoring.${plan.region}`;
  try {
    yield* checkCloud(
      {
        endpoint: plan.endpoint ?? `https://${service}.amazonaws.com${plan.region.startsWith('cn-') ? '.cn' : ''}`,
        credentials: () => account.credentials(),
        poll: (stop) => account.poll(stop),
        whyNot,
        hint: 'set AWS_PROFILE or the access keys in the environment, or log in again (aws sso login)',
      },
      signal,
    );
  } finally {
    account.close();
  }
}
