import { expect, test } from 'vitest';
import { ConcurrentEvents, isWithin, type Reach } from '../../src/core/analysis/causality/concurrent-events.ts';
import { PeerReadings } from '../../src/core/analysis/causality/peer-readings.ts';
import { median } from '../../src/core/analysis/statistics.ts';
import type { EventFact } from '../../src/core/store/facts/reader.ts';

/** Reproducible numbers from 0 up to a limit. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const late_s = ({ event_id }: EventFact): number => event_id % 2;

/** Many at the same instant, of several sources, types and uncertainties. */
function randomEvents(next: (limit: number) => number): EventFact[] {
  const events = Array.from({ length: 60 }, (_, i): EventFact => {
    const source_id = next(4);
    return {
      ...{ event_id: i, original_id: `e${i}`, source_id, entity: next(12), device_id: `d${next(12)}`, origin: 'test' },
      ...{ type: ['psu_failover', 'cpu_power_cap'][next(2)]!, severity: 1, message: '', details: {} },
      time_ns: BigInt(next(40)) * 500_000_000n,
      clock_uncertainty_ns: BigInt(source_id % 2) * 2_000_000_000n,
    };
  });
  return events.sort((a, b) => Number(a.time_ns - b.time_ns) || a.event_id - b.event_id);
}

const reach: Reach = (one, clocks_s) => [
  -1 - clocks_s,
  (one.type === 'psu_failover' ? 1.5 : 3) + clocks_s + late_s(one),
];

test.each([1, 2, 3, 4, 5, 6, 7, 8])('concurrent events are counted as one by one, random case %i', (seed) => {
  const next = numbers(seed);
  const events = randomEvents(next);
  const counter = new ConcurrentEvents(events, { keysOf: ({ device_id }) => [device_id], late_s });
  // Also in an order that jumps.
  for (const event of [...events, ...events.toSorted((a, b) => a.event_id - b.event_id)]) {
    const without = events.filter(() => next(9) === 0);
    const expected = events.filter((one) => !without.includes(one) && isWithin(one, event, reach));
    expect(counter.around(event, reach, without)).toEqual({
      events: expected.length,
      keys: new Set(expected.map(({ device_id }) => device_id)).size,
    });
  }
});

test.each([1, 2, 3])('a median of all machines but one, random case %i', (seed) => {
  const next = numbers(seed);
  const readings = Array.from({ length: 30 + seed }, () => ({
    machine: next(9),
    z: next(10) === 0 ? Number.NaN : next(5),
  }));
  const peers = new PeerReadings(readings);
  for (let machine = 0; machine < 10; machine++) {
    const others = readings.filter((one) => one.machine !== machine);
    expect(peers.countWithout(machine)).toBe(others.length);
    expect(peers.medianWithout(machine)).toBe(median(others.map(({ z }) => z)));
  }
});
