import { describe, expect, test } from 'vitest';
import { redfishFeed } from '../../src/main/capture/redfish/index.ts';
import { redfish } from '../../src/main/sources/redfish/index.ts';
import { type FeedRun, runFeed } from '../support/feed-run.ts';
import { type Row, readSource, samplesOf } from '../support/read-source.ts';
import { board, byAddress, link, rackTree, rackWatts, resource } from '../support/redfish-rack.ts';
import { type Doc, redfishService } from '../support/redfish-service.ts';

const feedOf = (url: string, more: object = {}) =>
  redfishFeed.open(
    redfishFeed.plan.parse({ kind: 'redfish', name: 'bmc', url, every_s: 1, most_requests_per_s: 1000, ...more }),
  );
const samples = ({ reading }: FeedRun) => samplesOf({ ...reading, remarks: [] });
const powers = (run: FeedRun) => samples(run).filter(({ metric }) => metric === 'hw.power');

/** Rows without read time and file. */
const timeless = (rows: readonly Row[]): string[] =>
  rows
    .map(({ time_ns: _, raw: __, file: ___, ...rest }) =>
      JSON.stringify(rest, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    )
    .sort();

/** Two boards of one server with equal names. */
const boards = (): Doc[] => [
  resource('Systems', 'ComputerSystemCollection', { Members: [link('/redfish/v1/Systems/1')] }),
  resource('Systems/1', 'ComputerSystem', { HostName: 'node-a', SerialNumber: 'S1' }),
  resource('Chassis', 'ChassisCollection', { Members: ['A', 'B'].map((id) => link(`/redfish/v1/Chassis/${id}`)) }),
  ...board('A', { Links: { ComputerSystems: [link('/redfish/v1/Systems/1')] } }, { watts: 300, celsius: 20 }),
  ...board(
    'B',
    { ChassisType: 'Module', Links: { ContainedBy: link('/redfish/v1/Chassis/A') } },
    { watts: 400, celsius: 30 },
  ),
];

describe('several chassis, live', () => {
  test.each([
    ['a rack of machines', rackTree, 4],
    ['boards of one machine', boards, 2],
  ])('%s: equals the import of its recording', async (_, docs, count) => {
    const service = await redfishService(byAddress(docs()));
    const files = Object.fromEntries([...service.tree.values()].map((doc, i) => [`${i}.json`, JSON.stringify(doc)]));
    const wanted = await readSource(redfish, files, { name: 'bmc' });
    const run = await runFeed(feedOf(service.url, { every_s: 60 }), (one) =>
      one.until((now) => powers(now).length > 0),
    );
    expect(powers(run)).toHaveLength(count);
    for (const table of ['point', 'edge', 'reject'] as const)
      expect([table, timeless(run.reading.rows[table])]).toEqual([table, timeless(wanted.rows[table])]);
    expect([...run.reading.entities.keys()].sort()).toEqual([...wanted.entities.keys()].sort());
  });

  test('each machine of a rack has its own power at each poll', async () => {
    const service = await redfishService(byAddress(rackTree()));
    const run = await runFeed(feedOf(service.url), (one) => one.until((now) => powers(now).length >= 12));
    const byMachine = Map.groupBy(powers(run), ({ entity }) => entity);
    expect([...byMachine.keys()].sort()).toEqual(['rack:RackA', 'server:SledA1', 'server:SledA2', 'server:SledA3']);
    for (const [machine, list] of byMachine)
      expect([machine, new Set(list.map(({ value }) => value))]).toEqual([
        machine,
        new Set([rackWatts[machine.split(':')[1] ?? '']]),
      ]);
  });

  test('a PSU keeps its name when the board with the plain name is gone', async () => {
    const service = await redfishService(byAddress(boards()));
    const supplies = (run: FeedRun) => samples(run).filter(({ metric }) => metric === 'hw.power.input');
    const run = await runFeed(feedOf(service.url), async (one) => {
      await one.until((now) => supplies(now).length >= 4);
      const id = '/redfish/v1/Chassis/A/Power';
      service.tree.set(id, { ...service.tree.get(id)!, PowerSupplies: [] });
      const before = supplies(one).length;
      await one.until((now) => supplies(now).length >= before + 6);
    });
    const byName = Map.groupBy(supplies(run), ({ entity }) => entity);
    expect([...byName].map(([name, list]) => [name, ...new Set(list.map(({ value }) => value))]).sort()).toEqual([
      ['psu:node-a/psu-0', 150],
      ['psu:node-a/psu-0@B', 200],
      ['psu:node-a/psu-1', 151],
      ['psu:node-a/psu-1@B', 201],
    ]);
  });

  test('a series keeps its name when another board starts or stops to report the same', async () => {
    const service = await redfishService(byAddress(boards()));
    const POWER = '/redfish/v1/Chassis/B/Power';
    const whole = service.tree.get(POWER)!;
    service.tree.set(POWER, { ...whole, PowerControl: [] });
    const named = (chassis: string | undefined) => (run: FeedRun) =>
      powers(run).filter(({ attributes }) => attributes['chassis'] === chassis);
    const run = await runFeed(feedOf(service.url), async (one) => {
      await one.until((now) => powers(now).length > 0);
      service.tree.set(POWER, whole);
      await one.until((now) => named('B')(now).length >= 2);
      service.tree.set(POWER, { ...whole, PowerControl: [] });
      const before = powers(one).length;
      await one.until((now) => powers(now).length > before + 1);
    });
    expect(new Set(named('B')(run).map(({ value }) => value))).toEqual(new Set([400]));
    // The board that was first has the plain name from then on.
    expect(new Set(named(undefined)(run).map(({ value }) => value))).toEqual(new Set([300]));
    expect(named('A')(run)).toEqual([]);
  });
});
