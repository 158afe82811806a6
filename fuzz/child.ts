// One target until it is told to stop or the time is up, in a process of its own: what hangs or dies takes only itself.
import { type Run, runTarget, saveInput } from './run-target.ts';
import { targets } from './targets.ts';

export interface Order {
  readonly id: string;
  readonly seed: number;
  readonly seconds: number;
}
/** `begun`: the input that is tried now lies in this file. */
export type Message =
  | { readonly kind: 'begun'; readonly seed: number; readonly file: string }
  | ({ readonly kind: 'ran' } & Run);

/** More of them are hardly ever more defects. */
const MAX_CRASHES = 3;
/** Inputs per seed: few enough that a seed is tried again in seconds. */
const INPUTS = 50;
const REPORT_INTERVAL_MS = 200;
const send = (message: Message): Promise<unknown> =>
  new Promise((resolve) => process.send?.(message, undefined, {}, resolve));

process.once('message', async ({ id, seed, seconds }: Order) => {
  const target = await targets.get(id)?.();
  if (!target) throw new Error(`nothing is called ${id}`);
  const until = Date.now() + seconds * 1000;
  let lastReport_ms = 0;
  let crashes = 0;
  for (let next = seed; Date.now() < until && crashes < MAX_CRASHES; next++) {
    const before = (input: Parameters<typeof saveInput>[1]): void => {
      const file = saveInput(`${id}-now`, input);
      if (Date.now() - lastReport_ms < REPORT_INTERVAL_MS) return;
      lastReport_ms = Date.now();
      void send({ kind: 'begun', seed: next, file });
    };
    const run = await runTarget(target, { seed: next, inputs: INPUTS, before });
    if (run.crash) crashes++;
    await send({ kind: 'ran', ...run });
  }
  process.disconnect?.();
});
