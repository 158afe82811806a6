import type { CallContext, Parsed } from '../../../model/contract/index.ts';
import { fail } from '../../../model/problem.ts';
import type { Desk } from '../desk.ts';
import { captureHandlers } from './capture.ts';
import { liveFeeds } from './capture-plans.ts';

/** A capture that belongs to the host, not to the window that began it. */
export function liveCaptureHandlers(desk: Desk) {
  const { 'capture.run': run } = captureHandlers(desk);
  return {
    'capture.start': async ({ plan, new_case }: Parsed<'capture.start'>) => {
      await desk.noImport();
      if (desk.live.isRunning) fail('capture.running', 'a capture is running', { hint: 'stop it first' });
      // A plan that is none must not cost the open case.
      await (await liveFeeds(desk)).open(plan);
      const stop = new AbortController();
      const events = run({ plan, new_case }, { signal: stop.signal });
      return { case: await desk.live.start({ events, stop, now: desk.dependencies.now }) };
    },
    'capture.stop': async () => {
      await desk.live.stop();
      return {};
    },
    'capture.state': (_: object, { signal }: CallContext) => desk.live.follow(desk.dependencies.now, signal),
  };
}
