import { feeds } from '../../src/main/capture/index.ts';
import type { CaptureEvent } from '../../src/model/contract/index.ts';
import type { Feeds } from '../../src/model/storage/feed.ts';
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

const FLUSH_MS = 100;
/** They store what came ten times a second, so that a test waits for its rows no longer than it has to. */
const quickFeeds: Feeds = {
  ...feeds,
  wait: (milliseconds, signal) => feeds.wait(Math.min(FLUSH_MS, milliseconds), signal),
};

/** Runs a plan for as long as something else takes. */
export async function captureWhile(
  plan: string,
  whileRunning: (until: Until, core: TestCore) => Promise<void>,
): Promise<Captured> {
  const core = await openTestCore(undefined, { feeds: quickFeeds });
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
  const working = whileRunning(until, core).finally(() => stop.abort());
  // It is thrown below, once the capture has ended.
  working.catch(() => undefined);
  for await (const event of core.api['capture.run']({ plan }, { signal: stop.signal })) events.push(event);
  await working;
  return { core, events };
}

export const sqlRows = async (core: TestCore, sql: string): Promise<readonly (readonly unknown[])[]> =>
  (await core.api['query.sql']({ sql })).rows;

const PATIENCE_MS = 20_000;

/** Settles when a query of one number gives at least so much. @throws when it does not within 20 seconds */
export async function reaches(core: TestCore, sql: string, least: number): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = Number((await sqlRows(core, sql))[0]?.[0] ?? 0);
    if (found >= least) return;
    if (performance.now() > end) throw new Error(`${found} instead of ${least} after ${PATIENCE_MS / 1000} s: ${sql}`);
    await pause(20);
  }
}

export const remarksOf = async (core: TestCore): Promise<readonly string[]> =>
  (await core.api['case.current']({}))?.sources[0]?.remarks ?? [];
