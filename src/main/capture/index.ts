import { setTimeout } from 'node:timers/promises';
import { fail, ProblemError } from '../../model/problem.ts';
import type { FeedCheck, Feeds, FeedTestEvent } from '../../model/storage/feed.ts';
import { awsFeed } from './aws/index.ts';
import { azureFeed } from './azure/index.ts';
import { concurrently } from './concurrently.ts';
import { failed } from './connection-checks.ts';
import type { AnyFeedKind } from './feed-kind.ts';
import { flightRecorderFeed } from './flight-recorder/index.ts';
import { gcpFeed } from './gcp/index.ts';
import { kernelLogFeed } from './kernel-log/index.ts';
import { kubernetesFeed } from './kubernetes/index.ts';
import { logTailFeed } from './log-tail/index.ts';
import { nvidiaTopologyFeed } from './nvidia-topology/index.ts';
import { nvmlFeed } from './nvml/index.ts';
import { otlpFeed } from './otlp/index.ts';
import { keychain } from './plan/keychain.ts';
import { type CheckedFeed, PlanFile } from './plan/plan-file.ts';
import { formOfPlan, needsLocalPath } from './plan/plan-form.ts';
import { reachOf } from './plan/reach.ts';
import { SecretHosts } from './plan/secret-hosts.ts';
import { prometheusFeed } from './prometheus/index.ts';
import { type PlanTest, pushTests } from './push/push-checks.ts';
import { pushesOf } from './push/pushes.ts';
import { raplFeed } from './rapl/index.ts';
import { redfishFeed } from './redfish/index.ts';
import { snmpFeed } from './snmp/index.ts';
import { snmpTrapsFeed } from './snmp-traps/index.ts';
import { ClockSteps, machineRuns } from './steady-clock.ts';
import { WatchedFolders } from './watched-files/watched-folders.ts';

/** The one list of live feeds. */
const kinds: readonly AnyFeedKind[] = [
  awsFeed,
  azureFeed,
  flightRecorderFeed,
  gcpFeed,
  kernelLogFeed,
  kubernetesFeed,
  logTailFeed,
  nvidiaTopologyFeed,
  nvmlFeed,
  otlpFeed,
  prometheusFeed,
  raplFeed,
  redfishFeed,
  snmpFeed,
  snmpTrapsFeed,
];

/**
 * So many feeds are tested at once: a rack of unresponsive devices takes a minute, and no device gets a hundred
 * requests.
 */
const TESTED_AT_ONCE = 8;

/**
 * Live feeds of a plan.
 *
 * @param mayNameFiles true for plans from the command line, false for plans from a window
 * @param secretHosts which secrets a window's plan may send to which hosts
 * @param offered folders that a window's plan may watch
 */
export function createFeeds(
  mayNameFiles: boolean,
  secretHosts = new SecretHosts(null, null),
  offered = new WatchedFolders(),
): Feeds {
  const folders = mayNameFiles ? null : offered;
  const plans = new PlanFile(kinds, folders);
  const allow = async (feeds: readonly CheckedFeed[]): Promise<void> => {
    if (!mayNameFiles) await secretHosts.allow(feeds.flatMap((feed) => reachOf(plans.of(feed), feed)));
  };
  return {
    open: async (plan) => {
      const { feeds } = plans.checked(plan);
      const opened = feeds.map((feed) => plans.open(feed, feeds));
      const names = opened.map(({ name }) => name);
      const twice = names.find((name, at) => names.indexOf(name) !== at);
      if (twice !== undefined)
        fail('plan.invalid', `two feeds of the plan are called ${twice}`, { hint: 'give each a name of its own' });
      await allow(feeds);
      return folders ? opened.map((feed) => folders.concealedFeed(feed)) : opened;
    },
    pushes: (plan) => pushesOf(plans.checked(plan).push),
    clockSteps: () => new ClockSteps(),
    machineRuns,
    wait: async (milliseconds, signal) => {
      await setTimeout(milliseconds, undefined, { signal }).catch(() => undefined);
    },
    // Built on demand: it takes 50 ms, which every command would pay.
    get kinds() {
      return kinds
        .filter((kind) => mayNameFiles || !needsLocalPath(kind))
        .map((kind) => formOfPlan(kind, folders?.references));
    },
    watchFolder: async (path) => (folders ? folders.add(path) : path),
    readPlan: (text) => plans.read(text),
    writePlan: (plan, before) => plans.write(plan, before),
    test: (plan, signal) => {
      const { feeds, push } = plans.checked(plan);
      const all = [...feeds.map((feed) => feedTest(plans, feed)), ...pushTests(push)];
      return afterwards(
        () => allow(feeds),
        () =>
          concurrently(
            all.map((one, at) => () => testEvents(one, at, { signal, folders })),
            TESTED_AT_ONCE,
          ),
      );
    },
    keychain,
  };
}

/** For plans that may name files. */
export const feeds: Feeds = createFeeds(true);

async function* afterwards<T>(first: () => Promise<void>, then: () => AsyncGenerator<T>): AsyncGenerator<T> {
  await first();
  yield* then();
}

const feedTest = (plans: PlanFile, plan: CheckedFeed): PlanTest => ({
  name: plans.open(plan).name,
  checks: (signal) => checksOf(plans.of(plan), plan, signal),
});

/** @param feed index in the plan, as in `FeedTestEvent` */
async function* testEvents(
  { name, checks }: PlanTest,
  feed: number,
  { signal, folders }: { readonly signal: AbortSignal; readonly folders: WatchedFolders | null },
): AsyncGenerator<FeedTestEvent> {
  let passed = true;
  for await (const check of checks(signal)) {
    passed &&= check.passed;
    yield { kind: 'check', feed, name, check: folders ? folders.concealedCheck(check) : check };
  }
  yield { kind: 'tested', feed, name, passed };
}

async function* checksOf(kind: AnyFeedKind, plan: CheckedFeed, signal: AbortSignal): AsyncGenerator<FeedCheck> {
  try {
    yield* kind.test(plan, signal);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    yield failed('values', error.problem.message, error.problem.hint);
  }
}
