import { expect, test } from 'vitest';
import { contrastWords, logOddsRatio } from '../../src/core/analysis/causality/contrast.ts';
import { movementsOf } from '../../src/core/analysis/causality/movements.ts';
import { pollingIntervals } from '../../src/core/analysis/clocks/polling.ts';
import { EntityGraph } from '../../src/core/analysis/topology/entity-graph.ts';
import { namedPart } from '../../src/core/analysis/topology/named-part.ts';
import type { EventFact, MetricShiftFact } from '../../src/core/store/facts/reader.ts';
import { readDetails } from '../../src/main/sources/event-details/read-details.ts';
import type { EntityKind } from '../../src/model/entity.ts';
import type { EdgeKind } from '../../src/model/topology.ts';

const entities: readonly (readonly [EntityKind, string])[] = [
  ['service', 'chat'],
  ['pod', 'inference/chat-0'],
  ['pod', 'batch/etl-7'],
  ['node', 'ip-10-0-0-1'],
  ['instance', 'i-1'],
  ['gpu', 'i-1/GPU-0'],
  ['server', 'server-2'],
  ['psu', 'server-2/PSU-1'],
  ['psu', 'server-2/PSU-2'],
  ['pdu', 'PDU-A'],
  ['pdu', 'PDU-B'],
  ['server', 'server-3'],
  ['server', 'server-4'],
];
const key = (id: string): number => {
  const found = entities.findIndex(([, one]) => one === id);
  if (found < 0) throw new Error(`no ${id}`);
  return found;
};

function graphOf(edges: readonly (readonly [string, EdgeKind, string])[]): EntityGraph {
  return new EntityGraph(
    entities.map(([kind, id], i) => ({ entity_id: i, canonical_id: i, kind, id })),
    edges.map(([from, kind, to]) => ({
      from_id: key(from),
      kind,
      to_id: key(to),
      valid_from_ns: -(2n ** 62n),
      valid_to_ns: 2n ** 62n,
    })),
    0n,
  );
}

const event = (of: string, message: string): EventFact => ({
  event_id: 1,
  original_id: 'e1',
  time_ns: 0n,
  clock_uncertainty_ns: 0n,
  source_id: 1,
  entity: key(of),
  device_id: of,
  type: 'psu_failover',
  origin: 'redfish',
  severity: 0,
  message,
  details: readDetails({ type: 'psu_failover', message, attributes: {} }),
});

test('a node is the machine that it runs on, and a batch pod only shares it', () => {
  const graph = graphOf([
    ['chat', 'runs_on', 'inference/chat-0'],
    ['inference/chat-0', 'runs_on', 'i-1'],
    ['ip-10-0-0-1', 'runs_on', 'i-1'],
    ['batch/etl-7', 'runs_on', 'i-1'],
    ['i-1', 'contains', 'i-1/GPU-0'],
  ]);
  expect(graph.relation(key('ip-10-0-0-1'), key('chat'))).toBe('mapped');
  expect(graph.relation(key('batch/etl-7'), key('chat'))).toBe('sibling');
  expect(graph.relation(key('server-2'), key('chat'))).toBe('unmapped');
  expect(graph.sourcesOf(key('inference/chat-0')).get(key('ip-10-0-0-1'))).toBe('carries');
  const real = graphOf([
    ['inference/chat-0', 'runs_on', 'ip-10-0-0-1'],
    ['ip-10-0-0-1', 'runs_on', 'i-1'],
  ]);
  expect(real.sourcesOf(key('i-1')).get(key('inference/chat-0'))).toBe('above');
  // What a pod does to its machine, it does to whatever that is called.
  for (const name of ['i-1', 'ip-10-0-0-1']) expect(graph.sourcesOf(key(name)).get(key('batch/etl-7'))).toBe('above');
  for (const part of ['chat', 'ip-10-0-0-1', 'i-1/GPU-0', 'i-1'])
    expect(graph.machinesOf(key(part)), part).toEqual([key('i-1')]);
});

test('a switch that connects a card serves what runs on the machine around it; a part speaks for itself', () => {
  const graph = graphOf([
    ['chat', 'runs_on', 'server-2'],
    ['server-2', 'contains', 'server-2/PSU-1'],
    ['PDU-A', 'feeds', 'server-2/PSU-1'],
    ['PDU-B', 'feeds', 'server-3'],
  ]);
  expect(graph.relation(key('PDU-A'), key('chat'))).toBe('mapped');
  expect([...graph.servicesOn(key('PDU-A'))]).toEqual([key('chat')]);
  expect([...graph.servicesOn(key('server-2/PSU-1'))]).toEqual([]);
  expect(graph.relation(key('PDU-B'), key('chat'))).toBe('unmapped');
});

test('a machine is cut off if its supply or the supply of its PDU is unknown, and others have one', () => {
  const graph = graphOf([
    ['PDU-A', 'feeds', 'server-2/PSU-1'],
    ['server-2', 'contains', 'server-2/PSU-1'],
    ['PDU-A', 'feeds', 'server-3'],
    ['chat', 'runs_on', 'server-4'],
  ]);
  // No PDU has a known supply: it is the top of the topology.
  expect(graph.isCutOff(key('PDU-A'))).toBe(false);
  expect(graph.isCutOff(key('server-3'))).toBe(false);
  expect(graph.isCutOff(key('server-4'))).toBe(true);
  expect(graph.isCutOff(key('i-1')), 'in no map at all').toBe(false);
});

