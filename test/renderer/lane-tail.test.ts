import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Input, LaneData } from '../../src/model/contract/index.ts';
import { type Nanos, nanos } from '../../src/model/time.ts';
import type { Client } from '../../src/renderer/client/client.ts';
import { LaneStore, type Wanted } from '../../src/renderer/views/timeline/lane-store.ts';

const START_NS = 1_800_000_000_000_000_000n;
const SECOND_NS = 1_000_000_000n;
const at = (second: number): Nanos => nanos(START_NS + BigInt(Math.round(second * 1e9)));

interface Sample {
  readonly lane: string;
  readonly time: bigint;
  readonly value: number;
}

/** Responds as the core does, from samples in memory. */
function core(samples: readonly Sample[]) {
  const requests: Input<'timeline.data'>[] = [];
  const call = async (_: string, input: Input<'timeline.data'>): Promise<LaneData[]> => {
    requests.push(input);
    return input.lanes.map((lane) => answer(samples, lane, input));
  };
  return { asked: requests, client: { call } as unknown as Client };
}

function answer(samples: readonly Sample[], lane: string, { start_ns, end_ns, buckets }: Input<'timeline.data'>) {
  const column = () => new Float64Array(buckets).fill(Number.NaN);
  const data = { kind: 'metric' as const, lane, min: column(), max: column(), last: column() };
  for (const { time, value } of samples.filter((one) => one.lane === lane)) {
    if (time < start_ns || time > end_ns) continue;
    const bucket = Math.min(buckets - 1, Math.floor(Number(time - start_ns) * (buckets / Number(end_ns - start_ns))));
    data.min[bucket] = Math.min(data.min[bucket] || value, value);
    data.max[bucket] = Math.max(data.max[bucket] || value, value);
    data.last[bucket] = value;
  }
  return data;
}

beforeEach(() => void vi.useFakeTimers({ now: Number(START_NS / 1_000_000n) + 200_000 }));
afterEach(() => void vi.useRealTimers());

const lanes = ['a', 'b'];
/** A window of two minutes that ends a little after the recording, which has reached `second`. */
const following = (second: number): Wanted => ({
  window: { startNs: at(second - 108), endNs: at(second + 12) },
  bounds: { startNs: at(0), endNs: at(second) },
  lanes,
  pixels: 1200,
});

async function settle(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}

test('for a growing metric only the end is requested, and the result equals a full request', async () => {
  const samples: Sample[] = [];
  const measure = (second: number) => {
    for (const lane of lanes) samples.push({ lane, time: at(second + 0.37), value: 100 + Math.sin(second) * 20 });
  };
  for (let second = 0; second < 200; second++) measure(second);
  const { asked: requests, client } = core(samples);
  const store = new LaneStore(client, () => undefined);
  store.want(following(200));
  await settle();
  const [first] = requests.splice(0);
  for (let second = 200; second < 209; second++) {
    measure(second);
    await vi.advanceTimersByTimeAsync(1000);
    store.rowsCame();
    store.want(following(second + 1));
    await settle();
  }
  expect(requests.length).toBe(9);
  for (const { start_ns, end_ns } of requests) expect(end_ns - start_ns).toBeLessThan(24n * SECOND_NS);
  for (const lane of lanes) {
    const entry = store.get(lane);
    if (entry?.data.kind !== 'metric' || !first) throw new Error('there is no line');
    const { startNs: start_ns, endNs: end_ns } = entry;
    expect([start_ns, end_ns]).toEqual([first.start_ns, first.end_ns]);
    expect(entry.data).toEqual(answer(samples, lane, { ...first, lanes }));
  }
});

test('late samples are found by an occasional full request', async () => {
  const samples: Sample[] = [];
  for (let second = 0; second < 200; second += 2) samples.push({ lane: 'a', time: at(second), value: 1 });
  const { asked, client } = core(samples);
  const store = new LaneStore(client, () => undefined);
  store.want(following(200));
  await settle();
  samples.push({ lane: 'a', time: at(150), value: 999 });
  const highest = (): number => {
    const data = store.get('a')?.data;
    return data?.kind === 'metric' ? Math.max(...data.max.filter((value) => !Number.isNaN(value))) : 0;
  };
  for (let second = 201; second < 205; second++) {
    await vi.advanceTimersByTimeAsync(1000);
    store.rowsCame();
    store.want(following(second));
    await settle();
  }
  expect(highest()).toBe(1);
  await vi.advanceTimersByTimeAsync(8000);
  store.rowsCame();
  store.want(following(212));
  await settle();
  expect(highest()).toBe(999);
  expect(asked.filter(({ start_ns, end_ns }) => end_ns - start_ns > 100n * SECOND_NS)).toHaveLength(2);
});

test('another window is requested in full', async () => {
  const { asked, client } = core([]);
  const store = new LaneStore(client, () => undefined);
  store.want(following(200));
  await settle();
  store.rowsCame();
  await vi.advanceTimersByTimeAsync(1000);
  store.want({ ...following(200), window: { startNs: at(190), endNs: at(202) } });
  await settle();
  expect(asked.map(({ start_ns, end_ns }) => (end_ns - start_ns) / SECOND_NS)).toEqual([240n, 24n]);
});
