import { expect, test } from 'vitest';
import { defaultMechanisms, parseMechanisms } from '../../src/core/analysis/causality/mechanisms.ts';
import type { ClockEstimate } from '../../src/core/analysis/clocks/clock-estimate.ts';
import { type ClockOptions, estimateClocks } from '../../src/core/analysis/clocks/estimate-clocks.ts';
import { EventRecording, fleet, logUniform, pick, type RecorderOptions, randomFrom } from '../support/clock-world.ts';

const HOUR_S = 3600;
const [STEADY, OTHER] = [1, 2];
const place = fleet(4, 8);
const gpus = [...place.gpus.values()].flat();
const instant = (random: () => number): number => 60 + random() * (HOUR_S - 120);

function recordingOf(other: RecorderOptions, steady: RecorderOptions = {}): EventRecording {
  const recording = new EventRecording(HOUR_S);
  recording.recorder(STEADY, steady);
  recording.recorder(OTHER, other);
  return recording;
}

/** Three events that both data sources recorded, or three sags of which a server failed over. */
function link(recording: EventRecording, random: () => number, kind: 'twins' | 'sags', pairs = 3): void {
  for (let i = 0; i < pairs; i++) {
    const at = instant(random);
    if (kind === 'twins') {
      const gpu = pick(random, gpus);
      recording.write(STEADY, at + 0.02 * random(), 'xid_error', gpu);
      recording.write(OTHER, at + 0.1 * random(), 'xid_error', gpu);
    } else {
      const pdu = Math.floor(random() * place.pdus.length);
      recording.write(STEADY, at, 'voltage_sag', place.pdus[pdu]!);
      const server = pick(random, place.servers[pdu] as number[]);
      recording.write(OTHER, at + logUniform(random, 0.05, 3), 'psu_failover', server);
    }
  }
}

function estimate(chronicle: EventRecording, options: Partial<ClockOptions> = {}): ClockEstimate[] {
  return estimateClocks(chronicle.events, place.graph, defaultMechanisms(), {
    sources: chronicle.sources(),
    reference: STEADY,
    ...options,
  });
}
const seconds = (ns: bigint): number => Number(ns) / 1e9;
const other = (estimates: readonly ClockEstimate[]): ClockEstimate =>
  estimates.find(({ source_id }) => source_id === OTHER)!;
const p90 = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(0.9 * values.length)]!;

/** Errors of 100 worlds whose other clock is off by up to 30 s; an untold clock is not left out. */
function errorsOf(kind: 'twins' | 'sags', pairs: number) {
  let covered = 0;
  const errors = Array.from({ length: 100 }, (_, seed) => {
    const random = randomFrom(100 * pairs + seed);
    const ahead = 60 * random() - 30;
    const chronicle = recordingOf({ ahead });
    link(chronicle, random, kind, pairs);
    const estimated = other(estimate(chronicle));
    const error = Math.abs(seconds(estimated.correction_ns) + ahead);
    if (error <= seconds(estimated.uncertainty_ns)) covered++;
    return error;
  });
  return { p90: p90(errors), covered: covered / errors.length };
}

test('three common events estimate a clock offset of up to 30 s within 200 ms (p90)', () => {
  const { p90, covered } = errorsOf('twins', 3);
  expect(p90).toBeLessThan(0.2);
  expect(covered).toBeGreaterThanOrEqual(0.95);
});

test('pairs of a mechanism of 0.05 to 3 s give a larger uncertainty', () => {
  const three = errorsOf('sags', 3);
  expect(three.p90).toBeLessThan(1);
  expect(three.covered).toBeGreaterThanOrEqual(0.9);
  expect(errorsOf('sags', 24).p90).toBeLessThan(0.25);
});

