import { randomOf } from '../chance.ts';
import type { Call } from '../rpc.ts';
import { EDGE } from '../site.ts';
import type { Scene } from './scene.ts';
import { edgeCalls, type Line, sorted } from './scene.ts';

const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const isServed = ({ served_until_s }: Call): boolean => !Number.isNaN(served_until_s);

/** Services without traces: histograms that Prometheus scrapes, or nothing but access logs. */
export function recordRequests(scene: Scene): void {
  const { site, run } = scene;
  const byService = Map.groupBy(run.calls, ({ service }) => service);
  const results: object[] = [];
  const step_s = scene.chance('histograms').pick([15, 15, 30, 60]);
  const dialect = scene.chance('access').pick(['envoy', 'nginx', 'json'] as const);
  for (const service of site.services) {
    const calls = byService.get(service.name) ?? [];
    if (service.tells === 'histogram' && service.kind !== 'remote') {
      for (const [replica, own] of Map.groupBy(calls.filter(isServed), ({ replica: name }) => name))
        results.push(
          ...histogram(scene, { service: service.name, replica, machine: own[0]!.machine?.name ?? '' }, own, step_s),
        );
      scene.measured.set(service.name, { interval_s: step_s, sampled: 1 });
      for (const { name } of service.hosts) scene.link(`server:${name}`, `service:${service.name}`);
    }
    if (service.tells === 'access log' && service.kind !== 'remote') {
      accessLog(scene, service.name, calls.filter(isServed), dialect);
      scene.measured.set(service.name, { interval_s: 0, sampled: 1 });
    }
  }
  if (site.edge === 'histogram') {
    results.push(...histogram(scene, { service: EDGE, replica: `${EDGE}-0`, machine: '' }, edgeCalls(scene), step_s));
    scene.measured.set(EDGE, { interval_s: step_s, sampled: 1 });
  }
  if (site.edge === 'access log') {
    accessLog(scene, EDGE, edgeCalls(scene), dialect === 'json' ? 'envoy' : dialect);
    scene.measured.set(EDGE, { interval_s: 0, sampled: 1 });
  }
  results.push(...stepHistograms(scene, step_s));
  if (results.length === 0) return;
  scene.recorders.add('histograms');
  scene.add('prometheus/http_server_request_duration.json', [
    JSON.stringify({ status: 'success', data: { resultType: 'matrix', result: results } }),
  ]);
}

interface Target {
  readonly service: string;
  readonly replica: string;
  readonly machine: string;
}

function histogram(scene: Scene, target: Target, calls: readonly Call[], step_s: number): object[] {
  const { namesRoutes, scheduler } = scene.site;
  const ends = calls
    .map((call) => ({
      at_s: call.served_until_s,
      took_s: call.served_until_s - call.served_s,
      kind: `${call.servedOk ? 200 : 500} ${namesRoutes ? call.route : 'handle'}`,
    }))
    .sort((a, b) => a.at_s - b.at_s);
  const labels = {
    instance: `${target.machine || target.service}:8080`,
    job: target.service,
    service: target.service,
    ...(scheduler === 'kubernetes' && target.machine !== '' ? { pod: target.replica, namespace: 'prod' } : {}),
  };
  return [...Map.groupBy(ends, ({ kind }) => kind)].flatMap(([kind, own]) => {
    const [status = '', route = ''] = kind.split(' ');
    const given = { ...labels, http_response_status_code: status, http_route: `/${route}` };
    return cumulative(scene, 'http_server_request_duration_seconds', given, own, step_s, target.machine);
  });
}

function cumulative(
  scene: Scene,
  name: string,
  labels: Readonly<Record<string, string>>,
  ends: readonly { readonly at_s: number; readonly took_s: number }[],
  step_s: number,
  machine = '',
): object[] {
  const offset_s = scene.offsets.get('histograms') ?? 0;
  const buckets = BOUNDS.map(() => 0);
  const series = [...BOUNDS, Number.POSITIVE_INFINITY].map((): [number, string][] => []);
  const sums: [number, string][] = [];
  const counts: [number, string][] = [];
  let i = 0;
  let sum = 0;
  const begin_s = randomOf(labels.instance!.length, name.length, scene.site.seed) * step_s;
  for (let at_s = begin_s; at_s <= scene.site.seconds; at_s += step_s) {
    for (; i < ends.length && ends[i]!.at_s <= at_s; i++) {
      const { took_s } = ends[i]!;
      sum += took_s;
      BOUNDS.forEach((bound, k) => {
        if (took_s <= bound) buckets[k]!++;
      });
    }
    // A target that is down is not scraped.
    if (machine !== '' && scene.value(`up:${machine}`, at_s, 1) === 0) continue;
    const time = Math.round(scene.ms(at_s + offset_s)) / 1000;
    for (const [k, count] of buckets.entries()) series[k]!.push([time, String(count)]);
    series.at(-1)!.push([time, String(i)]);
    sums.push([time, sum.toFixed(6)]);
    counts.push([time, String(i)]);
  }
  return [
    ...series.map((values, k) => ({
      metric: { __name__: `${name}_bucket`, ...labels, le: k < BOUNDS.length ? String(BOUNDS[k]) : '+Inf' },
      values,
    })),
    { metric: { __name__: `${name}_sum`, ...labels }, values: sums },
    { metric: { __name__: `${name}_count`, ...labels }, values: counts },
  ];
}

