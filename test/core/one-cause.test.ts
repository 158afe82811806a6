import { expect, test } from 'vitest';
import { devices, eventWithMessage, first, incidentsOf, metrics } from '../support/by-hand.ts';

/** One cause that shows at several places is one hypothesis; places that exclude each other are not. */

const hosts = [1, 2, 3, 4].map((n) => `ams-${n}`);
const twoFeeds = [
  ...['A', 'B'].map((side) => `ups|Eaton-${side} feeds pdu|Raritan-${side}`),
  ...hosts.flatMap((host) => [
    `pdu|Raritan-A feeds server|${host}`,
    `pdu|Raritan-B feeds server|${host}`,
    `service|ranker runs_on server|${host}`,
  ]),
].join('\n');
const transfer = (second: number, side: string) =>
  eventWithMessage(second, `ups-${side}`, 'ups_transfer', `Eaton-${side}`, 'critical', 'On battery: utility failure');
const capped = hosts.map((host, i) => eventWithMessage(692 + 0.3 * i, 'redfish', 'cpu_power_cap', host, 'high'));

test('two UPSs that lose the mains together are one hypothesis, with both names', async () => {
  const [incident] = await incidentsOf(
    twoFeeds,
    { events: [transfer(690, 'A'), transfer(690.4, 'B'), ...capped] },
    metrics('ranker'),
  );
  const named = devices(incident).filter(({ type }) => type === 'ups_transfer');
  expect(named).toHaveLength(1);
  expect([named[0]?.subject, ...(named[0]?.also ?? [])].map((one) => one?.id).sort()).toEqual(['Eaton-A', 'Eaton-B']);
  expect(first(incident)).toBe(named[0]);
  expect(named[0]?.evidence.find(({ kind }) => kind === 'same_on_twins')?.text).toMatch(
    /look at what feeds all of them/,
  );
});

test('a UPS that went on battery minutes before the other one is another hypothesis', async () => {
  const [incident] = await incidentsOf(
    twoFeeds,
    { events: [transfer(390, 'A'), transfer(690, 'B'), ...capped] },
    metrics('ranker'),
  );
  expect(first(incident)?.subject?.id).toBe('Eaton-B');
  expect(first(incident)?.also).toBeUndefined();
});

test('of two silent feeds of the same machines one failed, and which is undecided', async () => {
  const failovers = hosts.map((host, i) => eventWithMessage(690 + 0.3 * i, 'redfish', 'psu_failover', host, 'high'));
  const [incident] = await incidentsOf(twoFeeds, { events: [...failovers, ...capped] }, metrics('ranker'));
  expect(
    devices(incident)
      .slice(0, 2)
      .map(({ also }) => also),
  ).toEqual([undefined, undefined]);
  expect(first(incident)?.probability).toBeLessThan(0.6);
});

test('a feed that the machines name as lost is the one that failed, whichever clock wrote first', async () => {
  const failovers = hosts.map((host, i) => ({
    ...eventWithMessage(694 + 0.3 * i, 'redfish', 'psu_failover', host, 'high'),
    metadata: { failed_psu: 'PSU-A' },
  }));
  // The clock of what read these is ten seconds slow.
  const early = hosts.map((host, i) => eventWithMessage(684 + 0.3 * i, 'rapl', 'cpu_power_cap', host, 'high'));
  const [incident] = await incidentsOf(twoFeeds, { events: [...failovers, ...early] }, metrics('ranker'));
  expect(first(incident)?.subject?.id).toBe('Raritan-A');
  expect(devices(incident).some(({ subject }) => subject?.id === 'Raritan-B')).toBe(false);
});

const ports = ['swp1', 'swp2', 'swp3'];
const leaf = [
  ...ports.flatMap((port, i) => [
    `switch|leaf-1 contains port|leaf-1/${port}`,
    `port|leaf-1/${port} connects nic|gx-${i}/eth0`,
    `server|gx-${i} contains nic|gx-${i}/eth0`,
    `service|search runs_on server|gx-${i}`,
  ]),
].join('\n');

test('a switch whose ports all show congestion is named itself', async () => {
  const congested = ports.map((port, i) =>
    eventWithMessage(692 + 0.2 * i, 'syslog', 'network_congestion', `leaf-1/${port}`, 'high'),
  );
  const [incident] = await incidentsOf(leaf, { events: congested }, metrics('search'));
  expect(first(incident)).toMatchObject({ type: 'network_congestion', subject: { kind: 'switch', id: 'leaf-1' } });
  const remark = first(incident)?.evidence.find(({ kind }) => kind === 'same_on_parts');
  for (const port of ports) expect(remark?.text).toContain(`leaf-1/${port}`);
});

test('a port alone is named itself', async () => {
  const [incident] = await incidentsOf(
    leaf,
    { events: [eventWithMessage(692, 'syslog', 'link_down', 'leaf-1/swp2', 'critical')] },
    metrics('search'),
  );
  expect(first(incident)?.subject).toEqual({ kind: 'port', id: 'leaf-1/swp2' });
});
