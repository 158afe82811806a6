import type { Run } from '../simulate.ts';
import { recordApplications } from './applications.ts';
import { recordCloud } from './cloud.ts';
import { recordControllers } from './controllers.ts';
import { recordFacility } from './facility.ts';
import { recordKernel } from './kernel.ts';
import { recordKubernetes } from './kubernetes.ts';
import { recordPrometheus } from './prometheus.ts';
import { recordRequests } from './requests.ts';
import { Scene } from './scene.ts';
import { recordSlurm } from './slurm.ts';
import { recordSpans } from './spans.ts';
import { recordSwitches } from './switches.ts';
import { recordTelegraf } from './telegraf.ts';
import { recordTopology } from './topology.ts';

const recorders: readonly ((scene: Scene) => void)[] = [
  recordTopology,
  recordSpans,
  recordRequests,
  recordKernel,
  recordSwitches,
  recordFacility,
  recordControllers,
  recordKubernetes,
  recordSlurm,
  recordCloud,
  recordPrometheus,
  recordTelegraf,
  recordApplications,
];

/** What each recorder kept of a run. */
export function record(run: Run): Scene {
  const scene = new Scene(run);
  // A node of an orchestrator is the machine of that name.
  for (const { name } of run.site.machines) scene.both(`node:${name}`, `server:${name}`);
  for (const recorder of recorders) recorder(scene);
  return scene;
}
