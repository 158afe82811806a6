import type { TokenCredential } from '@azure/identity';
import { fail } from '../../../model/problem.ts';
import type { Feed, FeedCheck } from '../../../model/storage/feed.ts';
import { azureHealth } from '../../sources/azure-health/index.ts';
import { checkCloud } from '../cloud/check.ts';
import { pages } from '../cloud/fetch-json.ts';
import { type CloudAnswer, pollCloud } from '../cloud/poll.ts';
import { whyNot } from '../cloud/why-not.ts';
import type { FeedKind } from '../feed-kind.ts';
import { secret } from '../plan/secret.ts';
import { type AzurePlan, azurePlanSchema } from './plan.ts';

/** Of Microsoft.ResourceHealth (azure-rest-api-specs, resourcehealth, stable). */
const VERSION = '2024-02-01';

/**
 * Azure Resource Health and Service Health over REST: the SDK's models spell members differently from recordings.
 * Credentials come from the environment, a managed identity, or the Azure command line.
 */
export const azureFeed: FeedKind<typeof azurePlanSchema> = {
  kind: 'azure',
  plan: azurePlanSchema,
  ambientCredentials: 'the Azure credentials of this machine',
  open: (plan): Feed => ({
    name: nameOf(plan),
    format: 'azure-live',
    stampedBy: 'sender',
    about: plan.endpoint,
    async run(sink, signal) {
      const token = await tokensOf(plan);
      await pollCloud(
        { every_s: plan.every_s, stampedBy: 'sender', whyNot, poll: (stop) => poll(plan, token, stop) },
        sink,
        signal,
      );
    },
  }),
  test: async function* (plan, signal): AsyncGenerator<FeedCheck> {
    let token: Tokens = async () => '';
    yield* checkCloud(
      {
        endpoint: plan.endpoint,
        credentials: async (stop) => {
          token = await tokensOf(plan);
          await token(stop);
          return 'an access token is available';
        },
        poll: (stop) => poll(plan, token, stop),
        whyNot,
        hint: 'log in (az login), or set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET',
      },
      signal,
    );
  },
};

const nameOf = ({ name, subscription }: AzurePlan): string => name ?? `Azure ${subscription.slice(0, 8)}`;

/** Returns a valid token; the library caches it until it expires. */
type Tokens = (signal: AbortSignal) => Promise<string>;

/** @throws ProblemError feed.no_secret */
async function tokensOf({ token, endpoint, authority }: AzurePlan): Promise<Tokens> {
  if (token !== null) {
    const plan = await secret(token);
    return async () => plan;
  }
  // Loaded on demand.
  const { DefaultAzureCredential } = await import('@azure/identity');
  const own = authority === null ? {} : { authorityHost: authority, disableInstanceDiscovery: true };
  const credential: TokenCredential = new DefaultAzureCredential(own);
  return async (signal) => {
    const answer = await credential.getToken(`${endpoint.replace(/\/+$/, '')}/.default`, { abortSignal: signal });
    return answer?.token ?? fail('feed.no_credentials', 'no credentials found at their usual places');
  };
}

async function poll(
  plan: AzurePlan,
  tokens: Tokens,
  signal: AbortSignal,
): Promise<{ answers: readonly CloudAnswer[]; about: string }> {
  const headers = { authorization: `Bearer ${await tokens(signal)}` };
  const base = plan.endpoint.replace(/\/+$/, '');
  const subscription = `${base}/subscriptions/${plan.subscription}`;
  const scope = plan.resource_group === null ? subscription : `${subscription}/resourceGroups/${plan.resource_group}`;
  const urls = [`${scope}/providers/Microsoft.ResourceHealth/availabilityStatuses?api-version=${VERSION}`];
  if (plan.service_events)
    urls.push(`${subscription}/providers/Microsoft.ResourceHealth/events?api-version=${VERSION}`);
  const answers: CloudAnswer[] = [];
  let machines = 0;
  for (const [i, url] of urls.entries())
    for await (const page of pages({ url, headers, timeout_s: plan.timeout_s, signal }, (one) => nextOf(one, base))) {
      const { value } = page;
      if (!Array.isArray(value)) fail('feed.garbage', 'it answered no list');
      if (i === 0) machines += value.length;
      if (value.length > 0) answers.push({ source: azureHealth, name: nameOf(plan), answers: [page] });
    }
  return { answers, about: `the health of ${machines} resources` };
}

/** The next page, only at the plan's endpoint, because it gets the token. */
function nextOf({ nextLink }: Readonly<Record<string, unknown>>, base: string): string | undefined {
  if (typeof nextLink !== 'string' || !URL.canParse(nextLink)) return undefined;
  return new URL(nextLink).origin === new URL(base).origin ? nextLink : undefined;
}
