import { expect, test } from 'vitest';
import { SharedWork } from '../../src/base/shared-work.ts';

/** Work that ends on request, with a log of starts and aborts. */
function watched() {
  const log: string[] = [];
  const ends: PromiseWithResolvers<string>[] = [];
  const work = new SharedWork((signal) => {
    const end = Promise.withResolvers<string>();
    const number = ends.push(end);
    log.push(`begun ${number}`);
    signal.addEventListener('abort', () => {
      log.push(`given up ${number}`);
      end.reject(signal.reason);
    });
    return end.promise;
  });
  return { work, log, ends };
}

test('several who ask wait for one work, also those who come after it has ended', async () => {
  const { work, log, ends } = watched();
  const both = [work.get(), work.get(new AbortController().signal)];
  ends[0]?.resolve('made');
  expect(await Promise.all(both)).toEqual(['made', 'made']);
  expect(await work.get()).toBe('made');
  expect(log).toEqual(['begun 1']);
});

test('a cancelled requester is rejected at once; the work is aborted with the last, and restarted by the next', async () => {
  const { work, log, ends } = watched();
  const [one, other] = [new AbortController(), new AbortController()];
  const results = [work.get(one.signal), work.get(other.signal)];
  one.abort(new Error('enough'));
  await expect(results[0]).rejects.toThrow('enough');
  expect(log).toEqual(['begun 1']);
  other.abort(new Error('enough too'));
  await expect(results[1]).rejects.toThrow('enough too');
  expect(log).toEqual(['begun 1', 'given up 1']);
  const again = work.get();
  ends[1]?.resolve('made');
  expect(await again).toBe('made');
  await expect(work.get(one.signal)).rejects.toThrow('enough');
});

test('work without cancellation continues, and failed work is restarted', async () => {
  const { work, log, ends } = watched();
  const one = new AbortController();
  const asked = [work.get(), work.get(one.signal)];
  one.abort(new Error('enough'));
  await expect(asked[1]).rejects.toThrow('enough');
  ends[0]?.reject(new Error('broken'));
  await expect(asked[0]).rejects.toThrow('broken');
  const again = work.get();
  ends[1]?.resolve('made');
  expect(await again).toBe('made');
  expect(log).toEqual(['begun 1', 'begun 2']);
});
