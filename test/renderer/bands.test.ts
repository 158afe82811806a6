import { describe, expect, test } from 'vitest';
import type { LaneBands } from '../../src/model/contract/index.ts';
import { type BandTone, bandTones } from '../../src/model/lane-kind.ts';
import { PixelLayer } from '../../src/renderer/draw/canvas/pixel-layer.ts';
import {
  type BandRect,
  bandRows,
  bandsAt,
  depthsOf,
  drawBandNames,
  drawBands,
  hitBand,
} from '../../src/renderer/draw/timeline/bands.ts';
import { drawLogs } from '../../src/renderer/draw/timeline/density.ts';
import { bandsText, logsText } from '../../src/renderer/draw/timeline/lane-text.ts';
import { palette } from './palette.ts';
import { recordingPen } from './recording-pen.ts';

type BandTuple = readonly [
  from: number,
  until: number,
  tone: BandTone,
  name?: string,
  more?: { open?: boolean; depth?: number },
];

function bands(...list: readonly BandTuple[]): LaneBands {
  const names = [...new Set(list.map(([, , , name = '']) => name))];
  return {
    kind: 'bands',
    lane: 'l',
    start_s: Float64Array.from(list, ([from]) => from),
    end_s: Float64Array.from(list, ([, until]) => until),
    is_open: Uint8Array.from(list, ([, , , , more]) => (more?.open ? 1 : 0)),
    tone: Uint8Array.from(list, ([, , tone]) => bandTones.indexOf(tone)),
    depth: Uint8Array.from(list, ([, , , , more]) => more?.depth ?? 0),
    name: Int32Array.from(list, ([, , , name = '']) => names.indexOf(name)),
    names,
    refs: list.map((_, at) => `span:${at}`),
    density: new Int32Array(),
    failed: new Int32Array(),
    truncated: false,
  };
}

const bandRect = (change: Partial<BandRect> = {}): BandRect => ({
  y: 0,
  height: 9,
  width: 24,
  pixelRatio: 1,
  originX: 0,
  pixelsPerSecond: 1,
  rows: 1,
  isState: true,
  ...change,
});
/** One letter per colour. */
const colors = {
  line: 0,
  band: 0,
  density: 0,
  stacks: [],
  tones: [1, 2, 3, 4, 5],
  edges: [11, 12, 13, 14, 15],
  quiet: 6,
  gap: 7,
};
const letters: Readonly<Record<number, string>> = {
  1: 'c',
  2: 'h',
  5: 'o',
  6: '_',
  7: '/',
  11: 'C',
  12: 'H',
  15: 'O',
  13: 'M',
  3: 'm',
};

function drawn(data: LaneBands, change: Partial<BandRect> = {}): string[] {
  const layer = new PixelLayer();
  const rect = bandRect(change);
  layer.reset(rect.width, rect.height, rect.pixelRatio);
  drawBands(layer, data, rect, { colors, bucketSeconds: 1 });
  return rowsOf(layer);
}
const rowsOf = (layer: PixelLayer): string[] =>
  Array.from({ length: layer.height }, (_, y) =>
    Array.from({ length: layer.width }, (_column, x) => letters[layer.pixels[y * layer.width + x] ?? 0] ?? '.').join(
      '',
    ),
  );

test('a state is a band if it is abnormal, a line if normal, hatched if not recorded', () => {
  const data = bands([-9, 6, 'unknown'], [6, 14, 'high', 'down'], [14, 20, 'calm', 'up'], [20, 90, 'unknown']);
  expect(drawn(data)).toEqual([
    '........................',
    '/..../HHHHHHH........../',
    '....//HHHHHHH.........//',
    '...//.hhhhhhh........//.',
    '..//..hhhhhhh.______//..',
    './/...hhhhhhh.______/...',
    '........................',
    '........................',
    '........................',
  ]);
});

test('a band without a recorded end is striped after its start', () => {
  expect(drawn(bands([4, 16, 'high', 'down', { open: true }], [16, 99, 'unknown']))).toEqual([
    '........................',
    '....HHh....hh....//..../',
    '....HH....hh....//....//',
    '....HH...hh...../....//.',
    '....HH..hh....h.....//..',
    '....HH.hh....hh....//...',
    '........................',
    '........................',
    '........................',
  ]);
});

