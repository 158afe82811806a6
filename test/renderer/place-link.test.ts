import { expect, test } from 'vitest';
import { nanos } from '../../src/model/time.ts';
import { rangeOf } from '../../src/renderer/state/lane-ranges.ts';
import { type LinkedPlace, placeLink, readPlaceLink } from '../../src/renderer/state/place-link.ts';

const place: LinkedPlace = {
  view: 'timeline',
  name: 'night shift #2',
  window: { startNs: nanos(1_773_454_674_800_000_001n), endNs: nanos(1_773_454_701_400_000_002n) },
  playhead: nanos(1_773_454_690_000_000_003n),
  incident: 'inc_403268aa',
  selected: 'span:00ff/11',
  entities: ['gpu:node-5/GPU-1', 'pdu:A & B'],
};

test('a link names a place to the nanosecond, in an address and alone', () => {
  expect(readPlaceLink(placeLink(place))).toEqual(place);
  expect(readPlaceLink(`http://127.0.0.1:4000/${placeLink(place)}`)).toEqual(place);
  expect(readPlaceLink(` faultline:${placeLink(place)} `)).toEqual(place);
});

test('a view alone is a place without a time; what names no view, or times that are none, leads nowhere', () => {
  const alone = { ...place, name: null, window: null, playhead: null, incident: null, selected: null, entities: [] };
  expect(placeLink(alone)).toBe('#timeline');
  expect(readPlaceLink('#timeline')).toEqual(alone);
  expect(readPlaceLink('#timeline?from=9&until=3&at=soon')).toEqual(alone);
  for (const text of ['', 'timeline', '# timeline', '{ status = error }', 'event:7', '#Timeline'])
    expect(readPlaceLink(text)).toBeNull();
});

test('the ends of an axis are two numbers, the first below the second', () => {
  expect(rangeOf('0', ' 1.5e3 ')).toEqual([0, 1500]);
  for (const [low, high] of [
    ['', '3'],
    ['3', '3'],
    ['4', '3'],
    ['x', '3'],
    ['0', 'Infinity'],
  ] as const)
    expect(rangeOf(low, high), `${low} ${high}`).toBeNull();
});
