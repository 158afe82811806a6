import { describe, expect, test } from 'vitest';
import type { LaneEvents, Topology, TopologyEdge, TopologyNode } from '../../src/model/contract/index.ts';
import { supplyNamed } from '../../src/renderer/views/topology/edit-links.ts';
import { foldMap, pathBetween, reachOf } from '../../src/renderer/views/topology/map-model.ts';
import { nearestNode } from '../../src/renderer/views/topology/nearest-node.ts';
import { feedsOf, oneLineOf } from '../../src/renderer/views/topology/one-line.ts';
import {
  findingState,
  impactState,
  stateAt,
  stateFromEvents,
  worse,
} from '../../src/renderer/views/topology/playhead-state.ts';
import { changesOf, flowsAt } from '../../src/renderer/views/topology/power-flow.ts';
import { layOut, NODE_HEIGHT } from '../../src/renderer/views/topology/power-layout.ts';
import { racksOf } from '../../src/renderer/views/topology/racks.ts';
import { happenedBy } from '../../src/renderer/views/topology/use-map.ts';

const nodes: TopologyNode[] = [];
const edges: TopologyEdge[] = [];
const layerOf: Record<string, string> = {
  ups: 'power',
  pdu: 'power',
  server: 'server',
  psu: 'server',
  gpu: 'gpu',
  rack: 'server',
};

function node(key: string, more: Partial<TopologyNode> = {}): number {
  const known = nodes.findIndex((one) => one.key === key);
  if (known >= 0) return known;
  const [kind = '', id = ''] = key.split(':');
  nodes.push({ key, kind, id, layer: layerOf[kind] ?? 'service', recorded: true, unit: null, ...more });
  return nodes.length - 1;
}
function link(from: string, kind: TopologyEdge['kind'], to: string, times: Partial<TopologyEdge> = {}): void {
  edges.push({
    from: node(from),
    to: node(to),
    kind,
    from_ns: null,
    until_ns: null,
    provenance: ['test'],
    edit: null,
    ...times,
  });
}

// Two supplies, eight servers of eight GPUs, one of them with PSUs of its own.
link('ups:A', 'feeds', 'pdu:A');
link('ups:B', 'feeds', 'pdu:B');
for (let i = 0; i < 8; i++) {
  link('rack:R', 'contains', `server:s${i}`);
  for (const feed of ['A', 'B']) {
    if (i !== 0) link(`pdu:${feed}`, 'feeds', `server:s${i}`);
    else {
      link(`pdu:${feed}`, 'feeds', `psu:s0/${feed}`);
      link('server:s0', 'contains', `psu:s0/${feed}`);
    }
  }
  for (let g = 0; g < 8; g++) link(`server:s${i}`, 'contains', `gpu:s${i}/${g}`);
}
link('service:llama', 'runs_on', 'server:s1');
link('service:other', 'runs_on', 'server:s5');
link('cooling:C', 'feeds', 'rack:R');
const map = { nodes, edges };
const flows = flowsAt(map, 0n);
const label = (flow: { from: number; to: number }) => `${nodes[flow.from]?.key} > ${nodes[flow.to]?.key}`;

