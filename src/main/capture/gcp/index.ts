import { fail } from '../../../model/problem.ts';
import type { Feed, FeedCheck, FeedClock } from '../../../model/storage/feed.ts';
import { gcpHealth } from '../../sources/gcp-health/index.ts';
import { checkCloud } from '../cloud/check.ts';
import { pages } from '../cloud/fetch-json.ts';
import { type CloudAnswer, pollCloud } from '../cloud/poll.ts';
import { whyNot } from '../cloud/why-not.ts';
import type { FeedKind } from '../feed-kind.ts';
import { MaintenanceWatch } from './metadata.ts';
import { type GcpPlan, gcpPlanSchema } from './plan.ts';

const SCOPE = 'https://www.googleapis.com/auth/compute.readonly';

/**
 * Maintenance of instances: of a project by the Compute API, with application default credentials, or of this machine
 * by the metadata server, without credentials.
 */
export const gcpFeed: FeedKind<typeof gcpPlanSchema> = {
  kind: 'gcp',
  plan: gcpPlanSchema,
  ambientCredentials: 'the Google Cloud credentials of this machine',
  open: (plan): Feed => ({
    name: nameOf(plan),
    format: 'gcp-live',
    stampedBy: clockOf(plan),
    about: plan.project === null ? plan.metadata_endpoint : plan.endpoint,
    async run(sink, signal) {
      const { poll } = await pollerOf(plan);
      await pollCloud({ every_s: plan.every_s, stampedBy: clockOf(plan), whyNot, poll }, sink, signal);
    },
  }),
  test: async function* (plan, signal): AsyncGenerator<FeedCheck> {
    let poller: HealthPoller | null = null;
    yield* checkCloud(
      {
        endpoint: plan.project === null ? plan.metadata_endpoint : plan.endpoint,
        credentials: async () => {
          poller = await pollerOf(plan);
          return await poller.credentials();
        },
        poll: async (stop) => (await (poller ?? pollerOf(plan))).poll(stop),
        whyNot,
        hint: 'log in (gcloud auth application-default login), or set GOOGLE_APPLICATION_CREDENTIALS',
      },
      signal,
    );
  },
};

/** The metadata server gives no times. */
const clockOf = ({ project }: GcpPlan): FeedClock => (project === null ? 'here' : 'sender');

const nameOf = ({ name, project }: GcpPlan): string => name ?? `GCP ${project ?? 'metadata'}`;

interface HealthPoller {
  poll(signal: AbortSignal): Promise<{ answers: readonly CloudAnswer[]; about: string }>;
  /** @returns a text for people */
  credentials(): Promise<string>;
}

async function pollerOf(plan: GcpPlan): Promise<HealthPoller> {
  if (plan.project === null) {
    const watch = new MaintenanceWatch(plan);
    return { poll: (signal) => watch.poll(signal), credentials: async () => 'the metadata server needs none' };
  }
  // Loaded on demand.
  const { GoogleAuth } = await import('google-auth-library');
  // Set the project, or the library would request it from other services.
  const auth = new GoogleAuth({ scopes: SCOPE, projectId: plan.project });
  const token = async () =>
    (await auth.getAccessToken()) ?? fail('feed.no_credentials', 'no credentials found at their usual places');
  return {
    poll: async (signal) => await instances(plan, await token(), signal),
    credentials: async () => {
      await token();
      return 'an access token is available';
    },
  };
}

/** All instances of a project, by zones (compute v1, instances.aggregatedList). */
async function instances(
  { project, filter, endpoint, timeout_s, name }: GcpPlan,
  token: string,
  signal: AbortSignal,
): Promise<{ answers: readonly CloudAnswer[]; about: string }> {
  const base = `${endpoint.replace(/\/+$/, '')}/compute/v1/projects/${project}/aggregated/instances`;
  const query = { returnPartialSuccess: 'true', maxResults: '500', ...(filter === null ? {} : { filter }) };
  const urlOf = (more: Readonly<Record<string, string>>) => `${base}?${new URLSearchParams({ ...query, ...more })}`;
  const first = { url: urlOf({}), headers: { authorization: `Bearer ${token}` }, timeout_s, signal };
  const answers: CloudAnswer[] = [];
  let count = 0;
  for await (const page of pages(first, ({ nextPageToken }) =>
    typeof nextPageToken === 'string' && nextPageToken !== '' ? urlOf({ pageToken: nextPageToken }) : undefined,
  )) {
    const zones = Object.values((page['items'] ?? {}) as Readonly<Record<string, { readonly instances?: unknown[] }>>);
    const items = zones.flatMap((zone) => (Array.isArray(zone?.instances) ? zone.instances : []));
    count += items.length;
    if (items.length > 0) answers.push({ source: gcpHealth, name: name ?? `GCP ${project}`, answers: [{ items }] });
  }
  return { answers, about: `maintenance of ${count} instances` };
}
