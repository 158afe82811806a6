import { feeds } from '../../src/main/capture/index.ts';
import type { CaptureEvent } from '../../src/model/contract/index.ts';
import { openTestCore, type TestCore } from './core.ts';

/** Waits for the first event that fits, among those after the one that was waited for before. */
export type Until = (happened: (event: CaptureEvent) => boolean) => Promise<void>;
export interface Captured {
  readonly core: TestCore;
  readonly events: readonly CaptureEvent[];
}

export const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
export const isState =
  (state: 'up' | 'down', reason = /./) =>
  (event: CaptureEvent): boolean =>
    event.kind === 'feed' && event.state === state && reason.test(event.reason);

/** Runs a plan for as long as something else takes. */
export async function captureWhile(plan: string, whileRunning: (until: Until) => Promise<void>): Promise<Captured> {
  const core = await openTestCore(undefined, { feeds });
  const stop = new AbortController();
  const events: CaptureEvent[] = [];
  let seen = 0;
  const until: Until = async (happened) => {
    for (;;) {
      const found = events.findIndex((event, at) => at >= seen && happened(event));
      if (found >= 0) {
        seen = found + 1;
        return;
      }
      await pause(20);
    }
  };
  const working = whileRunning(until).finally(() => stop.abort());
  for await (const event of core.api['capture.run']({ plan }, { signal: stop.signal })) events.push(event);
  await working;
  return { core, events };
}

export const sqlRows = async (core: TestCore, sql: string): Promise<readonly (readonly unknown[])[]> =>
  (await core.api['query.sql']({ sql })).rows;

export const remarksOf = async (core: TestCore): Promise<readonly string[]> =>
  (await core.api['case.current']({}))?.sources[0]?.remarks ?? [];