describe('the power map', () => {
  test('links follow harm: a supply to its machine, a machine to what runs on it, cooling to the machines of its rack', () => {
    const flowLabels = flows.map(label);
    expect(flowLabels).toEqual(
      expect.arrayContaining(['psu:s0/A > server:s0', 'server:s1 > service:llama', 'cooling:C > server:s3']),
    );
    expect(flowLabels.join()).not.toContain('rack');
  });

  test('a link counts while it is valid', () => {
    const moved = [
      { ...edges[0], until_ns: 10n } as TopologyEdge,
      { ...edges[0], from_ns: 10n, from: node('ups:B') } as TopologyEdge,
    ];
    expect(changesOf(moved)).toEqual([10n]);
    expect(flowsAt({ nodes, edges: moved }, 9n).map(label)).toEqual(['ups:A > pdu:A']);
    expect(flowsAt({ nodes, edges: moved }, 10n).map(label)).toEqual(['ups:B > pdu:A']);
  });

  test('similar entities are one node; involved ones have their own, with their parts', () => {
    const folded = foldMap(map, flows, { alone: new Set(['server:s1', 'pdu:B', 'service:llama']), scope: null });
    const labels = folded.items.map((item) => item.label);
    expect(labels).toEqual(expect.arrayContaining(['s1', 'B', 'llama', '8 GPUs', '6 servers']));
    // The GPUs of that server are not mixed with the others.
    expect(
      folded.items
        .filter(({ kind }) => kind === 'gpu')
        .map((item) => item.members.length)
        .sort(),
    ).toEqual([48, 8, 8].sort());
    expect(folded.nodeByEntity.get('gpu:s5/3')).toBe(folded.nodeByEntity.get('gpu:s6/1'));
    expect(folded.nodeByEntity.get('gpu:s1/3')).not.toBe(folded.nodeByEntity.get('gpu:s6/1'));
    const all = folded.items.reduce((sum, { members }) => sum + members.length, 0);
    expect(all + 1).toBe(nodes.length); // All but the rack.
    for (const { from, to } of folded.links)
      expect(folded.items.map(({ key }) => key)).toEqual(expect.arrayContaining([from, to]));
  });

  test('a job is carried by all of its ranks, and a GPU has the name that people use', () => {
    const kinds = ['gpu', 'gpu', 'rank', 'rank', 'job'];
    const own = kinds.map(
      (kind, i): TopologyNode => ({ key: `${kind}:${i}`, kind, id: `${i}`, layer: 'gpu', recorded: true, unit: null }),
    );
    own[0] = { ...own[0]!, name: 'n1 GPU 0' };
    const edge = (from: number, kind: TopologyEdge['kind'], to: number): TopologyEdge => ({
      ...{ from, to, kind, from_ns: null, until_ns: null, provenance: [], edit: null },
    });
    const edgesOfJob = [edge(2, 'runs_on', 0), edge(3, 'runs_on', 1), edge(2, 'member_of', 4), edge(3, 'member_of', 4)];
    const flows = flowsAt({ nodes: own, edges: edgesOfJob }, 0n);
    expect([...reachOf(flows, [], [4])].sort()).toEqual([0, 1, 2, 3, 4]);
    const folded = foldMap({ nodes: own }, flows, { alone: new Set(), scope: null });
    expect(folded.items.map(({ label }) => label)).toContain('n1 GPU 0');
  });

  test('every node has a place of its own, in the column of its kind, the same every time', () => {
    const folded = foldMap(map, flows, { alone: new Set(nodes.map(({ key }) => key)), scope: null });
    const layout = layOut(folded);
    expect(layOut(folded)).toEqual(layout);
    const places = [...layout.nodeRects.values()];
    expect(places).toHaveLength(folded.items.length);
    for (const one of places)
      for (const other of places)
        if (one !== other && one.x === other.x) expect(Math.abs(one.y - other.y)).toBeGreaterThanOrEqual(NODE_HEIGHT);
    const x = (key: string) => layout.nodeRects.get(key)!.x;
    expect([x('ups:A'), x('pdu:A'), x('psu:s0/A'), x('server:s0'), x('gpu:s0/0'), x('service:llama')]).toEqual(
      [...new Set([x('ups:A'), x('pdu:A'), x('psu:s0/A'), x('server:s0'), x('gpu:s0/0'), x('service:llama')])].sort(
        (a, b) => a - b,
      ),
    );
    for (const { y } of places) expect(y).toBeGreaterThan(0);
  });

  test('what carries a service is reached against the links, what a supply carries along them', () => {
    const up = reachOf(flows, [], [node('service:llama')]);
    expect([...up].map((index) => nodes[index]?.key).sort()).toEqual([
      'cooling:C',
      'pdu:A',
      'pdu:B',
      'server:s1',
      'service:llama',
      'ups:A',
      'ups:B',
    ]);
    const down = reachOf(flows, [node('pdu:B')], []);
    expect(down.has(node('gpu:s7/7'))).toBe(true);
    expect(down.has(node('ups:B'))).toBe(false);
  });

  test('the path of a chain follows links in either direction', () => {
    const links = [
      { from: 'a', to: 'b', edges: [] },
      { from: 'b', to: 'c', edges: [] },
      { from: 'b', to: 'd', edges: [] },
    ];
    expect(pathBetween(links, 'c', 'd')).toEqual(['c', 'b', 'd']);
    expect(pathBetween(links, 'a', 'nowhere')).toEqual([]);
  });

  test('nodes keep their places when few others come or go, and a new one takes a free place', () => {
    const alone = new Set(['server:s1', 'pdu:A', 'pdu:B']);
    const before = layOut(foldMap(map, flows, { alone, scope: null }));
    const folded = foldMap(map, flows, { alone: new Set([...alone, 'gpu:s1/3']), scope: null });
    const after = layOut(folded, before);
    const moved = [...before.nodeRects].filter(
      ([key, { y }]) => after.nodeRects.has(key) && after.nodeRects.get(key)?.y !== y,
    );
    expect(moved).toEqual([]);
    expect(after.nodeRects.size).toBe(before.nodeRects.size + 1);
    const column = [...after.nodeRects.values()].filter(({ item }) => item.kind === 'gpu').map(({ y }) => y);
    expect(column.every((y, at) => column.every((other, i) => i === at || Math.abs(other - y) >= 40))).toBe(true);
    // Many new nodes: another map.
    expect(layOut(foldMap(map, flows, { alone: new Set(nodes.map(({ key }) => key)), scope: null }), before)).toEqual(
      layOut(foldMap(map, flows, { alone: new Set(nodes.map(({ key }) => key)), scope: null })),
    );
  });

  test('arrow keys find the nearest node in their direction', () => {
    const folded = foldMap(map, flows, { alone: new Set(['server:s1', 'pdu:A', 'pdu:B']), scope: null });
    const nodeRects = [...layOut(folded).nodeRects.values()];
    const from = nodeRects.find(({ item }) => item.key === 'pdu:A')!;
    expect(nearestNode(nodeRects, from, 'ArrowRight')?.x).toBeGreaterThan(from.x);
    expect(nearestNode(nodeRects, from, 'x')).toBeUndefined();
  });

  test('a rack lists its machines, highest unit first, with their GPUs', () => {
    const placed = nodes.map((one) => (one.key === 'server:s3' ? { ...one, unit: 40 } : one));
    const [rack] = racksOf({ nodes: placed, edges });
    expect(rack?.slots.map(({ node: { id } }) => id)).toEqual(['s3', 's0', 's1', 's2', 's4', 's5', 's6', 's7']);
    expect(rack?.slots[0]?.parts.map(({ id }) => id)).toEqual([
      's3/0',
      's3/1',
      's3/2',
      's3/3',
      's3/4',
      's3/5',
      's3/6',
      's3/7',
    ]);
  });
});

