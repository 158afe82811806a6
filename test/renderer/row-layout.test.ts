import { describe, expect, test } from 'vitest';
import type { Lane } from '../../src/model/contract/index.ts';
import { foldKey } from '../../src/renderer/draw/tables/row-tree.ts';
import {
  type CauseMetric,
  type LayoutInput,
  layoutRows,
  ROW_LOW,
  ROW_MIDDLE,
  ROW_TALL,
  rowAt,
  rowOfLane,
  visibleRange,
} from '../../src/renderer/draw/timeline/row-layout.ts';

const lane = (layer: string, entity: string, metric = '', involved = false, within: readonly string[] = []): Lane => {
  const [kind = '', id = ''] = entity.split(':');
  return {
    id: metric ? `metric:${entity}:${metric}` : `events:${entity}`,
    kind: metric ? 'metric' : 'events',
    layer,
    entity_kind: kind,
    entity_id: id,
    within: [...within],
    sources: [0],
    metric,
    unit: '',
    count: 1,
    worst_severity: null,
    involved,
  };
};
const lanes = [
  lane('gpu', 'gpu:g10'),
  lane('gpu', 'gpu:g2'),
  lane('gpu', 'gpu:g2', 'gpu.power', true),
  lane('power', 'pdu:B', 'pdu.voltage'),
  lane('power', 'pdu:B', 'pdu.power'),
  lane('power', 'pdu:B'),
  lane('power', 'pdu:A'),
  lane('network', 'switch:s1'),
];
const input = (change: Partial<LayoutInput> = {}): LayoutInput => ({
  lanes,
  missing: ['cooling'],
  chain: [{ lane: 'events:pdu:B', type: 'voltage_sag' }],
  collapsed: new Set(),
  expanded: new Set(),
  folded: new Set(),
  tall: new Set(),
  pinned: new Set(),
  search: '',
  ...change,
});
const names = (change: Partial<LayoutInput> = {}) =>
  layoutRows(input(change)).rows.map((row) => {
    if (row.kind === 'layer') return `= ${row.layer}${row.missing ? ' missing' : ''}${row.collapsed ? ' folded' : ''}`;
    if (row.kind === 'group')
      return `${' '.repeat(row.depth)}+ ${row.entityKeys.join(' › ')} ${row.involved}/${row.total}${row.collapsed ? ' folded' : ''}`;
    return row.kind === 'more' ? (row.expanded ? 'fewer' : `more ${row.hidden}`) : row.lane.id;
  });
const path = (...entityKeys: readonly string[]): string => entityKeys.join('\u001f');

test('a step beside the path to the impact is marked in a visible lane, and makes no lane visible', () => {
  const quiet = lane('gpu', 'gpu:g10', '', true);
  const chain = [
    { lane: 'events:pdu:B', type: 'voltage_sag' },
    { lane: quiet.id, type: 'power_cap_applied', isAside: true },
  ];
  const known = lanes.map((one) => (one.id === quiet.id ? quiet : { ...one, involved: one.layer === 'power' }));
  expect(names({ lanes: known, chain })).not.toContain(quiet.id);
  expect(names({ lanes: known, chain: chain.map((one) => ({ ...one, isAside: false })) })).toContain(quiet.id);
  const { chain: placed } = layoutRows(input({ lanes: known, chain, expanded: new Set(['gpu']) }));
  expect(placed.get(quiet.id)?.height).toBe(48);
});

test('layers are in physical order; unknown layers have a row; layers without involvement are one line', () => {
  expect(names()).toEqual([
    '= power',
    'events:pdu:B',
    'metric:pdu:B:pdu.voltage',
    'more 2',
    '= cooling missing',
    '= gpu',
    'metric:gpu:g2:gpu.power',
    'more 2',
    '= network folded',
  ]);
});

test('every layer shows its first lanes if none is involved, or while that is unknown', () => {
  const glance = ['= power', '= cooling missing', '= gpu', '= network'];
  for (const involved of [false, null]) {
    const quiet = lanes.map((each) => ({ ...each, involved }));
    const shown = names({ lanes: quiet, chain: [] });
    expect(shown.filter((name) => name.startsWith('='))).toEqual(glance);
    expect(shown).toContain('events:switch:s1');
  }
});