/** Steps of jobs that export a histogram of them; the others only write a log. */
function stepHistograms(scene: Scene, step_s: number): object[] {
  return scene.run.jobs.flatMap((job) => {
    const { plan, steps, machines } = job;
    const host = machines[0]?.name ?? plan.name;
    if (plan.tells === 'access log') {
      trainingLog(scene, job);
      return [];
    }
    if (plan.tells !== 'histogram') return [];
    scene.measured.set(plan.name, { interval_s: step_s, sampled: 1 });
    scene.link(`server:${host}`, `service:${plan.name}`);
    const ends = steps.map(({ from_s, took_s }) => ({ at_s: from_s + took_s, took_s }));
    return cumulative(
      scene,
      'training_step_duration_seconds',
      { instance: `${host}:9464`, job: 'otel', service_name: plan.name, slurm_job_id: String(plan.id) },
      ends,
      step_s,
    );
  });
}

function trainingLog(scene: Scene, { plan, steps, machines }: Scene['run']['jobs'][number]): void {
  scene.measured.set(plan.name, { interval_s: 0, sampled: 1 });
  const [host] = machines;
  if (host) scene.link(`server:${host.name}`, `service:${plan.name}`);
  scene.add(
    `training/${plan.name}.jsonl`,
    steps.map(({ number, from_s, took_s }) =>
      JSON.stringify({
        timestamp: new Date(scene.ms(from_s + took_s)).toISOString(),
        level: 'info',
        'service.name': plan.name,
        'host.name': host?.name,
        job_id: String(plan.id),
        rank: 0,
        message: `step ${number} loss ${(2.1 + randomOf(number, 5, plan.id)).toFixed(4)} time ${took_s.toFixed(3)}s`,
        step: number,
        duration_ms: Math.round(took_s * 1000),
      }),
    ),
  );
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function accessLog(scene: Scene, service: string, calls: readonly Call[], dialect: 'envoy' | 'nginx' | 'json'): void {
  const lines = calls.map((call): Line => {
    const took_ms = Math.round((call.served_until_s - call.served_s) * 1000);
    const status = call.servedOk ? 200 : call.status === 200 ? 500 : call.status === 525 ? 503 : call.status;
    return { at_s: call.served_until_s, text: accessLine(scene, { service, call, took_ms, status }, dialect) };
  });
  if (dialect === 'json')
    for (const { machine } of calls.slice(0, 400))
      if (machine) scene.link(`server:${machine.name}`, `service:${service}`);
  scene.add(`access/${service}.${dialect === 'json' ? 'jsonl' : 'log'}`, sorted(lines));
}

interface Access {
  readonly service: string;
  readonly call: Call;
  readonly took_ms: number;
  readonly status: number;
}

function accessLine(
  scene: Scene,
  { service, call, took_ms, status }: Access,
  dialect: 'envoy' | 'nginx' | 'json',
): string {
  const path =
    scene.site.namesRoutes && call.route === 'chat' ? '/v1/chat/completions' : `/v1/items/${call.request % 997}`;
  const start = new Date(scene.ms(call.served_s));
  const size = 200 + (call.request % 4000);
  if (dialect === 'envoy') {
    const id = `${(call.request + 4096).toString(16).padStart(8, '0')}-7a31-4c1e-9d10-${call.id.toString(16).padStart(12, '0')}`;
    const flags = status === 503 ? 'UF' : status === 504 ? 'UT' : '-';
    return `[${start.toISOString()}] "GET ${path} HTTP/1.1" ${status} ${flags} 0 ${size} ${took_ms} ${Math.max(0, took_ms - 1)} "-" "Go-http-client/1.1" "${id}" "${service}" "${call.machine?.address ?? '10.0.0.9'}:8080"`;
  }
  if (dialect === 'nginx') {
    const at = new Date(scene.ms(call.served_until_s));
    const two = (value: number) => String(value).padStart(2, '0');
    const stamp = `${two(at.getUTCDate())}/${MONTHS[at.getUTCMonth()]}/${at.getUTCFullYear()}:${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())} +0000`;
    // `$request_time` and `$upstream_response_time` at the end of the line, as most sites add them.
    return `10.9.0.${call.request % 200} - - [${stamp}] "GET ${path} HTTP/1.1" ${status} ${size} "-" "python-requests/2.32" ${(took_ms / 1000).toFixed(3)} ${(took_ms / 1000).toFixed(3)}`;
  }
  return JSON.stringify({
    time: new Date(scene.ms(call.served_until_s)).toISOString(),
    level: status < 500 ? 'INFO' : 'ERROR',
    msg: 'request completed',
    'service.name': service,
    'host.name': call.machine?.name,
    'http.request.method': 'GET',
    'url.path': path,
    'http.response.status_code': status,
    duration_ms: took_ms,
  });
}
