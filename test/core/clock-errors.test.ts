import { expect, test } from 'vitest';
import { pollingIntervals } from '../../src/core/analysis/clocks/polling.ts';
import { eventWithMessage, first, incidentsOf, metrics, of } from '../support/by-hand.ts';

/** What came after the onset is a cause only by a clock error, and that has its price. */

const links = [1, 2, 3]
  .flatMap((n) => [`pdu|APC-7 feeds server|dub-${n}`, `service|service-${n} runs_on server|dub-${n}`])
  .concat('server|dub-1 contains gpu|dub-1-gpu-3')
  .join('\n');
const throttle = eventWithMessage(690, 'dcgm', 'thermal_throttle', 'dub-1-gpu-3', 'high');
const sag = (second: number) => eventWithMessage(second, 'pdu', 'voltage_sag', 'APC-7', 'critical');

test('a sag half a minute after the onset is not named before a GPU that throttled ahead of it', async () => {
  const incidents = await incidentsOf(links, { events: [throttle, sag(728)] }, metrics('service-1'));
  const incident = of(incidents, 'service-1');
  expect(first(incident)?.subject?.id).toBe('dub-1-gpu-3');
  const late = incident?.hypotheses.flatMap(({ evidence }) => evidence).find(({ kind }) => kind.startsWith('late'));
  expect(late?.text).toMatch(
    /^came \d+ s after the first anomaly: possible only if its clock is off by \d+ s, which no/,
  );
  expect(late?.weight).toBeLessThan(-1);
});

test('other services that begin to suffer right after a sag confirm its clock', async () => {
  const after = ['service-2', 'service-3'].map((name) => metrics(name, { onset: 740 }));
  const incidents = await incidentsOf(links, { events: [throttle, sag(728)] }, metrics('service-1'), ...after);
  const weights = of(incidents, 'service-1')?.hypotheses.flatMap(({ evidence }) => evidence);
  const late = weights?.find(({ kind }) => kind === 'late');
  expect(late?.text).toMatch(/off by \d+ s, though other records show that it is right$/);
  expect(first(of(incidents, 'service-2'))?.subject?.id).toBe('APC-7');
});

const failovers = (second: number) =>
  [1, 2, 3].map((n) => eventWithMessage(second + n / 10, 'redfish', 'psu_failover', `dub-${n}`, 'critical'));

test.each([
  [690, true],
  [728, false],
])(
  'what followed a sag at %i s, %s: it speaks for the sag only if either came before the onset',
  async (second, counts) => {
    const events = [throttle, sag(second), ...failovers(second)];
    const incident = of(await incidentsOf(links, { events }, metrics('service-1')), 'service-1');
    const suspect = incident?.hypotheses.find(({ type }) => type === 'voltage_sag');
    const effects = suspect?.evidence.filter(({ kind }) => kind === 'explains' || kind === 'predicted') ?? [];
    expect(effects.length).toBeGreaterThan(0);
    expect(effects.reduce((sum, { weight }) => sum + weight, 0) > 1).toBe(counts);
  },
);

test('two recorders in one file differ by a second, even if nothing speaks against their clocks', async () => {
  const tree = [`ups|Eaton-1 feeds pdu|APC-7`, `ups|Eaton-1 feeds pdu|APC-8`, links].join('\n');
  const sags = ['APC-7', 'APC-8'].map((pdu) => eventWithMessage(693.6, 'pdu', 'voltage_sag', pdu, 'critical'));
  // So many that they show that nothing is polled.
  const others = [3, 58, 131, 207, 266, 349, 402, 477, 538, 611].map((second) =>
    eventWithMessage(second, 'dcgm', 'thermal_throttle', 'dub-1-gpu-3', 'low'),
  );
  const named = async (origin: string) => {
    const transfer = eventWithMessage(690, origin, 'ups_transfer', 'Eaton-1', 'high');
    const events = [transfer, ...sags, ...others];
    const incident = of(await incidentsOf(tree, { events }, metrics('service-1')), 'service-1');
    const ups = incident?.hypotheses.find(({ type }) => type === 'ups_transfer');
    return ups?.evidence.some(({ kind, text }) => kind === 'explains' && text.includes('voltage sag'));
  };
  expect(await named('ups')).toBe(true);
  // One recorder agrees with itself: a sag of a transfer is seen within three seconds.
  expect(await named('pdu')).toBe(false);
});

const polledAt = (seconds: readonly number[]) =>
  pollingIntervals(seconds.map((second) => ({ source_id: 1, time_ns: BigInt(Math.round(second * 1e9)) }))).get(1);

test('a burst of events is one cycle of polling', () => {
  const burst = [0, 0.6, 1.3, 2, 2.9, 3.5, 4.2, 5];
  expect(polledAt([300, ...burst.map((second) => 600 + second)])).toBeUndefined();
  expect(polledAt([0, 300, 600, 1200, 1800].flatMap((cycle) => [cycle, cycle + 1.5]))).toBe(300);
});