describe('the state at the playhead', () => {
  const events = (list: readonly (readonly [second: number, severity: number, type: string])[]): LaneEvents => {
    const types = [...new Set(list.map(([, , type]) => type))];
    return {
      kind: 'events',
      lane: 'events:pdu:B',
      offset_s: Float64Array.from(list, ([second]) => second),
      severity: Uint8Array.from(list, ([, severity]) => severity),
      event_id: Int32Array.from(list, (_, i) => i),
      type: Int32Array.from(list, ([, , type]) => types.indexOf(type)),
      types,
      density: new Int32Array(10),
      truncated: false,
      mildest: 3,
    };
  };
  const recorded = events([
    [5, 2, 'temperature_high'],
    [10, 0, 'voltage_sag'],
    [20, 3, 'voltage_restored'],
    [30, 1, 'pdu_overload'],
  ]);

  test('is the most severe recent event, until a recovery', () => {
    expect(stateFromEvents(recorded, 4).severity).toBeNull();
    expect(stateFromEvents(recorded, 12)).toMatchObject({ severity: 0, type: 'voltage_sag', age_s: 2, ref: 'event:1' });
    expect(stateFromEvents(recorded, 25)).toMatchObject({ severity: 3, type: 'voltage_restored' });
    expect(stateFromEvents(recorded, 31)).toMatchObject({ severity: 1, type: 'pdu_overload' });
    expect(stateFromEvents(recorded, 91).severity).toBeNull();
  });

  test('is unknown outside of the loaded window, and a count if there are too many events', () => {
    const window = { startNs: 0n, endNs: 100_000_000_000n };
    expect(stateAt(recorded, window, 100_000_000_001n, 0).severity).toBeNull();
    const density = Int32Array.of(0, 0, 7, 0, 0, 0, 0, 0, 0, 0);
    const crowded = { ...events([]), truncated: true, mildest: -1, density };
    expect(stateAt(crowded, window, 25_000_000_000n, 1)).toMatchObject({ severity: 1, type: '7 events', ref: null });
    expect(stateAt(crowded, window, 35_000_000_000n, 1).severity).toBeNull();
    // The most severe ones are listed, so the others are less severe.
    const severe = { ...events([[90, 1, 'pdu_overload']]), truncated: true, mildest: 1, density };
    expect(stateAt(severe, window, 25_000_000_000n, 1)).toMatchObject({ severity: 2, type: '7 events' });
    expect(stateAt(severe, window, 92_000_000_000n, 1)).toMatchObject({ severity: 1, type: 'pdu_overload' });
    expect(stateAt(undefined, window, 1n, 0).severity).toBeNull();
  });

  test('of a GPU is that of a finding that names it, while that lasts', () => {
    const finding = {
      severity: 'high',
      title: 'GPU hardware power brake',
      start_ns: 10n,
      end_ns: 20n,
      entities: [{ kind: 'gpu', id: 'n1/GPU-7' }],
      evidence: [{ text: 'clocks fell', refs: ['event:4'] }],
    } as never;
    expect(findingState([finding], 'gpu:n1/GPU-7', 15n)).toMatchObject({ severity: 1, ref: 'event:4' });
    expect(findingState([finding], 'gpu:n1/GPU-7', 21n).severity).toBeNull();
    expect(findingState([finding], 'gpu:n1/GPU-6', 15n).severity).toBeNull();
  });

  test('of a service is degraded while its impact lasts', () => {
    const view = { service: 'llama', onset_ns: 10n, end_ns: 20n, onset_ref: 'measurement:llama@x' } as never;
    expect(impactState([view], 'llama', 9n).severity).toBeNull();
    expect(impactState([view], 'llama', 10n)).toMatchObject({ severity: 0, ref: 'measurement:llama@x' });
    expect(impactState([view], 'other', 10n).severity).toBeNull();
    expect(worse(impactState([view], 'llama', 15n), stateFromEvents(recorded, 31)).type).toBe('degraded');
  });
});

