import type { Chance } from '../chance.ts';
import type { ReplicaSeries } from '../simulate.ts';
import { type Attributes, attributesOf, ByResource } from './otlp.ts';
import type { Scene } from './scene.ts';

/** Traces that a recording has: tail samplers and head samplers alike leave that order of magnitude. */
const TRACES = 900;
/** The front door, which sees requests that no service got. */
export const INGRESS = 'ingress';
/** Spread of a request's own time about the mean (log-normal). */
const SIGMA = 0.3;

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: ReturnType<typeof attributesOf>;
  readonly status: { readonly code?: number; readonly message?: string };
}

/** Where a pod runs, as its resource states it. */
export const placeOf = (service: string, pod: string, host: string): Attributes => ({
  'service.name': service,
  'service.namespace': 'prod',
  'k8s.namespace.name': 'prod',
  'k8s.pod.name': pod,
  'k8s.node.name': host,
  'host.name': host,
});

/** Requests from the front door down, each with what the replicas that it met did at that second. */
export function recordSpans(scene: Scene): void {
  const { site } = scene.run;
  const chance = scene.chance('spans');
  const spans = new ByResource<Span>();
  scene.traced = TRACES / 1.6 / site.seconds;
  const entries = site.services.flatMap(({ rate }, i) => (rate > 0 ? [i] : []));
  for (const entry of entries) {
    const gap_s = (site.seconds * entries.length) / TRACES;
    for (let at_s = 2; at_s < site.seconds - 40; at_s += chance.exponential(gap_s)) {
      // The sampler takes a share of the requests: more of them when there are more.
      const busy = scene.run.services[entry]!.rate[Math.floor(at_s)]! / site.services[entry]!.rate;
      if (chance.is(Math.min(1, busy / 1.6))) new Request(scene, chance, spans).front(entry, at_s);
    }
  }
  const resourceSpans = spans.map((resource, list) => ({
    resource,
    scopeSpans: [{ scope: { name: 'otel' }, spans: list }],
  }));
  scene.files.set('traces.json', JSON.stringify({ resourceSpans }));
}

interface Answer {
  readonly seconds: number;
  readonly failed: boolean;
}

class Request {
  private readonly traceId: string;
  private readonly scene: Scene;
  private readonly chance: Chance;
  private readonly spans: ByResource<Span>;

  constructor(scene: Scene, chance: Chance, spans: ByResource<Span>) {
    this.scene = scene;
    this.chance = chance;
    this.spans = spans;
    this.traceId = chance.hex(32);
  }

  front(entry: number, at_s: number): void {
    const spanId = this.chance.hex(16);
    const { name } = this.scene.run.site.services[entry]!;
    const answer = this.call(entry, at_s + 0.0004, spanId);
    const resource = { 'service.name': INGRESS, 'service.namespace': 'prod' };
    this.keep(resource, 'control plane', {
      spanId,
      name: `POST /${name}`,
      at_s,
      answer: { ...answer, seconds: answer.seconds + 0.0009 },
    });
  }

  /** @returns what the caller waits for; without a span where nothing answered */
  private call(service: number, at_s: number, parentSpanId: string): Answer {
    const { run } = this.scene;
    const built = run.site.services[service]!;
    const { replicas } = run.services[service]!;
    const second = Math.min(run.site.seconds - 1, Math.floor(at_s));
    const replica = this.chance.weighted(
      replicas.map((one): [number, ReplicaSeries] => [one.rate[second]! + 1e-6, one]),
    );
    const [own_ms, errors] = [replica.own_ms[second]!, replica.errors[second]!];
    const host = this.scene.server(replica.server[second]!);
    const timeout_s = built.timeout_ms / 1000;
    if (errors === 1) return { seconds: Math.min(timeout_s, this.chance.is(0.5) ? 0.003 : 3), failed: true };
    const spanId = this.chance.hex(16);
    const own_s = Math.min(timeout_s, (own_ms / 1000) * Math.exp(SIGMA * this.chance.normal() - (SIGMA * SIGMA) / 2));
    let failed = this.chance.is(errors);
    let now_s = at_s + own_s * 0.4;
    for (const callee of built.calls) {
      if (failed) break;
      const answer = this.call(callee, now_s, spanId);
      now_s += answer.seconds;
      failed ||= answer.failed;
    }
    const seconds = Math.min(timeout_s, now_s + own_s * 0.6 - at_s);
    const answer = { seconds, failed: failed || seconds >= timeout_s };
    this.keep(placeOf(built.name, replica.pod[second]!, host), `host ${host}`, {
      spanId,
      parentSpanId,
      name: `POST /${built.name}`,
      at_s,
      answer,
    });
    return answer;
  }

  private keep(
    resource: Attributes,
    clockName: string,
    {
      spanId,
      parentSpanId,
      name,
      at_s,
      answer,
    }: {
      readonly spanId: string;
      readonly parentSpanId?: string;
      readonly name: string;
      readonly at_s: number;
      readonly answer: Answer;
    },
  ): void {
    const clock = this.scene.clock(clockName);
    this.spans.add(resource, {
      traceId: this.traceId,
      spanId,
      ...(parentSpanId ? { parentSpanId } : {}),
      name,
      kind: 2,
      startTimeUnixNano: this.scene.nanos(clock, at_s),
      endTimeUnixNano: this.scene.nanos(clock, at_s + Math.max(0.0002, answer.seconds)),
      attributes: attributesOf({
        'http.request.method': 'POST',
        'http.response.status_code': answer.failed ? 503 : 200,
      }),
      status: answer.failed ? { code: 2, message: 'upstream request failed' } : {},
    });
  }
}
