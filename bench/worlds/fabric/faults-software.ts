import type { Chance } from './chance.ts';
import type { Family, Fault, Maker } from './fault.ts';
import { REFUSED } from './rpc.ts';
import type { Stage } from './simulate.ts';
import type { Site } from './site.ts';
import type { ServicePlan } from './site-work.ts';

const one = <T>(list: readonly T[], chance: Chance): T | undefined => (list.length > 0 ? chance.pick(list) : undefined);
const ofKind = (site: Site, ...kinds: ServicePlan['kind'][]): readonly ServicePlan[] =>
  site.services.filter(({ kind }) => kinds.includes(kind));

function ofService(
  family: Family,
  at_s: number,
  { name }: Pick<ServicePlan, 'name'>,
  story: string,
  begin: (stage: Stage, id: number) => void,
): Fault {
  return {
    family,
    subject: `service:${name}`,
    at_s,
    story: `${name}: ${story}`,
    truth: { roots: [], service: name },
    begin,
  };
}

/** Slows a service's own work for a time. */
const slow =
  (name: string, factor: number, seconds: number, type: string) =>
  (stage: Stage, id: number): void => {
    const { engine } = stage;
    engine.hinder(`service:${name}`, type, factor, engine.note(type, `service:${name}`, [id]));
    engine.after(seconds, () => {
      engine.relieve(`service:${name}`, type);
      engine.note(`${type}_over`, `service:${name}`, [id]);
    });
  };

const badDeploy: Maker = ({ site, chance, at_s }) => {
  const service = one(ofKind(site, 'web', 'inference'), chance);
  if (!service) return undefined;
  const factor = chance.between(2.5, 8);
  const share = chance.between(0.2, 0.7);
  const fails = chance.is(0.5);
  const seconds = chance.between(400, 1500);
  const version = `v${chance.whole(1, 9)}.${chance.whole(0, 40)}.${chance.whole(0, 9)}`;
  return ofService('bad_deploy', at_s, service, `${version} ${fails ? 'fails' : 'is slow'}`, (stage, id) => {
    const by = stage.engine.note('deployed', `service:${service.name}`, [id], { version });
    if (!fails) slow(service.name, factor, seconds, 'slow_version')(stage, by);
    else {
      stage.rpc.errors.set(service.name, { share, by, status: 500 });
      stage.engine.after(seconds, () => stage.rpc.errors.delete(service.name));
    }
  });
};

const configPush: Maker = ({ site, chance, at_s }) => {
  const service = one(ofKind(site, 'web', 'database'), chance);
  if (!service) return undefined;
  const factor = chance.between(4, 12);
  const seconds = chance.between(300, 1200);
  return ofService('config_push', at_s, service, 'a pushed configuration halves its pools', (stage, id) =>
    slow(
      service.name,
      factor,
      seconds,
      'small_pool',
    )(stage, stage.engine.note('config_pushed', `service:${service.name}`, [id])),
  );
};

const certificateExpired: Maker = ({ site, chance, at_s }) => {
  const service = one(
    ofKind(site, 'web', 'database', 'cache').filter(({ rate }) => rate === 0),
    chance,
  );
  if (!service) return undefined;
  const seconds = chance.between(300, 1500);
  const fault = ofService('certificate_expired', at_s, service, 'its certificate expires', (stage, id) => {
    const by = stage.engine.note('certificate_expired', `service:${service.name}`, [id]);
    stage.rpc.errors.set(service.name, { share: 1, by, status: REFUSED });
    stage.engine.after(seconds, () => stage.rpc.errors.delete(service.name));
  });
  // Only its callers see it.
  return { ...fault, truth: { ...fault.truth, needs: `calls of ${service.name}` } };
};

const slowDependency: Maker = ({ site, chance, at_s }) => {
  const service = one(ofKind(site, 'remote', 'database'), chance);
  if (!service) return undefined;
  return ofService(
    'slow_dependency',
    at_s,
    service,
    'answers slowly (locks)',
    slow(service.name, chance.between(5, 40), chance.between(240, 1200), 'locked'),
  );
};