test.each([STEADY, OTHER])(
  'a narrow mechanism from a part to its machine needs three pairs, for any recorder of the cause: %i',
  (from) => {
    const mechanisms = parseMechanisms(`
version: 2
harms: {}
silent: {}
roots: {}
mechanisms:
  - { cause: gpu_lost, effect: host_degradation, relation: above, delay_s: [0.02, 0.5], strength: 0.9, source: test }
`);
    const errors = Array.from({ length: 50 }, (_, seed) => {
      const random = randomFrom(seed);
      const ahead = 60 * random() - 30;
      const chronicle = recordingOf({ ahead });
      for (let i = 0; i < 3; i++) {
        const [at, server] = [instant(random), pick(random, place.allServers)];
        chronicle.write(from, at, 'gpu_lost', pick(random, place.gpus.get(server) as number[]));
        const delay = logUniform(random, 0.02, 0.5);
        chronicle.write(from === STEADY ? OTHER : STEADY, at + delay, 'host_degradation', server);
      }
      const options = { sources: chronicle.sources(), reference: STEADY };
      const found = other(estimateClocks(chronicle.events, place.graph, mechanisms, options));
      return Math.abs(seconds(found.correction_ns) + ahead);
    });
    expect(p90(errors)).toBeLessThan(0.2);
  },
);

test('controllers whose clocks are right teach how long a mechanism takes, and make a wide one sharp', () => {
  const errors = Array.from({ length: 60 }, (_, seed) => {
    const random = randomFrom(seed);
    const ahead = 60 * random() - 30;
    const chronicle = recordingOf({ ahead });
    const typical = logUniform(random, 0.1, 2);
    for (const source of [3, 4, 5]) chronicle.recorder(source);
    for (let i = 0; i < 6; i++) {
      const at = instant(random);
      const pdu = Math.floor(random() * place.pdus.length);
      const servers = place.servers[pdu] as number[];
      chronicle.write(STEADY, at, 'voltage_sag', place.pdus[pdu]!);
      for (const source of [OTHER, 3, 4, 5])
        chronicle.write(source, at + typical * (0.8 + 0.4 * random()), 'psu_failover', servers[source]!);
      for (const source of [3, 4, 5]) {
        const [seen, gpu] = [instant(random), (place.gpus.get(servers[source]!) as number[])[0]!];
        chronicle.write(STEADY, seen, 'xid_error', gpu);
        chronicle.write(source, seen + 0.05 * random(), 'xid_error', gpu);
      }
    }
    return Math.abs(seconds(other(estimate(chronicle)).correction_ns) + ahead);
  });
  expect(p90(errors)).toBeLessThan(0.2);
});

test('nothing is estimated for unrelated data sources', () => {
  let invented = 0;
  for (let seed = 0; seed < 200; seed++) {
    const random = randomFrom(seed);
    const chronicle = recordingOf({});
    for (let i = 0; i < 30; i++) {
      chronicle.write(STEADY, instant(random), 'voltage_sag', pick(random, place.pdus));
      chronicle.write(STEADY, instant(random), 'xid_error', pick(random, gpus.slice(0, 8)));
      chronicle.write(OTHER, instant(random), 'xid_error', pick(random, gpus.slice(0, 8)));
      const [burst, servers] = [instant(random), pick(random, place.servers)];
      if (i < 6) for (const server of servers) chronicle.write(OTHER, burst + random(), 'psu_failover', server);
    }
    if (estimate(chronicle).some(({ correction_ns }) => correction_ns !== 0n)) invented++;
  }
  expect(invented / 200).toBeLessThanOrEqual(0.02);
});

test('a clock that is right is left alone', () => {
  for (let seed = 0; seed < 30; seed++) {
    const chronicle = recordingOf({});
    link(chronicle, randomFrom(seed), seed % 2 ? 'sags' : 'twins', 8);
    const found = other(estimate(chronicle));
    expect(Math.abs(seconds(found.correction_ns))).toBeLessThan(0.2);
    if (found.correction_ns === 0n) expect(found.remark).toMatch(/^agrees with source-1 within/);
  }
});

