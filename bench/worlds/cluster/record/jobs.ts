import { attributesOf, ByResource } from './otlp.ts';
import type { Scene } from './scene.ts';

/** Ranks that are traced: the first one, and some others. */
const TRACED = 3;

/** Steps of training jobs as spans, and the log of rank 0 with what the collective library and the launcher print. */
export function recordJobs(scene: Scene): void {
  const { run } = scene;
  const chance = scene.chance('jobs');
  const traced = chance.is(0.8);
  const spans = new ByResource<object>();
  run.site.jobs.forEach(({ name, ranks }, i) => {
    if (traced)
      for (const [rank, { pod, server }] of ranks.slice(0, TRACED).entries()) {
        const host = scene.server(server);
        const clock = scene.clock(`host ${host}`);
        const resource = {
          'service.name': name,
          'k8s.namespace.name': 'train',
          'k8s.pod.name': pod,
          'k8s.node.name': host,
          'host.name': host,
          'training.job_id': name,
          'training.rank': rank,
        };
        for (const { number, from_s, to_s } of run.steps[i]!)
          spans.add(resource, {
            traceId: chance.hex(32),
            spanId: chance.hex(16),
            name: 'train_step',
            kind: 1,
            startTimeUnixNano: scene.nanos(clock, from_s),
            endTimeUnixNano: scene.nanos(clock, to_s - 0.002),
            attributes: attributesOf({ 'training.step': number }),
            status: {},
          });
      }
    recordLog(scene, i);
  });
  const resourceSpans = spans.map((resource, list) => ({
    resource,
    scopeSpans: [{ scope: { name: 'trainer' }, spans: list }],
  }));
  if (resourceSpans.length > 0) scene.files.set('training.json', JSON.stringify({ resourceSpans }));
}

function recordLog(scene: Scene, i: number): void {
  const { run } = scene;
  const { name, ranks, timeout_s } = run.site.jobs[i]!;
  const host = scene.server(ranks[0]!.server);
  const clock = scene.clock(`host ${host}`);
  const lines: { at_s: number; level: number; text: string }[] = run.steps[i]!.map(
    ({ number, from_s, to_s, load_s, save_s }) => ({
      at_s: to_s,
      level: 9,
      text: `step ${number} step_time ${(to_s - from_s).toFixed(2)}s data_time ${load_s.toFixed(2)}s${save_s > 0 ? ` checkpoint saved in ${save_s.toFixed(1)}s` : ''}`,
    }),
  );
  for (const happening of run.journal) {
    if (happening.subject.id !== name) continue;
    scene.keep(happening);
    const { at_s, values } = happening;
    if (happening.what === 'job_started') lines.push({ at_s, level: 9, text: 'resuming from the last checkpoint' });
    else if (values?.['why'] === 'timeout')
      lines.push({
        at_s,
        level: 17,
        text: `[rank0]:[E ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=48211, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=${timeout_s * 1000}) ran for ${timeout_s * 1000 + 71} milliseconds before timing out.`,
      });
    else lines.push({ at_s, level: 17, text: 'RuntimeError: CUDA error: unspecified launch failure' });
  }
  lines.sort((a, b) => a.at_s - b.at_s);
  const resource = {
    attributes: attributesOf({
      'service.name': name,
      'k8s.namespace.name': 'train',
      'k8s.pod.name': ranks[0]!.pod,
      'host.name': host,
      'k8s.node.name': host,
    }),
  };
  const logRecords = lines.map(({ at_s, level, text }) => ({
    timeUnixNano: scene.nanos(clock, at_s),
    severityNumber: level,
    body: { stringValue: text },
  }));
  scene.files.set(
    `logs-${name}.json`,
    JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ scope: { name: 'trainer' }, logRecords }] }] }),
  );
}
