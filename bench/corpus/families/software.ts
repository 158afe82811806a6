import type { Scenario, Teller } from '../scenario.ts';
import { ref, type Service } from '../site.ts';

const online = (scenario: Scenario): Service[] => scenario.world.services.filter(({ form }) => form === 'online');

/** A release that is slower or fails: what changed is in the logs and the orchestrator's record, no device took part. */
export const badDeploy: Teller = (scenario, at_s, lasts_s) => {
  const { chance } = scenario;
  const service = chance.pick(online(scenario));
  const version = `2.${chance.whole(3, 19)}.${chance.whole(0, 9)}`;
  const event = scenario.root({
    at_s: at_s - chance.around(8, 0.6),
    source: 'kubernetes',
    entity: service.workers[0]?.kind === 'pod' ? service.workers[0] : ref('service', service.name),
    type: 'kubernetes_event',
    severity: 'low',
    message: `ScalingReplicaSet: scaled up replica set ${service.name} to ${service.machines.length}, image ${version}`,
  });
  const failing = chance.chance(0.4);
  scenario.service(service.name, {
    from_s: at_s,
    to_s: at_s + lasts_s,
    // Pods are replaced one after the other.
    ramp_s: chance.around(6, 0.6),
    share: failing ? chance.between(0.02, 0.2) : chance.between(0.5, 1),
    slow: chance.between(2.4, 6),
    fail: failing ? chance.between(0.06, 0.4) : 0,
  });
  const body = failing
    ? `unhandled exception in ${chance.pick(['decode_request', 'merge_context', 'apply_template'])}: KeyError 'lora_id'`
    : `cache disabled by configuration ${version}, falling back to full prefill`;
  const logs = [{ service: service.name, from_s: at_s, to_s: at_s + lasts_s, body }];
  const span = { from_s: at_s, to_s: at_s + lasts_s };
  const moves = [
    {
      service: service.name,
      metric: 'inference.cache.hit_ratio',
      unit: '1',
      normal: 0.71,
      during: failing ? 0.7 : 0.04,
      ...span,
    },
  ];
  return { root: null, guilty_service: service.name, event, logs, moves };
};

/** More requests than the service was built for: latency by queueing (M/M/1: at 90 % load ten times the service time). */
export const trafficSurge: Teller = (scenario, at_s, lasts_s) => {
  const { chance } = scenario;
  const service = chance.pick(online(scenario));
  const demand = chance.between(1.8, 4);
  scenario.service(service.name, {
    from_s: at_s,
    to_s: at_s + lasts_s,
    ramp_s: chance.around(20, 0.6),
    share: 1,
    slow: 1 + (demand - 1) * chance.between(0.9, 1.8),
    fail: demand > 2.8 ? chance.between(0.01, 0.1) : 0,
    demand,
  });
  const body = 'admission control: request queue length exceeds the limit, shedding load';
  return {
    root: null,
    guilty_service: service.name,
    event: null,
    moves: [
      {
        service: service.name,
        metric: 'http.server.active_requests',
        unit: '{request}',
        normal: 12,
        during: 12 * demand ** 2,
        from_s: at_s,
        to_s: at_s + lasts_s,
      },
    ],
    logs: [{ service: service.name, from_s: at_s + 2, to_s: at_s + lasts_s, body }],
  };
};