test.each([
  [60, 'recorded 1 h ahead of source-1: looks like a time zone (UTC+1), not a drifting clock'],
  [-300, 'recorded 5 h behind source-1: looks like a time zone (UTC-5), not a drifting clock'],
  [330, 'recorded 5 h 30 min ahead of source-1: looks like a time zone (UTC+5:30), not a drifting clock'],
  [345, 'recorded 5 h 45 min ahead of source-1: looks like a time zone (UTC+5:45), not a drifting clock'],
  [-15, 'recorded 15 min behind source-1: whole quarters of an hour: looks like two time zones'],
])('a clock that is %i minutes ahead is named as such', (minutes, remark) => {
  const random = randomFrom(7);
  const chronicle = recordingOf({ ahead: minutes * 60 });
  link(chronicle, random, 'twins', 4);
  const found = other(estimate(chronicle));
  expect(found.error).toBe('zone');
  expect(found.remark).toContain(remark);
  expect(seconds(found.offset_ns)).toBeCloseTo(-minutes * 60, 0);
});

test.each([
  [
    -8 * HOUR_S,
    1,
    [3],
    'possibly recorded 8 h behind source-1, as in another time zone (UTC-8): 2 events would be linked then',
  ],
  [
    5.5 * HOUR_S + 2,
    2,
    [3],
    'recorded 5 h 30 min ahead of source-1, as in another time zone (UTC+5:30): 4 events would be linked then',
  ],
  // Half a minute beside the hour, hours that no zone has, others of the same time, nothing that the others agree on.
  [-8 * HOUR_S + 30, 1, [3], null],
  [6.25 * HOUR_S, 1, [3], null],
  [-8 * HOUR_S, 1, [3, 4], null],
  [-8 * HOUR_S, 1, [], null],
])('few pairs of a recording %i s apart from the others', (ahead, pairs, expectedOther, remark) => {
  const chronicle = recordingOf({ ahead });
  for (const source of expectedOther) chronicle.recorder(source, source === 4 ? { ahead } : {});
  link(chronicle, randomFrom(9), 'twins', pairs);
  const found = other(estimate(chronicle));
  expect(found).toMatchObject({ method: 'unknown', error: 'unknown', correction_ns: 0n });
  const quarters = BigInt(-Math.round(ahead / 900));
  expect(found.perhaps?.correction_ns ?? null).toBe(remark === null ? null : quarters * 900_000_000_000n);
  expect(found.remark).toContain(remark ?? 'not estimated: ');
});

test('a wrong zone and a drifting clock are estimated together', () => {
  const chronicle = recordingOf({ ahead: 3600 + 12 });
  link(chronicle, randomFrom(3), 'twins', 5);
  const found = other(estimate(chronicle));
  expect(found.error).toBe('zone');
  expect(found.remark).toMatch(/UTC\+1\).*; 12\.\d s remain/);
  expect(seconds(found.correction_ns)).toBeCloseTo(-3612, 0);
});

test('a manual offset is used, and a contradiction by the pairs is reported', () => {
  const chronicle = recordingOf({ ahead: 20, fixed: true, offset_ns: -5_000_000_000n, uncertainty_ns: 100_000_000n });
  link(chronicle, randomFrom(5), 'twins', 6);
  const found = other(estimate(chronicle));
  expect(found).toMatchObject({ method: 'given', offset_ns: -5_000_000_000n, correction_ns: 0n });
  expect(found.uncertainty_ns).toBe(100_000_000n);
  expect(found.remark).toMatch(/^set by the investigator; its linked pairs suggest 15\.\d\d s ahead$/);
});

test('a manual clock is the reference of others', () => {
  const chronicle = recordingOf({ ahead: 20 }, { fixed: true, offset_ns: 7_000_000_000n, ahead: -7 });
  link(chronicle, randomFrom(6), 'twins', 5);
  const found = other(
    estimateClocks(chronicle.events, place.graph, defaultMechanisms(), { sources: chronicle.sources() }),
  );
  expect(found.reference).toBe(STEADY);
  expect(seconds(found.correction_ns)).toBeCloseTo(-20, 0);
});