test('a chain adds the metrics of its event types, and no others', () => {
  expect(names({ chain: [] }).slice(0, 2)).toEqual(['= power folded', '= cooling missing']);
  expect(names()).not.toContain('metric:pdu:B:pdu.power');
});

test('pinned lanes are on top, once, and can be folded', () => {
  const pinned = new Set(['events:switch:s1', 'metric:pdu:B:pdu.power']);
  expect(names({ pinned })).toEqual([
    '= pinned',
    'metric:pdu:B:pdu.power',
    'events:switch:s1',
    '= power',
    'events:pdu:B',
    'metric:pdu:B:pdu.voltage',
    'more 1',
    '= cooling missing',
    '= gpu',
    'metric:gpu:g2:gpu.power',
    'more 2',
  ]);
  expect(names({ pinned, collapsed: new Set(['pinned']) }).slice(0, 2)).toEqual(['= pinned folded', '= power']);
});

test('the metric that the leading hypothesis is about is never under "show more"', () => {
  const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'waiting'].map((metric) =>
    lane('service', 'service:s', metric, true),
  );
  const shown = (cause: CauseMetric | null) =>
    names({ lanes: many, missing: [], chain: [{ lane: 'metric:service:s:a', type: 'trace_degradation' }], cause });
  expect(shown(null)).not.toContain('metric:service:s:waiting');
  expect(shown({ entityKey: 'service:other', metric: 'waiting' })).not.toContain('metric:service:s:waiting');
  expect(shown({ entityKey: 'service:s', metric: 'waiting' })).toContain('metric:service:s:waiting');
});

describe('folding', () => {
  test('show more shows all in natural order, and can be undone', () => {
    const shown = names({ expanded: new Set(['gpu']) });
    expect(shown.slice(5, 10)).toEqual([
      '= gpu',
      'metric:gpu:g2:gpu.power',
      'events:gpu:g2',
      'events:gpu:g10',
      'fewer',
    ]);
  });
  test('a folded layer shows its name only', () => {
    expect(names({ collapsed: new Set(['power']) }).slice(0, 2)).toEqual(['= power folded', '= cooling missing']);
  });
  test('a search shows every match and nothing else', () => {
    expect(names({ search: 'PDU power' })).toEqual([
      '= power',
      'events:pdu:B',
      'metric:pdu:B:pdu.voltage',
      'events:pdu:A',
      'metric:pdu:B:pdu.power',
    ]);
    expect(names({ search: 'g10' })).toEqual(['= gpu', 'events:gpu:g10']);
  });
});

