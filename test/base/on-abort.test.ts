import { expect, test } from 'vitest';
import { onAbort } from '../../src/base/on-abort.ts';

test('an abort is heard once, also where it has been before, and not by who is no longer interested', () => {
  const received: string[] = [];
  const [early, late, never] = [new AbortController(), new AbortController(), new AbortController()];
  early.abort();
  onAbort(early.signal, () => received.push('early'));
  onAbort(late.signal, () => received.push('late'));
  onAbort(never.signal, () => received.push('never'))();
  onAbort(undefined, () => received.push('none'));
  for (const one of [late, never]) one.abort();
  expect(received).toEqual(['early', 'late']);
});
