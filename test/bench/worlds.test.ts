import { expect, test } from 'vitest';
import { Chance } from '../../bench/worlds/cluster/chance.ts';
import type { Fault } from '../../bench/worlds/cluster/fault.ts';
import { played } from '../../bench/worlds/cluster/fault.ts';
import { psuFailureAt } from '../../bench/worlds/cluster/faults-facility.ts';
import { cluster } from '../../bench/worlds/cluster/index.ts';
import { difference } from '../../bench/worlds/cluster/judge.ts';
import { simulate, workingOf } from '../../bench/worlds/cluster/simulate.ts';
import { buildSite, type Site } from '../../bench/worlds/cluster/site.ts';
import type { State } from '../../bench/worlds/cluster/state.ts';
import { withCase } from '../../bench/worlds/import.ts';
import type { WorldIncident } from '../../bench/worlds/world.ts';

/** A small site whose machines have two supplies each, on one utility without any UPS. */
function bareSite(): Site {
  const found = Array.from({ length: 200 }, (_, seed) => buildSite(seed)).find(
    ({ servers, pdus, jobs }) =>
      servers.length < 12 && servers[0]!.supplies.length === 2 && pdus[0]!.rated_w > 0 && jobs.length > 0,
  )!;
  return {
    ...found,
    seconds: 900,
    feeds: ['utility-a'],
    upses: [],
    pdus: found.pdus.map((pdu) => ({ ...pdu, ups: null, feed: 0 })),
  };
}

const during = (from_s: number, to_s: number, act: (state: State) => void): Fault => ({
  family: 'utility_sag',
  story: '',
  from_s,
  truth: { root: { kind: 'device', id: 'utility-a' }, same: [] },
  start: played({ during: [[from_s, to_s, act]] }),
});
const dip = (milliseconds: number): Fault =>
  during(300, 300.5, ({ feeds }) => {
    feeds[0]!.dip_ms = milliseconds;
    feeds[0]!.dip_volts = 0;
  });

test('a dip shorter than the hold-up time is harmless, a longer one turns everything off', () => {
  const site = bareSite();
  const base = simulate(site, []);
  const short = simulate(site, [dip(5)]);
  expect(short.journal.filter(({ what }) => what === 'host_off')).toEqual([]);
  expect(difference(short, base)).toEqual({ clear: [], slight: [] });
  const long = simulate(site, [dip(300)]);
  expect(long.journal.filter(({ what }) => what === 'host_off')).toHaveLength(site.servers.length);
  expect(difference(long, base).clear.map(({ name }) => name)).toEqual(
    expect.arrayContaining(site.jobs.map(({ name }) => name)),
  );
});

test('one of two supplies may fail where one can carry the machine', () => {
  const bare = bareSite();
  const site = { ...bare, servers: bare.servers.map((server) => ({ ...server, supply_w: 20_000 })) };
  const server = workingOf(site)[0]!;
  const fault = psuFailureAt(server, 0, { site, chance: new Chance(1, 'test'), at_s: 300 });
  const run = simulate(site, [fault]);
  expect(run.journal.map(({ what }) => what)).toContain('supply_broken');
  expect(difference(run, simulate(site, []))).toEqual({ clear: [], slight: [] });
});

test('without cooling a row warms until its GPUs slow down', () => {
  const bare = bareSite();
  const site = { ...bare, rows: bare.rows.map((row) => ({ ...row, warming: 8, setpoint_c: 24 })) };
  const run = simulate(site, [during(100, 900, ({ rows }) => rows[0]!.running.fill(false))]);
  expect(run.rows[0]!.at(-1)).toBeGreaterThan(60);
  const throttled = run.journal.find(({ what }) => what === 'gpu_throttled');
  expect(throttled!.at_s).toBeGreaterThan(150);
});

/** The first incident of few machines, which is soon made, that is so. */
function smallIncident(is: (incident: WorldIncident) => boolean): WorldIncident {
  for (let seed = 1; seed < 1000; seed++) {
    const incident = buildSite(seed).servers.length <= 4 ? cluster.make(seed) : undefined;
    if (incident && is(incident)) return incident;
  }
  throw new Error('no such incident among the first thousand');
}

test('a seed gives one incident, whose files go through the importers and name the root', async () => {
  const incident = smallIncident(({ labels }) => labels[0]?.expected === 'device');
  const [label] = incident.labels;
  expect(cluster.make(label!.seed)).toEqual(incident);
  const name = label!.root!.id.split('/').at(-1)!;
  expect([...incident.files.values()].some((text) => text.includes(name))).toBe(true);
  await withCase(cluster, label!.seed, undefined, async (reader) => {
    const services = (await reader.entities()).filter(({ kind }) => kind === 'service').map(({ id }) => id);
    expect(services).toEqual(expect.arrayContaining([...label!.affected_services]));
  });
});

test('what did no harm is expected to be blamed for nothing, whatever it was', () => {
  const { labels, calm, story } = smallIncident(
    (incident) => incident.family !== 'calm' && incident.labels.some(({ expected }) => expected === 'none'),
  );
  expect(story.length).toBeGreaterThan(0);
  expect(labels).toHaveLength(1);
  expect(labels[0]).toMatchObject({ affected_services: [], root: null, guilty_service: null });
  expect(calm.length).toBeGreaterThan(0);
});

test('two causes that meet in one service each count for the other', () => {
  const { labels } = smallIncident(
    (incident) => incident.labels.length === 2 && incident.labels.every(({ root }) => root !== null),
  );
  for (const { affected_services, root_equivalents } of labels) {
    const other = labels.find((one) => one.root_equivalents !== root_equivalents)!;
    const together = affected_services.some((name) => other.affected_services.includes(name));
    const near = labels[0]!.onset_ns < labels[1]!.end_ns && labels[1]!.onset_ns < labels[0]!.end_ns;
    if (together && near) expect(root_equivalents).toContainEqual(other.root);
  }
});
