import { createRandom } from '../random.ts';
import { Engine, type Second } from './engine.ts';
import type { Fault, Run } from './fault.ts';
import { metricsText } from './metrics.ts';
import { LONGEST_ANSWER, requestsOf } from './requests.ts';
import { faultAt_s, type Generated, type Scene } from './scene.ts';
import { OLD_VERSION } from './serving-faults.ts';
import { MODEL, replicasOf, servingTopology } from './site.ts';
import { latencies, spansText } from './spans.ts';

const normal = {
  cooling: 1,
  cap: 1,
  max_tokens: LONGEST_ANSWER,
  hit_chance: 0.92,
  version: OLD_VERSION,
  longest_prompt: Number.POSITIVE_INFINITY,
} as const;

/** A model behind a gateway, served by replicas of one engine, one fault among them. */
export function generateServing(scene: Scene, fault: Fault): Generated {
  const run = simulate(scene, fault);
  const files = new Map([
    // First: an entity keeps the attributes of its first data source, and these name the GPU model.
    ['metrics.jsonl.gz', metricsText(run, fault.engine)],
    ['topology.csv', servingTopology(run.replicas)],
    ...fault.files(run),
    ['traces.jsonl.gz', spansText(scene, run.served)],
  ]);
  return {
    files,
    truth: { at_s: faultAt_s(scene), subject: fault.subject(run), lines: [fault.cause(run), ...figures(run)] },
  };
}

function simulate(scene: Scene, fault: Fault): Run {
  const replicas = replicasOf(scene);
  const requests = requestsOf(scene, replicas.length);
  const engines = replicas.map((replica, i) => {
    const changed = fault.conditions(scene, replica);
    const conditions = (at_s: number) => ({ ...normal, ...changed(at_s) });
    return new Engine(replica, conditions, createRandom(scene.seed + 100 + i)).run(requests[i]!, scene.minutes * 60);
  });
  const served = engines.flatMap((engine) => engine.served).sort((a, b) => a.done_s - b.done_s);
  return { scene, replicas, served, seconds: engines.map(({ seconds }) => seconds) };
}

/** What the run came to, before the fault -> after it. */
function figures({ scene, served, seconds }: Run): string[] {
  const at = faultAt_s(scene);
  const change = (of: (second: Second) => number, digits = 0): string => {
    const mean = (part: (list: readonly Second[]) => readonly Second[]): string => {
      const values = seconds.flatMap((list) => part(list).map(of));
      return (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(digits);
    };
    return `${mean((list) => list.slice(0, at))} -> ${mean((list) => list.slice(at))}`;
  };
  const failed = (list: typeof served): string =>
    ((100 * list.filter(({ failure }) => failure !== '').length) / Math.max(1, list.length)).toFixed(1);
  const total = latencies(scene, served, ({ at_s, done_s }) => done_s - at_s);
  const prefill = latencies(
    scene,
    served.filter(({ failure }) => failure !== 'timeout'),
    ({ queued_s, decoding_s }) => decoding_s - queued_s,
  );
  const hottest = Math.round(Math.max(...seconds.flatMap((list) => list.map(({ temperature_c }) => temperature_c))));
  return [
    `${MODEL}: p50 ${total.p50.join(' -> ')} ms, p99 ${total.p99.join(' -> ')} ms, to the first token p50 ${prefill.p50.join(' -> ')} ms`,
    `failed requests: ${failed(served.filter(({ at_s }) => at_s < at))} -> ${failed(served.filter(({ at_s }) => at_s >= at))} %`,
    `per replica on average: ${change(({ running }) => running, 1)} running (of 32), ${change(({ waiting }) => waiting, 1)} waiting, GPU utilization ${change(({ utilization }) => 100 * utilization)} %, clock ${change(({ clock }) => 100 * clock)} %; hottest GPU ${hottest} °C`,
  ];
}
