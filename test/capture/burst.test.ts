import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BurstRing } from '../../src/core/api/captures/burst-ring.ts';
import { feeds } from '../../src/main/capture/index.ts';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';
import { appendSample } from '../../src/model/rows/records.ts';
import type { RowBatch } from '../../src/model/rows/rows.ts';
import { pause, reaches } from '../support/capture-run.ts';
import { openTestCore, temporaryFolder } from '../support/core.ts';

const START_NS = 1_767_225_600_000_000_000n;
const at = (second: number): bigint => START_NS + BigInt(Math.round(second * 1e9));
const burst = { every_s: 0.1, regular_s: 1, metrics: ['hw.power'], before_s: 2, after_s: 1 };

function batch(second: number): RowBatch {
  const builder = new BatchBuilder();
  for (const metric of ['hw.power', 'hw.energy'] as const)
    appendSample(builder, { metric, entity: builder.entity('server', 'a'), time_ns: at(second), value: second });
  return builder.finish(0);
}

/** Seconds at which samples of a metric were stored. */
function secondsOf(batches: readonly RowBatch[], metric: string): number[] {
  return batches.flatMap(({ tables, series }) => {
    const { columns, count } = tables.point!;
    return Array.from({ length: count }, (_, row) => row)
      .filter((row) => series[columns.series[row]!]?.metric === metric)
      .map((row) => Number(columns.time_ns[row]! - START_NS) / 1e9);
  });
}

test('samples are thinned and buffered; a trigger releases all of them', () => {
  const ring = new BurstRing(burst);
  const retained: RowBatch[] = [];
  for (let tenth = 0; tenth <= 80; tenth++) {
    retained.push(ring.take(batch(tenth / 10), at(tenth / 10)));
    if (tenth === 50) retained.push(...ring.trigger(at(5)));
  }
  const power = secondsOf(retained, 'hw.power').sort((a, b) => a - b);
  const between = (from: number, to: number) => power.filter((second) => second >= from && second < to).length;
  expect(between(0, 3)).toBe(3);
  // Two seconds before the trigger and one after it: ten a second, none twice.
  expect(between(3, 6)).toBe(30);
  expect(new Set(power).size).toBe(power.length);
  expect(between(7, 8)).toBeLessThanOrEqual(2);
  expect(secondsOf(retained, 'hw.energy').length).toBeLessThanOrEqual(9);
});

/** A poll of so many sensors. */
function poll(second: number, sensors: number): RowBatch {
  const builder = new BatchBuilder();
  for (let sensor = 0; sensor < sensors; sensor++)
    appendSample(builder, {
      metric: 'hw.power',
      entity: builder.entity('server', `s${sensor}`),
      time_ns: at(second),
      value: second,
    });
  return builder.finish(0);
}

test('a minute of polls names each series once, in order of arrival', () => {
  const ring = new BurstRing({ ...burst, before_s: 60 });
  for (let tenth = 0; tenth <= 600; tenth++) ring.take(poll(tenth / 10, 50), at(tenth / 10));
  const input = ring.trigger(at(60));
  expect(input.reduce((sum, { series }) => sum + series.length, 0)).toBe(50);
  expect(input.reduce((sum, { entities }) => sum + entities.length, 0)).toBe(50);
  // Nine of ten: the tenth was kept at once.
  const times = secondsOf(input, 'hw.power');
  expect(times).toHaveLength(50 * 540);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  const [batch] = input as [RowBatch];
  const { columns } = batch.tables.point!;
  const owners = [...columns.series].map((series) => batch.entities[batch.series[series]?.entity ?? -1]?.id);
  expect(Map.groupBy(owners, (owner) => owner).size).toBe(50);
  expect(ring.isShort).toBe(false);
  expect(ring.trigger(at(60))).toEqual([]);
});

test('the buffer is limited to the newest samples, with a remark', () => {
  const ring = new BurstRing({ ...burst, before_s: 60 }, 1000);
  for (let tenth = 0; tenth <= 600; tenth++) ring.take(poll(tenth / 10, 10), at(tenth / 10));
  expect(ring.isShort).toBe(true);
  const times = secondsOf(ring.trigger(at(60)), 'hw.power');
  expect(times.length).toBeGreaterThan(900);
  expect(times.length).toBeLessThanOrEqual(1000);
  expect(times[0]).toBeGreaterThan(45);
});

test('an event of one feed triggers a burst of another, with the samples before it', async () => {
  const root = join(await temporaryFolder(), 'powercap');
  await mkdir(join(root, 'intel-rapl:0'), { recursive: true });
  const write = (name: string, text: string) => writeFile(join(root, 'intel-rapl:0', name), text);
  await write('name', 'package-0\n');
  await write('max_energy_range_uj', '262143328850\n');
  await write('energy_uj', '1000000\n');
  const core = await openTestCore(undefined, { feeds });
  const stop = new AbortController();
  const plan = `feeds:
    - {kind: rapl, root: ${JSON.stringify(root)}, host: node-1, every_s: 1, burst: {metrics: [hw.energy], before_s: 2, after_s: 2}}
    - {kind: otlp, grpc: null, http: "127.0.0.1:0"}`;
  let url = '';
  const running = (async () => {
    for await (const event of core.api['capture.run']({ plan }, { signal: stop.signal }))
      if (event.kind === 'feed' && event.about.includes('http'))
        url = `http://${/127\.0\.0\.1:\d+/.exec(event.about)?.[0]}`;
  })();
  const voltage = (volts: number) =>
    fetch(`${url}/v1/metrics`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        resourceMetrics: [
          {
            resource: {
              attributes: [
                { key: 'faultline.entity.kind', value: { stringValue: 'pdu' } },
                { key: 'faultline.entity.id', value: { stringValue: 'pdu-b' } },
              ],
            },
            scopeMetrics: [
              {
                metrics: [
                  {
                    name: 'hw.voltage',
                    unit: 'V',
                    gauge: {
                      dataPoints: [
                        {
                          timeUnixNano: String(BigInt(Date.now()) * 1_000_000n),
                          asDouble: volts,
                          attributes: [{ key: 'lower_critical', value: { doubleValue: 207 } }],
                        },
                      ],
                    },
                  },
                ],
              },
            ],
          },
        ],
      }),
    });
  while (url === '') await pause(20);
  await voltage(230);
  // Real time is the subject: what lies more than two seconds before the event stays thinned.
  await pause(4500);
  await voltage(190);
  const sag_s = "(select epoch(time_utc) from events where type = 'voltage_sag')";
  await reaches(core, `select max(epoch(time_utc)) - ${sag_s} from metrics where metric = 'hw.energy'`, 1.3);
  stop.abort();
  await running;
  const query = async (sql: string) => (await core.api['query.sql']({ sql })).rows;
  const [[sag]] = (await query("select epoch(time_utc) from events where type = 'voltage_sag'")) as [[number]];
  const times = (await query("select epoch(time_utc) from metrics where metric = 'hw.energy' order by 1")).map(
    ([time]) => Number(time),
  );
  const between = (from: number, to: number) => times.filter((time) => time >= sag + from && time < sag + to).length;
  expect(between(-5, -3)).toBeLessThanOrEqual(3);
  // A busy machine polls less often than it should; thinned it would be one or two.
  expect(between(-1, 0)).toBeGreaterThanOrEqual(4);
  expect(between(0.2, 1.2)).toBeGreaterThanOrEqual(4);
});
