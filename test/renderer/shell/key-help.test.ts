import { expect, test } from 'vitest';
import { keysLike } from '../../../src/renderer/shell/key-help.ts';

test('keys are grouped by where they work, and a search keeps those with all of its words', () => {
  expect(keysLike('').map(({ title }) => title)).toEqual([
    'Everywhere',
    'Time',
    'Timeline lanes',
    'Selected item',
    'Traces, flame graph, map',
  ]);
  expect(keysLike('playhead move')).toMatchObject([{ title: 'Time', keys: [{ keys: '← →' }] }]);
  expect(keysLike('lanes hide').flatMap(({ keys }) => keys)).toMatchObject([{ keys: 'H O - = G' }]);
  expect(keysLike('no such key')).toEqual([]);
});
