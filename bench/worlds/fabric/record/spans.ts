import { randomOf } from '../chance.ts';
import type { Call } from '../rpc.ts';
import { EDGE, type Machine } from '../site.ts';
import type { Training } from '../training.ts';
import { edgeCalls, type Scene } from './scene.ts';

const MOST = 7000;
type Attribute = {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string };
};
const text = (key: string, value: string): Attribute => ({ key, value: { stringValue: value } });
const number = (key: string, value: number): Attribute => ({ key, value: { intValue: String(value) } });
const nanos = (ms: number): string => `${Math.round(ms * 1000)}000`;
const hex = (value: number, digits: number): string =>
  Math.floor(value).toString(16).padStart(digits, '0').slice(-digits);

/** Spans of the services that are traced, by the exporter of a collector: one file, a request in each line. */
export function recordSpans(scene: Scene): void {
  const { site, run } = scene;
  const traced = new Map(
    site.services
      .filter(({ tells, kind }) => tells === 'spans' && kind !== 'remote')
      .map((service) => [service.name, service]),
  );
  const jobs = run.jobs.filter(({ plan }) => plan.tells === 'spans');
  if (traced.size === 0 && jobs.length === 0 && site.edge !== 'spans') return;
  const chance = scene.chance('spans');
  const namesPods = site.scheduler === 'kubernetes' && chance.is(0.7);
  const namesHosts = !namesPods || chance.is(0.6);
  const share = Math.min(1, MOST / Math.max(1, run.calls.filter(({ service }) => traced.has(service)).length));
  scene.recorders.add('spans');
  const resources = new Map<string, { readonly attributes: readonly Attribute[]; readonly spans: object[] }>();
  const resource = (service: string, replica: string, machine: Machine | undefined) => {
    const key = `${service} ${replica} ${machine?.name}`;
    let one = resources.get(key);
    if (!one) {
      const attributes = [text('service.name', service)];
      if (machine && namesHosts) attributes.push(text('host.name', machine.name));
      // The detector of the provider's machines adds the instance.
      if (machine && namesHosts && site.isCloud) {
        attributes.push(text('host.id', machine.instance), text('cloud.provider', 'aws'));
        scene.both(`instance:${machine.instance}`, `server:${machine.name}`);
      }
      if (machine && namesPods)
        attributes.push(
          text('k8s.namespace.name', 'prod'),
          text('k8s.pod.name', replica),
          text('k8s.node.name', machine.name),
        );
      if (machine) scene.link(`server:${machine.name}`, `service:${service}`);
      one = { attributes, spans: [] };
      resources.set(key, one);
    }
    return one;
  };
  const place = { traced, resource, share };
  for (const call of run.calls) addCall(scene, place, call);
  for (const [name, { sampled }] of traced) scene.measured.set(name, { interval_s: 0, sampled: sampled * share });
  for (const job of jobs) addJob(scene, place, job);
  if (site.edge === 'spans') {
    scene.measured.set(EDGE, { interval_s: 0, sampled: share });
    for (const { name, rate } of site.services) if (rate > 0) scene.link(`service:${name}`, `service:${EDGE}`);
    for (const call of edgeCalls(scene)) addEdge(scene, place, call);
  }
  const lines = [...resources.values()]
    .filter(({ spans }) => spans.length > 0)
    .map(({ attributes, spans }) =>
      JSON.stringify({
        resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope: { name: 'otel' }, spans }] }],
      }),
    );
  scene.add('otel/traces.jsonl', lines);
}

interface Place {
  readonly traced: ReadonlyMap<string, { readonly sampled: number }>;
  readonly share: number;
  readonly resource: (service: string, replica: string, machine: Machine | undefined) => { readonly spans: object[] };
}

const ids = (scene: Scene, call: Call) => ({
  traceId: `${hex(scene.site.seed + 1, 8)}${hex(call.request + 1, 24)}`,
  server: hex(call.id * 2 + 2, 16),
  client: hex(call.id * 2 + 3, 16),
});

