import type { Chance } from '../chance.ts';
import { type Attributes, attributesOf, ByResource } from './otlp.ts';
import type { Scene } from './scene.ts';
import { INGRESS, placeOf } from './spans.ts';

const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const SIGMA = 0.3;

interface Point {
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
  readonly count: string;
  readonly sum: number;
  readonly bucketCounts: readonly string[];
  readonly explicitBounds: readonly number[];
  readonly attributes: ReturnType<typeof attributesOf>;
}

/** `http.server.request.duration` of every pod and of the front door, as deltas of one interval, as their SDKs push them. */
export function recordMetrics(scene: Scene): void {
  const { site } = scene.run;
  const chance = scene.chance('metrics');
  const interval_s = chance.pick([10, 15, 30, 60]);
  scene.interval_s = interval_s;
  const points = new ByResource<Point>();
  for (let from_s = 0; from_s + interval_s <= site.seconds; from_s += interval_s)
    site.services.forEach(({ rate }, i) => {
      pointsOfPods(scene, chance, points, { i, from_s, interval_s });
      if (rate > 0) pointsOfFront(scene, chance, points, { i, from_s, interval_s });
    });
  const resourceMetrics = points.map((resource, dataPoints) => ({
    resource,
    scopeMetrics: [
      {
        scope: { name: 'otel' },
        metrics: [
          { name: 'http.server.request.duration', unit: 's', histogram: { aggregationTemporality: 1, dataPoints } },
        ],
      },
    ],
  }));
  scene.files.set('metrics.json', JSON.stringify({ resourceMetrics }));
}

interface Window {
  readonly i: number;
  readonly from_s: number;
  readonly interval_s: number;
}

/** What a pod that answers measures; one that is gone, or cut off, pushes nothing. */
function pointsOfPods(
  scene: Scene,
  chance: Chance,
  points: ByResource<Point>,
  { i, from_s, interval_s }: Window,
): void {
  const { run } = scene;
  const { name, calls } = run.site.services[i]!;
  for (const { pod, server, own_ms, errors, rate } of run.services[i]!.replicas) {
    const end_s = from_s + interval_s - 1;
    if (errors[end_s] === 1) continue;
    const host = scene.server(server[end_s]!);
    const parts: Part[] = [];
    for (let second = from_s; second <= end_s; second++) {
      if (errors[second] === 1) continue;
      let passed = 1;
      let called_ms = 0;
      for (const callee of calls) {
        passed *= 1 - run.services[callee]!.errors[second]!;
        called_ms += run.services[callee]!.total_ms[second]!;
      }
      parts.push({ rate: rate[second]!, ms: own_ms[second]! + called_ms, failed: 1 - (1 - errors[second]!) * passed });
    }
    add(scene, chance, points, {
      resource: placeOf(name, pod[end_s]!, host),
      clock: `host ${host}`,
      from_s,
      interval_s,
      parts,
    });
  }
}

function pointsOfFront(
  scene: Scene,
  chance: Chance,
  points: ByResource<Point>,
  { i, from_s, interval_s }: Window,
): void {
  const { rate, total_ms, errors } = scene.run.services[i]!;
  const parts = Array.from(
    { length: interval_s },
    (_, k): Part => ({ rate: rate[from_s + k]!, ms: total_ms[from_s + k]! + 1, failed: errors[from_s + k]! }),
  );
  add(scene, chance, points, {
    resource: { 'service.name': INGRESS, 'service.namespace': 'prod' },
    clock: 'control plane',
    from_s,
    interval_s,
    parts,
  });
}

interface Part {
  readonly rate: number;
  readonly ms: number;
  readonly failed: number;
}

interface Measured {
  readonly resource: Attributes;
  readonly clock: string;
  readonly from_s: number;
  readonly interval_s: number;
  readonly parts: readonly Part[];
}

function add(
  scene: Scene,
  chance: Chance,
  points: ByResource<Point>,
  { resource, clock: name, from_s, interval_s, parts }: Measured,
): void {
  const clock = scene.clock(name);
  for (const failed of [false, true]) {
    const shares = parts.map((part) => ({ ...part, weight: part.rate * (failed ? part.failed : 1 - part.failed) }));
    const expected = shares.reduce((sum, { weight }) => sum + weight, 0);
    const count = Math.max(0, Math.round(expected + Math.sqrt(expected) * chance.normal()));
    if (count === 0) continue;
    const buckets = new Array<number>(BOUNDS.length + 1).fill(0);
    let below = 0;
    for (const [k, bound] of [...BOUNDS, Number.POSITIVE_INFINITY].entries()) {
      const share = shares.reduce((sum, { ms, weight }) => sum + weight * shareBelow(bound, ms / 1000), 0) / expected;
      const until = Math.round(share * count);
      buckets[k] = Math.max(0, until - below);
      below = Math.max(below, until);
    }
    const mean_s = shares.reduce((sum, { ms, weight }) => sum + (weight * ms) / 1000, 0) / expected;
    points.add(resource, {
      startTimeUnixNano: scene.nanos(clock, from_s),
      timeUnixNano: scene.nanos(clock, from_s + interval_s),
      count: String(buckets.reduce((sum, one) => sum + one, 0)),
      sum: mean_s * count,
      bucketCounts: buckets.map(String),
      explicitBounds: BOUNDS,
      attributes: attributesOf({
        'http.request.method': 'POST',
        'http.response.status_code': failed ? 503 : 200,
        ...(failed ? { 'error.type': '503' } : {}),
      }),
    });
  }
}

/** Share of a log-normal with this mean that is below a bound; the logistic stands for the normal (within 0.01). */
const shareBelow = (bound_s: number, mean_s: number): number =>
  bound_s === Number.POSITIVE_INFINITY
    ? 1
    : 1 / (1 + Math.exp((-1.702 * (Math.log(bound_s / mean_s) + (SIGMA * SIGMA) / 2)) / SIGMA));