test('of many clocks the one that most agree with is the reference, and only the wrong one is corrected', () => {
  const chronicle = new EventRecording(HOUR_S);
  const random = randomFrom(12);
  for (const source of [1, 2, 3, 4]) chronicle.recorder(source, { ahead: source === 1 ? 25 : 0 });
  for (let i = 0; i < 8; i++) {
    const [at, gpu] = [instant(random), pick(random, gpus)];
    for (const source of [1, 2, 3, 4]) chronicle.write(source, at + 0.03 * random(), 'xid_error', gpu);
  }
  const found = estimateClocks(chronicle.events, place.graph, defaultMechanisms(), { sources: chronicle.sources() });
  expect(found.map(({ error }) => error)).toEqual(['shift', 'none', 'none', 'none']);
  expect(seconds(found[0]?.correction_ns ?? 0n)).toBeCloseTo(-25, 0);
});

test('one or two linked pairs give no estimate but widen the uncertainty', () => {
  const chronicle = recordingOf({ ahead: 6 });
  link(chronicle, randomFrom(9), 'sags', 1);
  const found = other(estimate(chronicle));
  expect(found).toMatchObject({ method: 'unknown', correction_ns: 0n, remark: 'not estimated: only one linked pair' });
  expect(seconds(found.uncertainty_ns)).toBeGreaterThan(4);
  expect(other(estimate(recordingOf({}))).remark).toBe('not estimated: no linked event pairs with another source');
});

test('periodic events are ambiguous', () => {
  const chronicle = recordingOf({ ahead: 17 });
  for (let minute = 1; minute < 58; minute++)
    for (const source of [STEADY, OTHER]) chronicle.write(source, 60 * minute, 'thermal_throttle', gpus[0]!);
  const found = other(estimate(chronicle));
  expect(found.method).toBe('unknown');
  expect(found.correction_ns).toBe(0n);
});

test('times cut to whole seconds are detected and estimated at the middle of the second', () => {
  const chronicle = recordingOf({ ahead: -8, digits: 1 });
  link(chronicle, randomFrom(21), 'twins', 24);
  const found = other(estimate(chronicle));
  expect(found.resolution_ns).toBe(1_000_000_000n);
  // Recorded half a second early on average, which is not the clock's fault.
  expect(Math.abs(seconds(found.correction_ns) - 8)).toBeLessThan(0.2);
});

test('drift is reported for a fast clock only', () => {
  for (const ppm of [0, 200]) {
    const chronicle = recordingOf({ ahead: 5, ppm });
    link(chronicle, randomFrom(30), 'twins', 40);
    const { drift_ppm, uncertainty_ns } = other(estimate(chronicle));
    if (ppm === 0) expect(drift_ppm).toBeNull();
    else {
      expect(Math.abs((drift_ppm ?? 0) - ppm)).toBeLessThan(40);
      // 200 ppm of half an hour either way.
      expect(seconds(uncertainty_ns)).toBeGreaterThan(0.3);
    }
  }
});

test('events that samples show happened before they were seen', () => {
  const random = randomFrom(41);
  const chronicle = recordingOf({ ahead: 10 });
  const floors = new Map<number, number>();
  for (let i = 0; i < 24; i++) {
    const [at, gpu] = [instant(random), pick(random, gpus)];
    chronicle.write(STEADY, at, 'xid_error', gpu);
    floors.set(chronicle.write(OTHER, Math.ceil(at / 15) * 15, 'xid_error', gpu), 15);
  }
  expect(Math.abs(seconds(other(estimate(chronicle, { floors })).correction_ns) + 10)).toBeLessThan(2);
});

test('the order of the events does not matter, and nothing is left to chance', () => {
  const random = randomFrom(55);
  const chronicle = recordingOf({ ahead: -11 });
  link(chronicle, random, 'twins', 5);
  link(chronicle, random, 'sags', 10);
  for (let i = 0; i < 200; i++)
    chronicle.write(pick(random, [1, 2]), instant(random), 'power_brake', pick(random, gpus));
  const found = estimate(chronicle);
  for (let round = 0; round < 3; round++) {
    const shuffled = chronicle.events
      .map((event) => ({ event, key: random() }))
      .sort((a, b) => a.key - b.key)
      .map(({ event }) => event);
    const sources = chronicle.sources().toReversed();
    expect(estimateClocks(shuffled, place.graph, defaultMechanisms(), { sources, reference: STEADY })).toEqual(found);
  }
});
