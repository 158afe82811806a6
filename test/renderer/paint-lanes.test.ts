import { describe, expect, test } from 'vitest';
import type { Lane, LaneData } from '../../src/model/contract/index.ts';
import { nanos } from '../../src/model/time.ts';
import { PixelLayer } from '../../src/renderer/draw/canvas/pixel-layer.ts';
import { timeScale } from '../../src/renderer/draw/canvas/time-scale.ts';
import { Stacks } from '../../src/renderer/draw/timeline/event-marks.ts';
import { paintLanes } from '../../src/renderer/draw/timeline/paint-lanes.ts';
import { layoutRows } from '../../src/renderer/draw/timeline/row-layout.ts';
import type { LaneEntry, Scene } from '../../src/renderer/draw/timeline/scene.ts';
import { palette } from './palette.ts';
import { recordingPen } from './recording-pen.ts';

/** A canvas exists only in a browser; its content is tested separately. */
class LooseLayer extends PixelLayer {
  override paintOnto(): void {}
}

const second = 1_000_000_000n;
const lane = (id: string): Lane => ({
  id: `events:pdu:${id}`,
  kind: 'events',
  layer: 'power',
  entity_kind: 'pdu',
  entity_id: id,
  within: [],
  sources: [0],
  metric: '',
  unit: '',
  count: 1,
  worst_severity: 0,
  involved: true,
});
const entry = (data: LaneData, from: bigint, to: bigint): LaneEntry => ({
  data,
  startNs: nanos(from * second),
  endNs: nanos(to * second),
  bucketNs: 1e9,
  shape: null,
  depths: 0,
});

function paint(entries: Readonly<Record<string, LaneEntry>>, missing: readonly string[] = []) {
  const lanes = [lane('A'), lane('B')];
  const layout = layoutRows({
    lanes,
    missing,
    chain: [],
    collapsed: new Set(),
    expanded: new Set(),
    folded: new Set(),
    tall: new Set(),
    pinned: new Set(),
    search: '',
  });
  const recorded = recordingPen();
  const scene: Scene = {
    layout,
    first: 0,
    end: layout.rows.length,
    scrollTop: 0,
    height: 200,
    scale: timeScale(nanos(0n), nanos(60n * second), 600),
    palette,
    ticks: [],
    impacts: [],
    marks: [],
    selectedMark: 0,
    entities: [],
    entry: (id) => entries[id],
    range: () => undefined,
    silences: () => [],
    stacks: new Stacks(),
    layer: new LooseLayer(),
    colors: { line: 1, band: 2, density: 3, stacks: [], tones: [], edges: [], quiet: 4, gap: 5 },
    sprites: { small: [], large: [] },
  };
  paintLanes(recorded.pen, scene);
  return recorded;
}

const empty = (id: string): LaneData => ({
  kind: 'events',
  lane: id,
  offset_s: new Float64Array(),
  severity: new Uint8Array(),
  event_id: new Int32Array(),
  type: new Int32Array(),
  types: [],
  density: new Int32Array(),
  truncated: false,
  mildest: 3,
});

describe('unknown data', () => {
  const tints = (entries: Readonly<Record<string, LaneEntry>>) =>
    paint(entries)
      .named('fillRect')
      .filter(({ fillStyle }) => fillStyle === 'gap')
      .map(({ values }) => [values[0], values[2]]);
  test('a lane that is not loaded is tinted, and so is the part that an old response does not cover', () => {
    const old = entry(empty('events:pdu:A'), 10n, 50n);
    expect(tints({ 'events:pdu:A': old })).toEqual([
      [0, 100],
      [500, 100],
      [0, 600],
    ]);
  });
  test('a response that covers the window leaves no tint', () => {
    const whole = { 'events:pdu:A': entry(empty('a'), -10n, 70n), 'events:pdu:B': entry(empty('b'), 0n, 60n) };
    expect(tints(whole)).toEqual([]);
  });
  test('a layer that was not recorded is hatched', () => {
    const strokes = (missing: readonly string[]) =>
      paint({}, missing)
        .named('stroke')
        .filter(({ strokeStyle }) => strokeStyle === 'gap').length;
    expect(strokes([])).toBe(0);
    expect(strokes(['cooling', 'gpu'])).toBe(2);
  });
});

test('a failed lane shows the reason in its place, and the other lane is drawn', () => {
  const broken: LaneData = { kind: 'broken', lane: 'events:pdu:A', message: 'no such column' };
  const { named } = paint({ 'events:pdu:A': entry(broken, 0n, 60n), 'events:pdu:B': entry(empty('b'), 0n, 60n) });
  expect(named('fillText').map(({ values }) => values[0])).toEqual(['cannot draw this lane: no such column']);
});