describe('lanes are grouped by the container of their entities', () => {
  const place = ['rack:r2', 'server:s3'];
  const nestedLanes = [
    lane('gpu', 'gpu:g1', '', false, ['rack:r1', 'server:s1']),
    lane('gpu', 'gpu:g2', '', false, ['rack:r1', 'server:s2']),
    lane('gpu', 'gpu:g7', '', true, place),
    ...['a', 'b', 'c', 'd'].map((metric) => lane('gpu', 'gpu:g8', metric, false, place)),
    lane('gpu', 'gpu:g9'),
  ];
  const expanded = new Set(['gpu']);
  const shown = (change: Partial<LayoutInput> = {}) =>
    names({ lanes: nestedLanes, missing: [], chain: [{ lane: 'events:gpu:g7', type: 'x' }], ...change });
  test('involved lanes only, under a row for rack and server that counts all their lanes', () => {
    expect(shown()).toEqual(['= gpu', '+ rack:r2 › server:s3 1/5', 'events:gpu:g7', 'more 7']);
  });
  test('all lanes: involved first, an entity with many lanes in a group, no group without a container', () => {
    expect(shown({ expanded }).slice(1, -1)).toEqual([
      '+ rack:r2 › server:s3 1/5',
      'events:gpu:g7',
      ' + gpu:g8 0/4',
      'metric:gpu:g8:a',
      'metric:gpu:g8:b',
      'metric:gpu:g8:c',
      'metric:gpu:g8:d',
      '+ rack:r1 0/2',
      ' + server:s1 0/1',
      'events:gpu:g1',
      ' + server:s2 0/1',
      'events:gpu:g2',
      'events:gpu:g9',
    ]);
  });
  test('a folded group stands in for the chain step within it', () => {
    const folded = new Set([foldKey('gpu', path('rack:r2', 'server:s3'))]);
    const layout = layoutRows(
      input({ lanes: nestedLanes, missing: [], chain: [{ lane: 'events:gpu:g7', type: 'x' }], folded }),
    );
    expect(rowOfLane(layout, 'events:gpu:g7', 'gpu')).toMatchObject({ kind: 'group', collapsed: true });
    expect(shown({ folded }).slice(1, 3)).toEqual(['+ rack:r2 › server:s3 1/5 folded', 'more 7']);
  });
  test('a group of a GPU has the name that people use, and any other the id of its entity', () => {
    const own = ['a', 'b', 'c', 'd'].map((metric) => ({
      ...lane('gpu', 'gpu:GPU-1', metric, true, ['server:s1']),
      name: 's1 GPU 0',
    }));
    const layout = layoutRows(
      input({ lanes: [...own, lane('gpu', 'gpu:g2', '', true, ['server:s1'])], missing: [], chain: [] }),
    );
    const groups = layout.rows.flatMap((row) => (row.kind === 'group' && row.layer === 'gpu' ? row.names : []));
    expect(groups).toEqual(['s1', 's1 GPU 0']);
  });
  test('ten thousand lanes: groups without involvement are folded, and the layout is fast', () => {
    const many = Array.from({ length: 10_000 }, (_, at) =>
      lane('gpu', `gpu:g${at}`, '', at === 7000, [`rack:r${Math.floor(at / 64)}`, `server:s${Math.floor(at / 8)}`]),
    );
    const layout = () => layoutRows(input({ lanes: many, missing: [], chain: [], expanded }));
    expect(layout().rows.filter(({ kind }) => kind === 'lane')).toHaveLength(8);
    expect(layout().rows.filter(({ kind }) => kind === 'group')).toHaveLength(157 + 8);
    const from = process.cpuUsage();
    for (let round = 0; round < 5; round++) layout();
    const { user, system } = process.cpuUsage(from);
    expect((user + system) / 5000).toBeLessThan(400);
  });
});

test('thousands of involved lanes do not hide the chain', () => {
  const many = Array.from({ length: 2000 }, (_, at) => lane('gpu', `gpu:g${at}`, '', true));
  const rows = names({
    lanes: [...many, lane('service', 'service:s')],
    chain: [{ lane: 'events:gpu:g1999', type: 'x' }],
  });
  expect(rows[2]).toBe('events:gpu:g1999');
  expect(rows.filter((row) => row.startsWith('events:gpu'))).toHaveLength(6);
  expect(rows).toContain('more 1994');
});

test('heights: steps 48, their companions 28, others 18; H toggles', () => {
  const heights = (change: Partial<LayoutInput> = {}) =>
    layoutRows(input({ expanded: new Set(['power']), ...change }))
      .rows.slice(1, 4)
      .map((row) => row.height);
  expect(heights()).toEqual([ROW_TALL, ROW_MIDDLE, ROW_LOW]);
  expect(heights({ tall: new Set(['events:pdu:B', 'events:pdu:A']) })).toEqual([ROW_MIDDLE, ROW_MIDDLE, ROW_TALL]);
});

test('visible rows and the row under the mouse are found by binary search', () => {
  const layout = layoutRows(input());
  expect(visibleRange(layout, 0, 20)).toEqual([0, 2]);
  expect(visibleRange(layout, layout.height - 1, 500)[1]).toBe(layout.rows.length);
  expect(rowAt(layout, 20)?.kind).toBe('lane');
  expect(rowAt(layout, layout.height + 5)).toBeUndefined();
});

describe('which lanes are shown', () => {
  const ids = (change: Partial<LayoutInput>) =>
    layoutRows(input(change)).rows.flatMap((row) => (row.kind === 'lane' ? [row.lane.id] : []));
  test('the chain alone, the involved ones, or all', () => {
    expect(ids({ level: 'chain' })).toEqual(['events:pdu:B', 'metric:pdu:B:pdu.voltage']);
    expect(ids({ level: 'involved' })).toContain('metric:gpu:g2:gpu.power');
    expect(ids({ level: 'all' })).toHaveLength(lanes.length);
  });
  test('the lane of the selected step is shown, whatever is folded', () => {
    const collapsed = new Set(['network']);
    expect(ids({ collapsed })).not.toContain('events:switch:s1');
    expect(ids({ collapsed, revealed: 'events:switch:s1' })).toContain('events:switch:s1');
  });
});
