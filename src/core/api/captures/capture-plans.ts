import { onAbort } from '../../../base/on-abort.ts';
import type { CallContext, Parsed } from '../../../model/contract/index.ts';
import { fail } from '../../../model/problem.ts';
import type { Feeds } from '../../../model/storage/feed.ts';
import type { Desk } from '../desk.ts';

/** @throws ProblemError capture.unavailable where the host has no live feeds */
export const liveFeeds = async ({ dependencies }: Desk): Promise<Feeds> =>
  dependencies.feeds?.() ?? fail('capture.unavailable', 'this host has no live feeds');

/** Plans of captures: what may be in them, what is wrong with them, whether their feeds can be reached. */
export function capturePlanHandlers(desk: Desk) {
  return {
    'capture.kinds': async () =>
      (await liveFeeds(desk)).kinds.map((kind) => ({
        ...kind,
        fields: kind.fields.map((field) => ({ ...field, choices: [...field.choices] })),
      })),
    'capture.plan': async (given: Parsed<'capture.plan'>) => {
      const feeds = await liveFeeds(desk);
      const reading = 'text' in given ? feeds.readPlan(given.text) : feeds.writePlan(given.feeds, given.before);
      return {
        text: reading.text,
        feeds: reading.feeds === null ? null : reading.feeds.map((feed) => ({ ...feed })),
        problems: [...reading.problems],
      };
    },
    'capture.test': async function* ({ plan }: Parsed<'capture.test'>, { signal }: CallContext) {
      const stop = new AbortController();
      onAbort(signal, () => stop.abort(new Error('stopped')));
      try {
        yield* (await liveFeeds(desk)).test(plan, stop.signal);
      } finally {
        stop.abort(new Error('stopped'));
      }
    },
    'capture.keep_secret': async ({ name, secret }: Parsed<'capture.keep_secret'>) => {
      await (await liveFeeds(desk)).keychain.keep(name, secret);
      return {};
    },
    'capture.forget_secret': async ({ name }: Parsed<'capture.forget_secret'>) => ({
      forgotten: await (await liveFeeds(desk)).keychain.forget(name),
    }),
  };
}
