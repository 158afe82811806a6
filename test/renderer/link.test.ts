import { expect, test } from 'vitest';
import { readLink } from '../../src/renderer/state/link.ts';

const nothing = { case: null, view: null, incident: null, entity: null, time: null };

test('a link names a place by parts, and what cannot be read is left out', () => {
  expect(readLink('')).toBeNull();
  expect(readLink('?token=abc')).toBeNull();
  expect(readLink('?case=a%20b&entity=gpu:node-3/GPU-1&time=2026-05-01T14:25:00.5Z')).toEqual({
    ...nothing,
    case: 'a b',
    entity: 'gpu:node-3/GPU-1',
    time: 1_777_645_500_500_000_000n,
  });
  expect(readLink('?view=causes&incident=inc_1&time=yesterday')).toEqual({
    ...nothing,
    view: 'causes',
    incident: 'inc_1',
  });
  expect(readLink('?view=<b>&entity=nothing&case=')).toBeNull();
});