test('what runs on itself by a detour leads nowhere and ends', () => {
  const graph = graphOf([
    ['ip-10-0-0-1', 'runs_on', 'batch/etl-7'],
    ['batch/etl-7', 'runs_on', 'ip-10-0-0-1'],
  ]);
  expect(graph.relation(key('batch/etl-7'), key('chat'))).toBe('unmapped');
});

test('a text names a supply by its id or the last piece of it, as a whole word and one only', () => {
  const graph = graphOf([
    ['server-2', 'contains', 'server-2/PSU-1'],
    ['server-2', 'contains', 'server-2/PSU-2'],
    ['PDU-A', 'feeds', 'server-2/PSU-1'],
    ['PDU-B', 'feeds', 'server-2/PSU-2'],
    ['server-2/PSU-1', 'feeds', 'server-2'],
    ['server-2/PSU-2', 'feeds', 'server-2'],
  ]);
  const named = (message: string) => entities[namedPart(event('server-2', message), graph)]?.[1];
  expect(named('redundancy lost: server-2/PSU-2 has no input')).toBe('server-2/PSU-2');
  expect(named('redundancy lost: PSU-1 has no input')).toBe('server-2/PSU-1');
  expect(named('PSU-1 and PSU-2 have no input')).toBe('server-2');
  expect(named('PSU-12 has no input')).toBe('server-2');
  expect(named('')).toBe('server-2');
  expect(graph.isFed(key('server-2/PSU-2'), key('PDU-B'))).toBe(true);
  expect(graph.isFed(key('server-2/PSU-2'), key('PDU-A'))).toBe(false);
});

test('a source that polls is known by the times of its events, whatever the phase; one that speaks at once is not', () => {
  const seconds = (source_id: number, times: readonly number[]) =>
    times.map((time) => ({ source_id, time_ns: BigInt(Math.round(time * 1e9)) }));
  const polled = [7.1, 37.12, 67.09, 67.3, 157.11, 247.1, 307.13, 337.1];
  const prompt = [3.2, 17.9, 41.3, 88.8, 92.1, 130.7, 171.4, 222.2];
  const found = pollingIntervals([
    ...seconds(1, polled),
    ...seconds(2, prompt),
    ...seconds(3, [0.1, 30.1, 60.1]),
    ...seconds(4, [29.95, 60.02, 89.99, 120.01, 149.97, 180]),
  ]);
  expect([...found]).toEqual([
    [1, 30],
    [4, 30],
  ]);
});

test('3 of 4 here and none of 5 there speak for it, as many here as there for nothing', () => {
  const contrast = { shown: 3, of: 4, shownElsewhere: 0, ofElsewhere: 5 };
  expect(logOddsRatio(contrast)).toBeCloseTo(Math.log((3.5 / 1.5) * (5.5 / 0.5)), 6);
  expect(logOddsRatio({ shown: 2, of: 4, shownElsewhere: 2, ofElsewhere: 4 })).toBe(0);
  expect(logOddsRatio({ shown: 40, of: 40, shownElsewhere: 0, ofElsewhere: 4000 })).toBe(4);
  expect(contrastWords(contrast, 'PDU-B', 'psu_failover')).toBe(
    '3 of 4 machines behind PDU-B show psu failover, 0 of 5 elsewhere',
  );
});

const power = (of: string, window_median: number, more: Partial<MetricShiftFact> = {}): MetricShiftFact => ({
  series_id: key(of),
  metric: 'hw.power',
  unit: 'W',
  entity: key(of),
  attributes: '',
  is_rate: false,
  before_points: 20,
  before_median: 5000,
  before_min: 4800,
  before_max: 5200,
  spread: 100,
  window_points: 5,
  window_median,
  window_min: window_median,
  window_max: window_median,
  series_count: 4,
  ...more,
});

test('a machine that falls alone moved; one that falls, rises or stays as its peers do did not', () => {
  const graph = graphOf(
    (['i-1', 'server-2', 'server-3', 'server-4'] as const).map((machine) => ['chat', 'runs_on', machine] as const),
  );
  const moved = (facts: readonly MetricShiftFact[]) =>
    [...movementsOf(facts, graph, key('chat')).values()]
      .filter((one) => one.moved || one.busier)
      .map(({ machine, busier }) => [entities[machine]?.[1], busier]);
  const calm = ['server-2', 'server-3', 'server-4'].map((one) => power(one, 5020));
  expect(moved([power('i-1', 2300), ...calm])).toEqual([['i-1', false]]);
  const idle = ['i-1', 'server-2', 'server-3', 'server-4'].map((one) => power(one, 3000));
  expect(moved(idle)).toEqual([]);
  // The one that stays while its peers idle did nothing of its own.
  expect(moved([power('i-1', 5000), ...idle.slice(1)])).toEqual([]);
  // Load makes a machine draw more: no fault does.
  expect(moved([power('i-1', 6400), ...calm])).toEqual([['i-1', true]]);
  // Sure, and too small for anybody to draw a line.
  expect(moved([power('i-1', 4700, { spread: 10 }), ...calm])).toEqual([]);
});