const cacheLost: Maker = ({ site, chance, at_s }) => {
  const cache = one(ofKind(site, 'cache'), chance);
  if (!cache) return undefined;
  const refill_s = chance.between(200, 900);
  const factor = chance.between(2, 6);
  return ofService('cache_lost', at_s, cache, 'restarts empty', (stage, id) => {
    const { engine, rpc, control } = stage;
    const by = engine.note('cache_emptied', `service:${cache.name}`, [id]);
    for (const replica of rpc.replicas.get(cache.name)!) control.kill(replica, by, 4);
    rpc.lostCaches.set(cache.name, { at_s: engine.now, by, refill_s });
    // What it held is asked of the database, which was built for less.
    engine.hinder('service:postgres', 'misses', factor, by);
    engine.after(refill_s, () => engine.relieve('service:postgres', 'misses'));
  });
};

const retryStorm: Maker = ({ site, chance, at_s }) => {
  const called = new Set(
    site.services.flatMap(({ calls }) => calls.filter(({ retries }) => retries > 0).map(({ to }) => to)),
  );
  const service = one(
    ofKind(site, 'web', 'database').filter(({ name }) => called.has(name)),
    chance,
  );
  if (!service) return undefined;
  return ofService(
    'retry_storm',
    at_s,
    service,
    'stalls for a moment, and retries keep it down',
    slow(service.name, chance.between(80, 400), chance.between(30, 80), 'stalled'),
  );
};

const surge: Maker = ({ site, chance, at_s }) => {
  const service = one(
    site.services.filter(({ rate }) => rate > 0),
    chance,
  );
  if (!service) return undefined;
  const factor = chance.whole(3, 7);
  const seconds = chance.between(240, 1000);
  return ofService('surge', at_s, service, `${factor} times as many requests`, (stage, id) => {
    const by = stage.engine.note('surge', `service:${service.name}`, [id]);
    stage.surge = { factor, by };
    stage.rpc.surgeBy = by;
    stage.engine.after(seconds, () => {
      stage.surge = { factor: 1, by: -1 };
    });
  });
};

const metadataOverload: Maker = ({ site, chance, at_s }) => {
  const job = one(site.jobs, chance);
  if (!job || site.metadata.length === 0) return undefined;
  const factor = chance.between(5, 20);
  const seconds = chance.between(300, 1200);
  return {
    ...ofService('metadata_overload', at_s, job, 'opens millions of small files', ({ engine }, id) => {
      const by = engine.note('metadata_load', `job:${job.name}`, [id]);
      engine.hinder('storage:metadata', job.name, factor, by);
      engine.measure(`cpu:${site.metadata[0]!.name}`, 0.97);
      engine.measure(`opens:${job.name}`, 40);
      engine.after(seconds, () => {
        engine.relieve('storage:metadata', job.name);
        engine.measure(`cpu:${site.metadata[0]!.name}`, 0.35);
        engine.measure(`opens:${job.name}`, 1);
      });
    }),
    subject: `job:${job.name}`,
    truth: { roots: [], service: job.name, needs: 'job statistics' },
  };
};

const jobKilled: Maker = ({ site, chance, at_s }) => {
  const job = one(site.jobs, chance);
  return (
    job && {
      ...ofService('job_killed', at_s, job, 'is cancelled', ({ jobs, engine }, id) =>
        jobs
          .find(({ plan }) => plan === job)!
          .end('cancelled', engine.note('job_cancelled', `job:${job.name}`, [id]), false),
      ),
      subject: `job:${job.name}`,
      truth: { roots: [], service: job.name, needs: 'cancelled jobs' },
    }
  );
};

const jobSlow: Maker = ({ site, chance, at_s }) => {
  const job = one(site.jobs, chance);
  if (!job) return undefined;
  const factor = chance.between(1.8, 4);
  return {
    ...ofService('job_slow', at_s, job, 'its data loader starves it', ({ engine }, id) =>
      engine.hinder(`job:${job.name}`, 'loader', factor, engine.note('loader_slow', `job:${job.name}`, [id])),
    ),
    subject: `job:${job.name}`,
  };
};

export const softwareFaults: readonly Maker[] = [
  badDeploy,
  configPush,
  certificateExpired,
  slowDependency,
  cacheLost,
  retryStorm,
  surge,
  metadataOverload,
  jobKilled,
  jobSlow,
];
