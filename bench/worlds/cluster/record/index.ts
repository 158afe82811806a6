import type { Run } from '../simulate.ts';
import { recordCloud } from './cloud.ts';
import { recordControllers } from './controllers.ts';
import { recordGpus } from './gpus.ts';
import { recordHosts } from './hosts.ts';
import { recordJobs } from './jobs.ts';
import { recordKernel } from './kernel.ts';
import { recordKubernetes } from './kubernetes.ts';
import { recordMap } from './map.ts';
import { recordMetrics } from './metrics.ts';
import { Scene } from './scene.ts';
import { recordSpans } from './spans.ts';
import { recordTraps } from './traps.ts';

/** Recorders by how often a site has them; what requests did is always recorded, by spans or metrics or both. */
const recorders = [
  ['traps', 0.85, recordTraps],
  ['controllers', 0.85, recordControllers],
  ['kernel', 0.88, recordKernel],
  ['kubernetes', 0.9, recordKubernetes],
  ['gpus', 0.85, recordGpus],
  ['hosts', 0.75, recordHosts],
  ['cloud', 0.9, recordCloud],
  ['map', 0.95, recordMap],
] as const;

/** What the recorders of a site made of a run; the same run gives the same files. */
export function record(run: Run): Scene {
  const scene = new Scene(run);
  const chance = scene.chance('recorders');
  for (const [name, share, recorder] of recorders)
    if (chance.is(share)) {
      recorder(scene);
      scene.recorders.add(name);
    }
  const form = chance.weighted([
    [5, 'both'],
    [3, 'spans'],
    [2, 'metrics'],
  ]);
  if (form !== 'metrics') recordSpans(scene);
  if (form !== 'spans') recordMetrics(scene);
  recordJobs(scene);
  for (const { replicas, name } of run.services.map((series, i) => ({ ...series, name: run.site.services[i]!.name })))
    for (const server of new Set(replicas.flatMap((replica) => [...new Set(replica.server)])))
      scene.links.push({ from: `service:${name}`, edge: 'runs_on', to: `node:${scene.server(server)}` });
  run.site.services.forEach(({ name, calls, rate }) => {
    if (form !== 'metrics')
      for (const callee of calls)
        scene.links.push({ from: `service:${name}`, edge: 'calls', to: `service:${run.site.services[callee]!.name}` });
    if (form !== 'metrics' && rate > 0)
      scene.links.push({ from: 'service:ingress', edge: 'calls', to: `service:${name}` });
  });
  for (const { name, ranks } of run.site.jobs)
    for (const { server } of ranks)
      scene.links.push({ from: `service:${name}`, edge: 'runs_on', to: `node:${scene.server(server)}` });
  return scene;
}
