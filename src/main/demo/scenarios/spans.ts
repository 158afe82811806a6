import { attributes, unixNano } from '../otlp.ts';
import { createRandom, type Random } from '../random.ts';
import { MAX_BATCH, type Served, SHARED_TOKENS } from './engine.ts';
import { faultAt_s, jsonLines, type Scene } from './scene.ts';
import { GATEWAY, GATEWAY_POD, GATEWAY_SERVER, MODEL, NAMESPACE } from './site.ts';

/** Requests per line, as the collector's file exporter batches spans. */
const BATCH = 64;
/** Seconds on the way between gateway and server. */
const NETWORK_S = 0.001;
const KIND = { internal: 1, server: 2, client: 3 } as const;
const tenants = ['acme', 'globex', 'initech', 'umbrella'] as const;

type Values = Readonly<Record<string, string | number | boolean>>;

export const resourceOf = (service: string, version: string, pod: string, host: string, more: Values = {}) => ({
  attributes: attributes({
    'service.name': service,
    'service.version': version,
    'k8s.namespace.name': NAMESPACE,
    'k8s.pod.name': pod,
    'host.name': host,
    ...more,
  }),
});

/** The requests as spans of the gateway and of the model server, whose stages are children of their request. */
export function spansText(scene: Scene, served: readonly Served[]): string {
  const random = createRandom(scene.seed + 1);
  const lines: unknown[] = [];
  for (let from = 0; from < served.length; from += BATCH) {
    const parts = served.slice(from, from + BATCH).map((request) => ({ request, ...spansOf(request, random) }));
    const servers = Map.groupBy(parts, ({ request: { replica, version } }) => `${replica.pod} ${version}`);
    lines.push({
      resourceSpans: [
        {
          resource: resourceOf(GATEWAY, '1.12.0', GATEWAY_POD, GATEWAY_SERVER),
          scopeSpans: [{ scope: { name: 'gateway' }, spans: parts.flatMap(({ gateway }) => gateway) }],
        },
        ...[...servers.values()].map((group) => {
          const { replica, version } = group[0]!.request;
          return {
            resource: resourceOf(MODEL, version, replica.pod, replica.server, { 'service.instance.id': replica.pod }),
            scopeSpans: [{ scope: { name: 'model-server' }, spans: group.flatMap(({ server }) => server) }],
          };
        }),
      ],
    });
  }
  return jsonLines(lines);
}

function spansOf(request: Served, random: Random) {
  const trace = random.hex(32);
  const [root, call, own] = [random.hex(16), random.hex(16), random.hex(16)];
  const tenant = tenants[Math.floor(random.next() ** 2 * tenants.length)]!;
  const start = request.at_s - NETWORK_S;
  const end = request.done_s + NETWORK_S;
  const status = request.failure === '' ? 200 : request.failure === 'timeout' ? 504 : 500;
  const failed = status !== 200;
  const model = { 'gen_ai.request.model': MODEL };
  const gateway = [
    span(
      { trace, id: root, name: 'POST /v1/chat/completions', kind: KIND.server, failed },
      start - NETWORK_S,
      end + NETWORK_S,
      {
        'http.request.method': 'POST',
        'http.route': '/v1/chat/completions',
        'http.response.status_code': status,
        'tenant.id': tenant,
      },
    ),
    span({ trace, id: call, parent: root, name: `chat ${MODEL}`, kind: KIND.client, failed }, start, end, {
      ...model,
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.max_tokens': request.max_tokens,
      'server.address': request.replica.pod,
    }),
  ];
  const server = [
    span({ trace, id: own, parent: call, name: 'generate', kind: KIND.server, failed }, request.at_s, request.done_s, {
      ...model,
      'tenant.id': tenant,
      'http.response.status_code': status,
      ...inferenceOf(request),
    }),
    ...stagesOf(request).map(({ stage, from, to, values }) =>
      span({ trace, id: random.hex(16), parent: own, name: stage, kind: KIND.internal, failed: false }, from, to, {
        'pipeline.stage': stage,
        ...values,
      }),
    ),
  ];
  return { gateway, server };
}

function inferenceOf(request: Served): Values {
  const { depth, queued_s, admitted_s, done_s, failure } = request;
  const isAdmitted = failure !== 'timeout';
  return {
    'inference.model_name': MODEL,
    'inference.input_tokens': SHARED_TOKENS + request.own_tokens,
    'queue.depth': depth,
    'queue.wait_ms': round(((isAdmitted ? admitted_s : done_s) - queued_s) * 1000),
    'batch.max_size': MAX_BATCH,
    ...(isAdmitted && {
      'inference.output_tokens': request.output_tokens,
      'batch.size': request.batch,
      'cache.hit': request.cached_tokens > 0,
      'gpu.device_id': 0,
      'gpu.utilization': round(request.utilization * 100),
    }),
  };
}

function stagesOf(request: Served): { stage: string; from: number; to: number; values: Values }[] {
  const { at_s, queued_s, admitted_s, decoding_s, decoded_s, done_s, depth, cached_tokens, own_tokens } = request;
  const preprocess = { stage: 'preprocess', from: at_s, to: queued_s, values: {} };
  const queue = { stage: 'queue', from: queued_s, values: { 'queue.depth': depth } };
  if (request.failure === 'timeout') return [preprocess, { ...queue, to: done_s }];
  return [
    preprocess,
    { ...queue, to: admitted_s },
    {
      stage: 'prefill',
      from: admitted_s,
      to: decoding_s,
      values: { 'inference.input_tokens': SHARED_TOKENS + own_tokens - cached_tokens, 'cache.hit': cached_tokens > 0 },
    },
    {
      stage: 'decode',
      from: decoding_s,
      to: decoded_s,
      values: { 'inference.output_tokens': request.output_tokens, 'batch.size': request.batch },
    },
    { stage: 'postprocess', from: decoded_s, to: done_s, values: {} },
  ];
}

const round = (value: number): number => Math.round(value * 10) / 10;

function span(
  of: {
    readonly trace: string;
    readonly id: string;
    readonly parent?: string;
    readonly name: string;
    readonly kind: number;
    readonly failed: boolean;
  },
  from: number,
  to: number,
  values: Values,
) {
  return {
    traceId: of.trace,
    spanId: of.id,
    ...(of.parent !== undefined && { parentSpanId: of.parent }),
    name: of.name,
    kind: of.kind,
    startTimeUnixNano: unixNano(from),
    endTimeUnixNano: unixNano(to),
    attributes: attributes(values),
    ...(of.failed && { status: { code: 2 } }),
  };
}

/** Times of requests before and after the fault, in ms. */
export function latencies(scene: Scene, served: readonly Served[], of: (request: Served) => number) {
  const at = faultAt_s(scene);
  const quantile = (list: readonly Served[], share: number): number => {
    const sorted = list.map(of).sort((a, b) => a - b);
    return Math.round(1000 * (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0));
  };
  const [before, after] = [served.filter(({ at_s }) => at_s < at), served.filter(({ at_s }) => at_s >= at)];
  return {
    p50: [quantile(before, 0.5), quantile(after, 0.5)] as const,
    p99: [quantile(before, 0.99), quantile(after, 0.99)] as const,
  };
}