function addJob(scene: Scene, { resource }: Place, job: Training): void {
  scene.measured.set(job.plan.name, { interval_s: 0, sampled: 1 });
  const [first] = job.machines;
  const { spans } = resource(job.plan.name, `${job.plan.name}-0`, first);
  if (first) scene.link(`server:${first.name}`, `job:${job.plan.name}`);
  for (const step of job.steps)
    spans.push({
      traceId: `${hex(job.plan.id, 8)}${hex(step.number, 24)}`,
      spanId: hex(step.number * 7919 + job.plan.id, 16),
      name: 'train_step',
      kind: 1,
      startTimeUnixNano: nanos(scene.ms(step.from_s)),
      endTimeUnixNano: nanos(scene.ms(step.from_s + step.took_s)),
      attributes: [number('training.step', step.number), text('slurm.job.id', String(job.plan.id))],
    });
}

/** The root of a trace: what the balancer before the services saw of a request. */
function addEdge(scene: Scene, { share, resource }: Place, call: Call): void {
  if (randomOf(call.request, 4242, scene.site.seed) >= share) return;
  const { traceId, client } = ids(scene, call);
  resource(EDGE, `${EDGE}-0`, undefined).spans.push({
    traceId,
    spanId: client,
    name: `${EDGE}/${scene.site.namesRoutes ? call.route : 'handle'}`,
    kind: 2,
    startTimeUnixNano: nanos(scene.ms(call.from_s)),
    endTimeUnixNano: nanos(scene.ms(call.from_s + call.took_s)),
    attributes: [number('http.response.status_code', call.ok ? 200 : call.status === 200 ? 500 : call.status)],
    ...(call.ok ? {} : { status: { code: 2 } }),
  });
}

function addCall(scene: Scene, { traced, share, resource }: Place, call: Call): void {
  // The head of a trace decides for all of it.
  const callNumber = randomOf(call.request, 4242, scene.site.seed);
  const own = traced.get(call.service);
  const { traceId, server, client } = ids(scene, call);
  const parent = call.parent >= 0 ? scene.run.calls[call.parent]! : undefined;
  const skew = scene.offsets.get('spans') ?? 0;
  const caller = parent && traced.get(parent.service);
  const base = { traceId, name: `${call.service}/${scene.site.namesRoutes ? call.route : 'handle'}` };
  const isFailure = (ok: boolean) => (ok ? {} : { status: { code: 2 } });
  const hasClient =
    caller !== undefined &&
    !Number.isNaN(call.took_s) &&
    callNumber < caller.sampled * share &&
    !Number.isNaN(parent!.served_s);
  if (hasClient) {
    // A service outside of the site is measured by who calls it.
    if (call.machine === undefined && !scene.measured.has(call.service) && call.replica === call.service)
      scene.measured.set(call.service, { interval_s: 0, sampled: caller.sampled * share });
    scene.measurements.add(`calls of ${call.service}`);
    scene.link(`service:${call.service}`, `service:${parent!.service}`);
    resource(parent!.service, parent!.replica, parent!.machine).spans.push({
      ...base,
      spanId: client,
      parentSpanId: ids(scene, parent!).server,
      kind: 3,
      startTimeUnixNano: nanos(scene.ms(call.from_s + skew)),
      endTimeUnixNano: nanos(scene.ms(call.from_s + call.took_s + skew)),
      attributes: [
        text('peer.service', call.service),
        text('server.address', call.service),
        number('http.response.status_code', call.status),
      ],
      ...isFailure(call.ok),
    });
  }
  if (!own || callNumber >= own.sampled * share || Number.isNaN(call.served_s) || Number.isNaN(call.served_until_s))
    return;
  resource(call.service, call.replica, call.machine).spans.push({
    ...base,
    spanId: server,
    ...(hasClient || (call.caller === '' && scene.site.edge === 'spans') ? { parentSpanId: client } : {}),
    kind: 2,
    startTimeUnixNano: nanos(scene.ms(call.served_s + skew)),
    endTimeUnixNano: nanos(scene.ms(call.served_until_s + skew)),
    attributes: [
      text('http.route', `/${scene.site.namesRoutes ? call.route : 'handle'}`),
      number('http.response.status_code', call.servedOk ? 200 : call.status === 200 ? 500 : call.status),
    ],
    ...isFailure(call.servedOk),
  });
}