test('a supply is found by its name, in any case, unless two have that name', () => {
  const supplies = ['pdu:PDU-A', 'ups:main', 'pdu:main', 'server:s1'].map((key) => {
    const [kind = '', id = ''] = key.split(':');
    return { key, kind, id };
  });
  const topology = { nodes: supplies } as unknown as Topology;
  expect(['PDU-A', ' pdu-a', 'pdu:PDU-A', 'ups:main'].map((text) => supplyNamed(topology, text))).toEqual([
    'pdu:PDU-A',
    'pdu:PDU-A',
    'pdu:PDU-A',
    'ups:main',
  ]);
  expect(['main', 's1', '', 'PDU'].map((text) => supplyNamed(topology, text))).toEqual(Array(4).fill(undefined));
});

test('a step is marked from its time on, not before', () => {
  const steps = [10n, 20n, 30n].map((time_ns) => ({ time_ns }));
  expect([9n, 10n, 25n, 30n].map((at) => happenedBy(steps, at))).toEqual(['000', '100', '110', '111']);
});

describe('one-line diagram', () => {
  const flows = flowsAt({ nodes, edges }, 0n);

  test('shows supplies above the machines that they feed, and nothing that is not electrical', () => {
    const { places, model } = oneLineOf({ nodes, edges } as Topology, flows, ['pdu:B', 'server:s1', 'gpu:none']);
    const y = new Map(places.map(({ item, y: top }) => [item.key, top]));
    expect([...new Set(places.map(({ item }) => item.kind))].toSorted()).toEqual(['pdu', 'psu', 'server', 'ups']);
    expect(y.get('ups:B')!).toBeLessThan(y.get('pdu:B')!);
    expect(y.get('pdu:B')!).toBeLessThan(y.get('server:s1')!);
    // The other supply of a machine of the incident is a part of it.
    expect(y.has('pdu:A')).toBe(true);
    const places2 = new Set(places.map(({ x, y: top }) => `${x} ${top}`));
    expect(places2.size).toBe(places.length);
    expect(model.links.every(({ edges: own }) => own.every(({ kind }) => kind !== 'runs_on'))).toBe(true);
    expect(oneLineOf({ nodes, edges } as Topology, flows, []).places.length).toBeGreaterThan(0);
  });

  test('states what a record supports: a machine is alone on a supply only if it reported that', () => {
    const { model } = oneLineOf({ nodes, edges } as Topology, flows, ['pdu:B', 'server:s1', 'server:s2']);
    const states = new Map([
      ['pdu:B', { severity: 0, type: 'voltage_sag', age_s: 1, ref: 'event:1' }],
      ['server:s1', { severity: 0, type: 'psu_failover', age_s: 1, ref: 'event:2' }],
    ]);
    const quiet = { severity: null, type: '', age_s: 0, ref: null };
    const feeds = feedsOf(model.links, (key) => states.get(key) ?? quiet);
    const of = (from: string, to: string) => {
      const link = model.links.find((one) => one.from === from && one.to === to);
      return link && feeds.get(link);
    };
    expect(of('pdu:B', 'server:s1')).toEqual({ state: 'disturbed', type: 'voltage_sag', of: 2 });
    expect(of('pdu:A', 'server:s1')).toEqual({ state: 'alone', type: '', of: 2 });
    expect(of('pdu:A', 'server:s2')).toEqual({ state: 'shared', type: '', of: 2 });
    expect(of('ups:B', 'pdu:B')).toEqual({ state: 'only', type: '', of: 1 });
  });
});
