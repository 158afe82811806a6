import type { CallContext, Parsed } from '../../../model/contract/index.ts';
import { fail } from '../../../model/problem.ts';
import type { Workspace } from '../workspace.ts';
import { captureHandlers } from './capture.ts';
import { liveFeeds } from './capture-plans.ts';

/** A capture that belongs to the host, not to the window that started it. */
export function liveCaptureHandlers(workspace: Workspace) {
  const { 'capture.run': run } = captureHandlers(workspace);
  return {
    'capture.start': async ({ plan, new_case }: Parsed<'capture.start'>) => {
      await workspace.noImport();
      if (workspace.live.isRunning) fail('capture.running', 'a capture is running', { hint: 'stop it first' });
      // An invalid plan must not close the open case.
      await (await liveFeeds(workspace)).open(plan);
      const stop = new AbortController();
      const events = run({ plan, new_case }, { signal: stop.signal });
      return { case: await workspace.live.start({ events, stop, now: workspace.dependencies.now }) };
    },
    'capture.stop': async () => {
      await workspace.live.stop();
      return {};
    },
    'capture.state': (_: object, { signal }: CallContext) => workspace.live.follow(workspace.dependencies.now, signal),
  };
}
