import { expect, test } from 'vitest';
import { onAbort } from '../../src/base/on-abort.ts';

test('an abort is heard once, also where it has been before, and not by who is no longer interested', () => {
  const heard: string[] = [];
  const [early, late, never] = [new AbortController(), new AbortController(), new AbortController()];
  early.abort();
  onAbort(early.signal, () => heard.push('early'));
  onAbort(late.signal, () => heard.push('late'));
  onAbort(never.signal, () => heard.push('never'))();
  onAbort(undefined, () => heard.push('nobody'));
  for (const one of [late, never]) one.abort();
  expect(heard).toEqual(['early', 'late']);
});
