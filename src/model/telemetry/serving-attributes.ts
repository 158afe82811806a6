import { stageKinds, toolNames } from './serving-stages.ts';

/**
 * What is known of the serving of a model in an interval of time. Times are in seconds, shares in percent; `busy` is of the GPUs,
 * `tool_duration` of calls of tools; `cancelled`, `completed` and `cold_start` are counts of requests, `time` is that of all completed ones.
 * A service states some of these in its spans, others in its metrics.
 */
export const servingQuantities = [
  'waiting',
  'queue_wait',
  'running',
  'batch',
  'batch_limit',
  'batch_fill',
  'cache_hit',
  'cache_hits',
  'cache_lookups',
  'kv_cache',
  'preemptions',
  'busy',
  'busy_share',
  'input_tokens',
  'output_tokens',
  'duration',
  'tool_duration',
  'cancelled',
  'cold_start',
  'completed',
  'time',
  'inferences',
  'executions',
  'replicas_wanted',
  'replicas_ready',
  'replicas_current',
  'replicas_limit',
] as const;
export type ServingQuantity = (typeof servingQuantities)[number];

/** One attribute of a span, and the factor that brings its numbers to the unit of the quantity; `true` is 1. */
export interface ServingAttribute {
  readonly name: string;
  readonly quantity: ServingQuantity | 'model';
  readonly factor: number;
  /** A value that matches counts 1, another one 0: a regular expression of lower case. */
  readonly matches?: string;
}

const attributes = (quantity: ServingAttribute['quantity'], factor: number, ...names: string[]): ServingAttribute[] =>
  names.map((name) => ({ name, quantity, factor }));
const counted = (quantity: ServingQuantity, matches: string, ...names: string[]): ServingAttribute[] =>
  names.map((name) => ({ name, quantity, factor: 1, matches }));

/**
 * Attributes of inference spans, those that name the model first and by preference:
 * OpenTelemetry `gen_ai.*` (https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/), with the names that vLLM writes
 * (https://docs.vllm.ai/en/latest/examples/online_serving/opentelemetry.html); InferTrace (`inference.*`, `queue.*`, `batch.*`,
 * `cache.*`, `gpu.*`); OpenInference (https://arize-ai.github.io/openinference/spec/semantic_conventions.html); OpenLLMetry
 * (https://www.traceloop.com/docs/openllmetry/contributing/semantic-conventions).
 */
export const servingAttributes: readonly ServingAttribute[] = [
  ...attributes(
    'model',
    1,
    'gen_ai.response.model',
    'gen_ai.request.model',
    'inference.model_name',
    'llm.model_name',
    'llm.request.model',
    'llm.response.model',
  ),
  ...attributes(
    'input_tokens',
    1,
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.prompt_tokens',
    'inference.input_tokens',
    'llm.token_count.prompt',
    'llm.usage.prompt_tokens',
  ),
  ...attributes(
    'output_tokens',
    1,
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.completion_tokens',
    'inference.output_tokens',
    'llm.token_count.completion',
    'llm.usage.completion_tokens',
  ),
  ...attributes('waiting', 1, 'queue.depth', 'inference.queue_depth'),
  ...attributes('queue_wait', 0.001, 'queue.wait_ms', 'queue.wait_time_ms'),
  ...attributes('queue_wait', 1, 'gen_ai.latency.time_in_queue'),
  ...attributes('batch', 1, 'batch.size', 'inference.batch_size'),
  ...attributes('batch_limit', 1, 'batch.max_size', 'inference.max_batch_size'),
  ...attributes('batch_fill', 100, 'batch.fill_ratio'),
  ...attributes('cache_hit', 100, 'cache.hit'),
  ...attributes('cache_hits', 1, 'gen_ai.usage.cache_read.input_tokens', 'llm.token_count.prompt_details.cache_read'),
  // The span is the call of the tool.
  ...attributes('tool_duration', 1, ...toolNames),
  ...stageKinds.flatMap(({ stage, name, value }) =>
    stage === 'tool' ? counted('tool_duration', `^${value}$`, name) : [],
  ),
  ...counted('cancelled', 'cancel|client.?closed|disconnect', 'error.type'),
  ...counted('cancelled', '^499$', 'http.response.status_code', 'http.status_code'),
  ...counted('cancelled', 'abort|cancel', 'gen_ai.response.finish_reasons'),
  ...counted('cold_start', '^true$', 'faas.coldstart', 'inference.cold_start'),
  ...counted('cold_start', '^(model|weights).?load|cold.?start', 'pipeline.stage'),
  ...attributes('busy', 1, 'gpu.utilization_percent'),
  // Written as a share by some and in percent by others: what never exceeds 1 is a share.
  ...attributes('busy_share', 100, 'gpu.utilization'),
];

/** Parts of requests that may be slow by themselves. */
export type ServingPart = 'model' | 'route' | 'tenant';

/** Attributes that name the part of a request, by preference. */
export const servingParts: readonly { readonly name: string; readonly part: ServingPart }[] = [
  ...servingAttributes.flatMap(({ name, quantity }) => (quantity === 'model' ? [{ name, part: quantity }] : [])),
  { name: 'http.route', part: 'route' },
  { name: 'tenant.id', part: 'tenant' },
  { name: 'tenant', part: 'tenant' },
];

/** The same of series: labels of Prometheus have underscores for dots, and short names where the metric states what they are of. */
export const seriesParts: readonly { readonly name: string; readonly part: ServingPart | 'replica' }[] = [
  ...servingParts.flatMap(({ name, part }) =>
    [...new Set([name, name.replaceAll('.', '_')])].map((one) => ({ name: one, part })),
  ),
  { name: 'model_name', part: 'model' },
  { name: 'model', part: 'model' },
  { name: 'route', part: 'route' },
  { name: 'handler', part: 'route' },
  { name: 'k8s.pod.name', part: 'replica' },
  { name: 'pod', part: 'replica' },
  { name: 'service.instance.id', part: 'replica' },
  { name: 'instance', part: 'replica' },
];

/** What is in the text of attributes with such a name: a regular expression that spares other spans from being read. */
export const SERVING_MARKS = '"(gen_ai|inference|llm|queue|batch|cache|tool|pipeline|openinference|traceloop)\\.';
