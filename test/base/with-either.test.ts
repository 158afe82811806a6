import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { withEither } from '../../src/base/with-either.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** As somebody waits who looks at `aborted` now and then, while the collector runs. */
async function aborted(either: AbortSignal): Promise<unknown> {
  for (let round = 0; round < 60 && !either.aborted; round++) {
    collect();
    await setTimeout(20);
  }
  return either.reason;
}

test('is aborted by a limit of time without other references, even if the collector runs and there are no listeners', async () => {
  const reason = await withEither([new AbortController().signal, AbortSignal.timeout(300)], aborted);
  expect(reason).toMatchObject({ name: 'TimeoutError' });
});

test('has the reason of the first that was aborted, before it began or later, and lets go of all of them', async () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const later = withEither([first.signal, second.signal], aborted);
  second.abort('second');
  first.abort('first');
  expect(await later).toBe('second');
  expect(await withEither([first.signal], async ({ reason }) => reason)).toBe('first');

  const survivor = new AbortController();
  const either = await withEither([survivor.signal], async (signal) => signal);
  survivor.abort();
  expect(either.aborted).toBe(false);
  await expect(withEither([survivor.signal], () => Promise.reject(new Error('of the work')))).rejects.toThrow(
    'of the work',
  );
});
