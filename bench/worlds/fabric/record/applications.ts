import { randomOf } from '../chance.ts';
import { machineName } from './kernel.ts';
import { type Line, type Scene, sorted } from './scene.ts';
import { idOf } from './words.ts';

const MOST_ERRORS = 500;

/** What programs write of themselves: JSON lines of services, with what they found wrong, and of jobs. */
export function recordApplications(scene: Scene): void {
  if (!scene.has('applications', 'programs', 0.7)) return;
  const { site } = scene;
  const lines: Line[] = [];
  const put = (at_s: number, service: string, host: string, level: string, msg: string, more: object = {}): void => {
    lines.push({
      at_s,
      text: JSON.stringify({
        ts: scene.date('applications', at_s).toISOString(),
        level,
        msg,
        'service.name': service,
        ...(host === '' ? {} : { 'host.name': host }),
        ...more,
      }),
    });
  };
  errors(scene, put);
  sayings(scene, put);
  everyday(scene, put);
  ranks(scene, put);
  const kept = lines.filter(({ at_s }) => at_s < site.seconds).sort((a, b) => a.at_s - b.at_s);
  if (kept.length === 0) return;
  if (scene.chance('apps').is(0.6)) scene.add('apps/services.jsonl', sorted(kept));
  else scene.add('apps/loki-query.json', [lokiAnswer(scene, kept)]);
}

type Put = (at_s: number, service: string, host: string, level: string, msg: string, more?: object) => void;

/** Some of the calls that failed, as their callers log them. */
function errors(scene: Scene, put: Put): void {
  const { run } = scene;
  let count = 0;
  for (const call of run.calls) {
    if (
      call.ok ||
      call.caller === '' ||
      Number.isNaN(call.took_s) ||
      !(randomOf(call.id, 1, 8) < 0.3) ||
      ++count > MOST_ERRORS
    )
      continue;
    const parent = run.calls[call.parent]!;
    scene.measurements.add(`calls of ${call.service}`);
    put(
      call.from_s + call.took_s,
      call.caller,
      parent.machine?.name ?? '',
      'error',
      failure(call.service, call.status),
    );
  }
}

function sayings(scene: Scene, put: Put): void {
  const { run } = scene;
  for (const { id, type, subject, at_s, data } of run.engine.journal) {
    const name = idOf(subject);
    const say = (level: string, text: string, more: object = {}): void => {
      scene.shown.add(id);
      put(at_s, name, '', level, text, more);
    };
    if (type === 'deployed') say('info', `starting ${name} ${data.version}`, { version: data.version });
    if (type === 'config_pushed') say('info', 'configuration reloaded: pool.max_size 64 -> 4');
    if (type === 'locked')
      say('warn', 'process 31337 still waiting for ShareLock on transaction 88123 after 1000.121 ms');
    if (type === 'cache_emptied')
      say('warn', 'DB loaded from disk: 0 keys, 0.000 seconds; ready to accept connections');
    if (type === 'collective_timeout') {
      const host = run.jobs.find(({ plan }) => plan.name === name)?.machines[0]?.name ?? '';
      scene.shown.add(id);
      put(
        at_s,
        name,
        host,
        'error',
        '[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=88213, OpType=ALLREDUCE, NumelIn=4194304, NumelOut=4194304, Timeout(ms)=600000) ran for 600031 milliseconds before timing out.',
        { rank: 0 },
      );
    }
    if (type === 'process_started' && randomOf(id, 2, 8) < 0.7) {
      const service = [...run.rpc.replicas].find(([, replicas]) =>
        replicas.some((replica) => replica.name === name),
      )?.[0];
      if (service) put(at_s, service, String(data.machine ?? machineName(subject)), 'info', 'listening on :8080');
    }
  }
}

function everyday(scene: Scene, put: Put): void {
  const { site } = scene;
  for (const service of site.services)
    for (const { name } of service.hosts.slice(0, 3)) {
      const chance = scene.chance(`says ${service.name} ${name}`);
      for (let at_s = chance.between(0, 400); at_s < site.seconds; at_s += chance.between(150, 700))
        put(
          at_s,
          service.name,
          name,
          'info',
          chance.pick(['flushed 128 metrics', 'refreshed 3 feature flags', 'heartbeat ok', 'gc: 11 ms']),
        );
      scene.link(`server:${name}`, `service:${service.name}`);
    }
}

/** Ranks of a job say now and then that they are there. */
function ranks(scene: Scene, put: Put): void {
  for (const { plan, machines } of scene.run.jobs)
    for (const [rank, { name }] of machines.slice(0, 64).entries()) {
      const chance = scene.chance(`rank ${plan.id} ${rank}`);
      for (let at_s = chance.between(0, 900); at_s < scene.site.seconds; at_s += chance.between(500, 1200))
        put(at_s, plan.name, name, 'info', `[rank${rank}] data loader: prefetched 64 batches`, {
          rank,
          job_id: String(plan.id),
          world_size: machines.length,
        });
      scene.link(`server:${name}`, `job:${plan.name}`);
    }
}

/** The answer of Loki to a range query. */
const lokiAnswer = (scene: Scene, lines: readonly Line[]): string =>
  JSON.stringify({
    status: 'success',
    data: {
      resultType: 'streams',
      result: [
        {
          stream: { namespace: 'prod', container: 'main' },
          values: lines.map(({ at_s, text }) => [`${scene.date('applications', at_s).getTime()}000000`, text]),
        },
      ],
    },
  });

function failure(service: string, status: number): string {
  switch (status) {
    case 525:
      return `call to ${service} failed: tls: failed to verify certificate: x509: certificate has expired or is not yet valid`;
    case 504:
      return `call to ${service} failed: context deadline exceeded`;
    case 503:
      return `call to ${service} failed: connection refused`;
    default:
      return `call to ${service} failed: unexpected status ${status}`;
  }
}
