import type { Run } from '../simulate.ts';
import { recordKernel } from './kernel.ts';
import { recordRequests } from './requests.ts';
import { Scene } from './scene.ts';
import { recordSpans } from './spans.ts';
import { recordTopology } from './topology.ts';

/** What each recorder kept of a run. */
export function record(run: Run): Scene {
  const scene = new Scene(run);
  // A node of an orchestrator is the machine of that name.
  for (const { name } of run.site.machines) scene.both(`node:${name}`, `server:${name}`);
  recordTopology(scene);
  recordSpans(scene);
  recordRequests(scene);
  recordKernel(scene);
  return scene;
}
