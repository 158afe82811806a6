import { onAbort } from '../../../base/on-abort.ts';
import type { CallContext, Parsed } from '../../../model/contract/index.ts';
import { fail } from '../../../model/problem.ts';
import type { Feeds } from '../../../model/storage/feed.ts';
import type { Workspace } from '../workspace.ts';

/** @throws ProblemError capture.unavailable where the host has no live feeds */
export const liveFeeds = async ({ dependencies }: Workspace): Promise<Feeds> =>
  dependencies.feeds?.() ?? fail('capture.unavailable', 'this host has no live feeds');

/** Capture plans: options, validation, connection tests. */
export function capturePlanHandlers(workspace: Workspace) {
  return {
    'capture.kinds': async () =>
      (await liveFeeds(workspace)).kinds.map((kind) => ({
        ...kind,
        fields: kind.fields.map((field) => ({ ...field, choices: [...field.choices] })),
      })),
    'capture.plan': async (plan: Parsed<'capture.plan'>) => {
      const feeds = await liveFeeds(workspace);
      const reading = 'text' in plan ? feeds.readPlan(plan.text) : feeds.writePlan(plan.feeds, plan.before);
      return {
        text: reading.text,
        feeds: reading.feeds === null ? null : reading.feeds.map((feed) => ({ ...feed })),
        problems: [...reading.problems],
      };
    },
    'capture.watch_folder': async () => {
      const feeds = await liveFeeds(workspace);
      const [path] = await workspace.dependencies.host.pickFiles('watch');
      return { folder: path === undefined ? null : await feeds.watchFolder(path) };
    },
    'capture.test': async function* ({ plan }: Parsed<'capture.test'>, { signal }: CallContext) {
      const stop = new AbortController();
      onAbort(signal, () => stop.abort(new Error('stopped')));
      try {
        yield* (await liveFeeds(workspace)).test(plan, stop.signal);
      } finally {
        stop.abort(new Error('stopped'));
      }
    },
    'capture.keep_secret': async ({ name, secret }: Parsed<'capture.keep_secret'>) => {
      await (await liveFeeds(workspace)).keychain.saveSecret(name, secret);
      return {};
    },
    'capture.forget_secret': async ({ name }: Parsed<'capture.forget_secret'>) => ({
      forgotten: await (await liveFeeds(workspace)).keychain.forget(name),
    }),
  };
}
