import { afterEach, expect, test } from 'vitest';
import { ranking } from '../../src/core/analysis/ranking/parameters.ts';
import { devices, eventWithMessage, first, incidentsOf, metrics } from '../support/by-hand.ts';

/** Of many machines with events, those that are alike are weighed by two of them, and the verdict is the same. */

const PER_RACK = 20;
const hosts = Array.from({ length: 5 * PER_RACK }, (_, i) => `gx-${i}`);
const services = hosts.map((host) => `service|ranker runs_on server|${host}`);
const supplies = hosts.flatMap((host, i) => {
  const rack = Math.floor(i / PER_RACK);
  return ['a', 'b'].flatMap((side) => [
    ...(i % PER_RACK === 0 ? [`ups|ups-${side} feeds pdu|pdu-${side}-${rack}`] : []),
    `pdu|pdu-${side}-${rack} feeds server|${host}`,
  ]);
});
const onEach = (type: string, severity: string, from: number) =>
  hosts.map((host, i) => eventWithMessage(from + (i % 97) / 100, 'redfish', type, host, severity));

const usual = ranking.manySuspects;
const setMany = (count: number) => Object.assign(ranking, { manySuspects: count });
afterEach(() => setMany(usual));

async function eachWay(topology: readonly string[], events: ReturnType<typeof onEach>) {
  const found = [];
  for (const count of [10, Number.POSITIVE_INFINITY]) {
    setMany(count);
    found.push((await incidentsOf(topology.join('\n'), { events }, metrics('ranker')))[0]);
  }
  return found;
}

test('a UPS above machines that fail together is as probable', async () => {
  const transfer = eventWithMessage(689.5, 'ups', 'ups_transfer', 'ups-a', 'critical', 'On battery: utility failure');
  const events = [transfer, ...onEach('psu_failover', 'high', 690)];
  const [together, alone] = await eachWay([...services, ...supplies], events);
  expect(first(together)?.subject?.id).toBe('ups-a');
  expect(first(together)?.probability).toBeCloseTo(first(alone)!.probability, 3);
  expect(first(together)?.evidence).toEqual(first(alone)?.evidence);
});

test('a UPS that reported nothing above machines that fail together is as probable', async () => {
  const [together, alone] = await eachWay([...services, ...supplies], onEach('psu_failover', 'high', 690));
  expect(first(alone)?.subject?.kind).toBe('ups');
  expect(together?.hypotheses).toEqual(alone?.hypotheses);
});

test('a machine with an event that its neighbours do not have is weighed itself', async () => {
  const other = eventWithMessage(689, 'dmesg', 'host_degradation', 'gx-73', 'critical');
  const [together, alone] = await eachWay(services, [other, ...onEach('psu_failover', 'medium', 690)]);
  expect(devices(alone).map(({ subject }) => subject?.id)).toContain('gx-73');
  expect(together?.hypotheses).toEqual(alone?.hypotheses);
});

test('each machine that is listed has its own evidence', async () => {
  const some = onEach('host_degradation', 'critical', 689).slice(0, 12);
  const [together, alone] = await eachWay(services.slice(0, 14), some);
  const machines = devices(alone).filter(({ subject }) => subject?.kind === 'server');
  expect(machines.length).toBeGreaterThan(2);
  expect(together?.hypotheses).toEqual(alone?.hypotheses);
});
