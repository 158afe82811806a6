import { type Line, type Scene, sorted } from './scene.ts';
import { idOf } from './words.ts';

/** The log of Slurm's controller. */
export function recordSlurm(scene: Scene): void {
  if (scene.site.scheduler !== 'slurm' || !scene.has('slurm', 'orchestrator', 0.85)) return;
  const { run, site } = scene;
  const chance = scene.chance('slurm');
  const jobs = new Map(run.jobs.map(({ plan }) => [plan.name, plan]));
  scene.measurements.add('cancelled jobs');
  const lines: Line[] = [];
  const put = (at_s: number, message: string): void => {
    lines.push({ at_s, text: `[${scene.date('slurm', at_s).toISOString().slice(0, 23)}] ${message}` });
  };
  const words: Readonly<
    Record<string, (subject: string, data: Readonly<Record<string, string | number>>) => readonly string[]>
  > = {
    node_not_ready: (name) => [`error: Nodes ${name} not responding, setting DOWN`],
    node_ready: (name) => [`Node ${name} now responding`, `node ${name} returned to service`],
    job_cancelled: (name) => [`_slurm_rpc_kill_job: REQUEST_KILL_JOB JobId=${jobs.get(name)?.id} uid 1004`],
    job_ended: (name, { reason }) => [
      ...(reason === 'node_fail' ? [`Killing JobId=${jobs.get(name)?.id} on failed node`] : []),
      `_job_complete: JobId=${jobs.get(name)?.id} ${reason === 'cancelled' ? 'WTERMSIG 15' : reason === 'node_fail' ? 'NODE_FAIL' : 'WEXITSTATUS 1'}`,
      `_job_complete: JobId=${jobs.get(name)?.id} done`,
    ],
    job_started: (name) => [
      `sched: Allocate JobId=${jobs.get(name)?.id} NodeList=${jobs.get(name)?.machines[0]?.name} #CPUs=128 Partition=gpu`,
    ],
  };
  for (const { id, type, at_s, subject, data } of run.engine.journal) {
    const say = words[type];
    if (!say || chance.is(0.02)) continue;
    scene.shown.add(id);
    for (const message of say(idOf(subject), data)) put(at_s, message);
  }
  for (let at_s = chance.between(5, 200); at_s < site.seconds; at_s += chance.between(60, 400)) {
    const id = 60_000 + Math.floor(at_s);
    put(at_s, `sched: Allocate JobId=${id} NodeList=login1 #CPUs=4 Partition=interactive`);
    put(at_s + chance.between(20, 200), `_job_complete: JobId=${id} WEXITSTATUS 0`);
  }
  scene.add('slurm/slurmctld.log', sorted(lines.filter(({ at_s }) => at_s < site.seconds)));
}
