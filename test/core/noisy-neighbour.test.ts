import { expect, test } from 'vitest';
import { first, incidentsOf, metrics } from '../support/by-hand.ts';
import { memoryCore } from '../support/core.ts';
import { T0 } from '../support/scenario.ts';

const BEGIN = T0 / 1000;
const TIMES = Array.from({ length: 60 }, (_, i) => BEGIN + 15 * i);
/** A little before the onset of what {@link metrics} has. */
const STARTED = BEGIN + 692;
const LATE = TIMES.filter((time) => time > STARTED);

type Labels = Readonly<Record<string, string>>;
type Series = Readonly<{ metric: Labels; values: readonly (readonly [number, string])[] }>;

const series = (metric: Labels, times: readonly number[], of: (time: number) => number): Series => ({
  metric,
  values: times.map((time) => [time, of(time).toFixed(2)]),
});
const matrix = (...result: readonly Series[]) => ({ status: 'success', data: { resultType: 'matrix', result } });

/** Processor time as cAdvisor counts it. */
const counter = (pod: string, node: string, times: readonly number[], of: (time: number) => number): Series =>
  series({ __name__: 'container_cpu_usage_seconds_total', namespace: 'batch', pod, node }, times, of);
const going = counter('etl-2', 'n2', TIMES, (time) => 5000 + 3 * (time - BEGIN));
const started = (node: string) => counter('transcode-1', node, LATE, (time) => 52 * (time - STARTED));

/** The load of six machines, of which one has more to do during the incident. */
const loads = (busy: string): Series[] =>
  ['n1', 'n2', 'n3', 'n4', 'n5', 'n6'].map((node) =>
    series({ __name__: 'node_load1', node }, TIMES, (time) => {
      const level = node === busy && time > STARTED && time < BEGIN + 810 ? 104 : 27;
      return level * (1 + 0.02 * Math.sin(time));
    }),
  );

test('a pod whose processor time begins to count during the recording has started; one that goes on has not', async () => {
  const core = await memoryCore();
  // The first sample of one is late, but it has counted for hours; one does not count at all.
  const cron = counter('cron-3', 'n3', LATE, (time) => 90_000 + 2 * (time - BEGIN));
  const idle = counter('idle-4', 'n4', LATE, () => 12);
  await core.importJson(matrix(started('n1'), going, cron, idle));
  const { rows } = await core.api['query.sql']({
    sql: `select device_id, time_ns from events where type = 'pod_started'`,
  });
  expect(rows.map(([pod, time]) => [pod, Number(time) / 1e9])).toEqual([['batch/transcode-1', STARTED]]);
});

test.each([
  ['on a machine of the service is the suspect', 'n1', 'batch/transcode-1'],
  ['on another machine is none', 'n6', 'api'],
])('a pod that starts and takes the processors %s', async (_, node, suspect) => {
  const links = 'service|api runs_on node|n1\nservice|api runs_on node|n2';
  const [incident] = await incidentsOf(
    links,
    metrics('api', { errors: 0.1 }),
    matrix(...loads(node), going, started(node)),
  );
  expect(first(incident)?.subject?.id ?? 'api').toBe(suspect);
});