test('slices are below their parent, as deep as there is room; a failed slice has a mark along its top', () => {
  const data = bands([1, 20, 'calm', 'a'], [3, 9, 'critical', 'b', { depth: 1 }], [4, 8, 'calm', 'c', { depth: 2 }]);
  expect(drawn(data, { isState: false, rows: 2, height: 11 })).toEqual([
    '........................',
    '.oooooooooooooooooo.....',
    '.oooooooooooooooooo.....',
    '.oooooooooooooooooo.....',
    '........................',
    '...CCCCC................',
    '...CCCCC................',
    '...ccccc................',
    '........................',
    '........................',
    '........................',
  ]);
  expect([bandRows(9, 18), bandRows(9, 28), bandRows(9, 48), bandRows(2, 48), bandRows(0, 48)]).toEqual([
    1, 2, 4, 2, 1,
  ]);
  expect(depthsOf(data)).toBe(3);
});

test('a failure is never hidden by other slices of the same pixel', () => {
  const many = Array.from(
    { length: 400 },
    (_, at): BandTuple => [at / 50, at / 50 + 0.01, at === 207 ? 'critical' : 'calm'],
  );
  expect(drawn(bands(...many), { isState: false }).join('')).toMatch(/C/);
});

test('dense bands are counted from the bottom; the share that failed hangs from the top', () => {
  const counted = {
    ...bands(),
    density: Int32Array.of(0, 7, 0, 1),
    failed: Int32Array.of(0, 1, 0, 0),
    truncated: true,
  };
  expect(drawn(counted, { isState: false, width: 5 })).toEqual([
    '.....',
    '.C...',
    '._...',
    '._...',
    '._...',
    '._._.',
    '._._.',
    '.....',
    '.....',
  ]);
});

test('log records rise from the bottom, errors hang from the top', () => {
  const layer = new PixelLayer();
  layer.reset(5, 9, 1);
  const logs = {
    kind: 'logs',
    lane: 'l',
    error: Int32Array.of(3),
    warning: Int32Array.of(0, 3),
    other: Int32Array.of(7, 7, 1),
  } as const;
  drawLogs(layer, logs, bandRect({ width: 5 }), { colors, bucketSeconds: 1 });
  expect(rowsOf(layer)).toEqual(['.....', 'C....', 'C_...', 'C_...', '_m...', '_m_..', '_m_..', '.....', '.....']);
  expect(logsText(logs, 0, 1)).toBe('3 errors, 3 warnings, 14 other');
  expect(logsText(logs, 5, 9)).toBe('');
});

test('names appear inside a band if they fit', () => {
  const { pen, named } = recordingPen();
  const wide = bandRect({ width: 400, height: 18, pixelsPerSecond: 10 });
  const data = bands(
    [-5, 6, 'high', 'seen'],
    [6, 8, 'high', 'too long for it'],
    [8, 9, 'low', 'beside', { open: true }],
    [9, 40, 'unknown', 'no'],
  );
  drawBandNames(pen, data, wide, palette);
  expect(named('fillText').map(({ values }) => values.slice(0, 2))).toEqual([
    ['seen', 4],
    ['beside', 84],
  ]);
});

describe('hit tests', () => {
  const data = bands(
    [0, 10, 'calm', 'GET'],
    [2, 4, 'critical', 'q', { depth: 1 }],
    [12, 14, 'unknown', 'not recorded'],
  );
  const slices = bandRect({ isState: false, rows: 2, height: 21 });
  test('find the band under the mouse, by depth', () => {
    expect([hitBand(data, slices, 3, 4), hitBand(data, slices, 3, 16), hitBand(data, slices, 20, 4)]).toEqual([
      0, 1, -1,
    ]);
  });
  test('find the bands at an instant', () => {
    expect([bandsAt(data, 3), bandsAt(data, 11), bandsAt(data, 10)]).toEqual([[0, 1], [], []]);
    const lane = (kind: 'spans' | 'state') => ({ kind }) as Parameters<typeof bandsText>[0];
    expect(bandsText(lane('spans'), data, 3, 1)).toBe('2 running, 1 failed');
    expect(bandsText(lane('state'), data, 3, 1)).toBe('GET');
    expect(bandsText(lane('state'), data, 13, 1)).toBe('not recorded');
    const counted = { ...data, truncated: true, density: Int32Array.of(40), failed: Int32Array.of(2) };
    expect(bandsText(lane('spans'), counted, 1, 2)).toBe('20/s, 1/s failed');
  });
});
