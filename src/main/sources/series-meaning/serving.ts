import type { MetricName } from '../../../model/telemetry/metric.ts';
import type { Reading } from '../nvidia/reading.ts';
import type { Labels } from './scraped.ts';

/** Metrics of one inference server, under the names that it exports. */
interface Engine {
  /** The service where labels name none. */
  readonly name: string;
  /** What the names of its metrics begin with. */
  readonly prefix: RegExp;
  /** The same as it is written today. */
  readonly written: string;
  /** The label that names the service, before those that all have. */
  readonly serviceLabel?: string;
  readonly metrics: Readonly<Record<string, ServingMetric>>;
}
interface ServingMetric {
  readonly metric: MetricName;
  /** Of the recorded numbers: `1` where a name has "perc" but its values end at 1. */
  readonly unit: string;
  /** One metric of a server may be several of ours, by a label. */
  readonly where?: readonly [label: string, value: string];
}

const of = (metric: MetricName, unit: string, where?: ServingMetric['where']): ServingMetric =>
  where ? { metric, unit, where } : { metric, unit };

const duration = of('gen_ai.server.request.duration', 's');
const firstToken = of('gen_ai.server.time_to_first_token', 's');
const perToken = of('gen_ai.server.time_per_output_token', 's');
const betweenTokens = of('gen_ai.server.inter_token_latency', 's');
const promptTokens = of('gen_ai.server.request.input_tokens', '{token}');
const answerTokens = of('gen_ai.server.request.output_tokens', '{token}');
const queued = of('gen_ai.server.request.queue.duration', 's');
const preprocessed = of('gen_ai.server.request.preprocess.duration', 's');
const prefilled = of('gen_ai.server.request.prefill.duration', 's');
const decoded = of('gen_ai.server.request.decode.duration', 's');
const ran = of('gen_ai.server.request.inference.duration', 's');
const postprocessed = of('gen_ai.server.request.postprocess.duration', 's');
const running = of('gen_ai.server.request.running', '{request}');
const waiting = of('gen_ai.server.request.waiting', '{request}');
const cache = of('gen_ai.server.kv_cache.usage', '1');
const preemptions = of('gen_ai.server.request.preemptions', '{preemption}');
const tokensIn = of('gen_ai.server.token.input', '{token}');
const tokensOut = of('gen_ai.server.token.output', '{token}');
const succeeded = of('gen_ai.server.request.success', '{request}');
const failed = of('gen_ai.server.request.failure', '{request}');
const cancelled = of('gen_ai.server.request.cancelled', '{request}');
const wanted = of('service.replicas.wanted', '{replica}');
const limit = of('gen_ai.server.batch.limit', '{request}');
const lookups = of('gen_ai.server.prefix_cache.queries', '{token}');
const hits = of('gen_ai.server.prefix_cache.hits', '{token}');
const hitRatio = of('gen_ai.server.prefix_cache.hit_ratio', '1');
const drafted = of('gen_ai.server.speculative.drafted', '{token}');
const accepted = of('gen_ai.server.speculative.accepted', '{token}');
const acceptance = of('gen_ai.server.speculative.acceptance_ratio', '1');

const engines: readonly Engine[] = [
  {
    // https://docs.vllm.ai/en/latest/usage/metrics/ ; names of earlier versions beside those of today. Ray puts `ray_` before them.
    name: 'vllm',
    prefix: /^(?:ray_)?vllm[:_]/,
    written: 'vllm:',
    metrics: {
      e2e_request_latency_seconds: duration,
      time_to_first_token_seconds: firstToken,
      // The earlier name of the same.
      time_per_output_token_seconds: betweenTokens,
      inter_token_latency_seconds: betweenTokens,
      request_time_per_output_token_seconds: perToken,
      request_prompt_tokens: promptTokens,
      request_generation_tokens: answerTokens,
      request_queue_time_seconds: queued,
      request_prefill_time_seconds: prefilled,
      request_decode_time_seconds: decoded,
      request_inference_time_seconds: ran,
      num_requests_running: running,
      num_requests_waiting: waiting,
      kv_cache_usage_perc: cache,
      gpu_cache_usage_perc: cache,
      num_preemptions_total: preemptions,
      prompt_tokens_total: tokensIn,
      generation_tokens_total: tokensOut,
      request_success_total: succeeded,
      'request_success_total abort': { ...cancelled, where: ['finished_reason', 'abort'] },
      'request_success_total error': { ...failed, where: ['finished_reason', 'error'] },
      prefix_cache_queries_total: lookups,
      gpu_prefix_cache_queries_total: lookups,
      prefix_cache_hits_total: hits,
      gpu_prefix_cache_hits_total: hits,
      gpu_prefix_cache_hit_rate: hitRatio,
      spec_decode_num_draft_tokens_total: drafted,
      spec_decode_num_accepted_tokens_total: accepted,
      spec_decode_draft_acceptance_rate: acceptance,
    },
  },
  {
    // https://docs.sglang.ai/references/production_metrics.html
    name: 'sglang',
    prefix: /^sglang[:_]/,
    written: 'sglang:',
    metrics: {
      e2e_request_latency_seconds: duration,
      time_to_first_token_seconds: firstToken,
      time_per_output_token_seconds: perToken,
      inter_token_latency_seconds: betweenTokens,
      queue_time_seconds: queued,
      num_running_reqs: running,
      num_queue_reqs: waiting,
      token_usage: cache,
      cache_hit_rate: hitRatio,
      spec_accept_rate: acceptance,
      prompt_tokens_total: tokensIn,
      generation_tokens_total: tokensOut,
      // Signals to stop a request, mostly of clients that have gone: https://github.com/sgl-project/sglang/pull/34132
      num_aborted_requests_total: cancelled,
      num_retracted_requests_total: preemptions,
    },
  },
  {
    // https://huggingface.co/docs/text-generation-inference/reference/metrics
    name: 'text-generation-inference',
    prefix: /^tgi_/,
    written: 'tgi_',
    metrics: {
      request_duration: duration,
      request_mean_time_per_token_duration: perToken,
      request_validation_duration: preprocessed,
      request_queue_duration: queued,
      request_inference_duration: ran,
      request_input_length: promptTokens,
      request_generated_tokens: answerTokens,
      batch_current_size: running,
      queue_size: waiting,
      request_success: succeeded,
      request_failure: failed,
    },
  },
  {
    // https://docs.nvidia.com/deeplearning/triton-inference-server/user-guide/docs/user_guide/metrics.html
    name: 'triton',
    prefix: /^nv_(?=inference_|trt_llm_)/,
    written: 'nv_',
    metrics: {
      inference_request_summary_us: of('gen_ai.server.request.duration', 'us'),
      inference_queue_summary_us: of('gen_ai.server.request.queue.duration', 'us'),
      inference_compute_input_summary_us: of('gen_ai.server.request.preprocess.duration', 'us'),
      inference_compute_infer_summary_us: of('gen_ai.server.request.inference.duration', 'us'),
      inference_compute_output_summary_us: of('gen_ai.server.request.postprocess.duration', 'us'),
      inference_first_response_histogram_ms: of('gen_ai.server.time_to_first_token', 'ms'),
      inference_pending_request_count: waiting,
      inference_request_success: succeeded,
      inference_request_failure: failed,
      'inference_request_failure CANCELED': { ...cancelled, where: ['reason', 'CANCELED'] },
      inference_request_duration_us: of('gen_ai.server.request.time', 'us'),
      inference_queue_duration_us: of('gen_ai.server.request.queue.time', 'us'),
      inference_compute_input_duration_us: of('gen_ai.server.request.preprocess.time', 'us'),
      inference_compute_infer_duration_us: of('gen_ai.server.request.inference.time', 'us'),
      inference_compute_output_duration_us: of('gen_ai.server.request.postprocess.time', 'us'),
      inference_count: of('gen_ai.server.batch.inferences', '{inference}'),
      inference_exec_count: of('gen_ai.server.batch.executions', '{execution}'),
      // Of `active` ones some wait.
      'trt_llm_request_metrics scheduled': { ...running, where: ['request_type', 'scheduled'] },
      'trt_llm_request_metrics waiting': { ...waiting, where: ['request_type', 'waiting'] },
      'trt_llm_request_metrics max': { ...limit, where: ['request_type', 'max'] },
      'trt_llm_kv_cache_block_metrics fraction': { ...cache, where: ['kv_cache_block_type', 'fraction'] },
    },
  },
  {
    // https://nvidia.github.io/TensorRT-LLM/ (trtllm-serve, /prometheus/metrics)
    name: 'tensorrt-llm',
    prefix: /^trtllm[:_]/,
    written: 'trtllm_',
    metrics: {
      e2e_request_latency_seconds: duration,
      time_to_first_token_seconds: firstToken,
      time_per_output_token_seconds: perToken,
      request_queue_time_seconds: queued,
      num_requests_running: running,
      num_requests_waiting: waiting,
      kv_cache_utilization: cache,
      kv_cache_hit_rate: hitRatio,
      prompt_tokens_total: tokensIn,
      generation_tokens_total: tokensOut,
      spec_decode_drafted_tokens_total: drafted,
      spec_decode_accepted_tokens_total: accepted,
      request_success_total: succeeded,
    },
  },
  {
    // https://docs.nvidia.com/dynamo/latest/observability/metrics.html ; workers measure the requests of the frontend once more.
    name: 'dynamo',
    prefix: /^dynamo_frontend_/,
    written: 'dynamo_frontend_',
    metrics: {
      request_duration_seconds: duration,
      time_to_first_token_seconds: firstToken,
      inter_token_latency_seconds: betweenTokens,
      input_sequence_tokens: promptTokens,
      output_sequence_tokens: answerTokens,
      inflight_requests: running,
      queued_requests: waiting,
    },
  },
  {
    name: 'dynamo',
    prefix: /^dynamo_component_/,
    written: 'dynamo_component_',
    metrics: { kvstats_gpu_cache_usage_percent: cache, kvstats_gpu_prefix_cache_hit_rate: hitRatio },
  },
  {
    // https://docs.ray.io/en/latest/serve/monitoring.html ; versions before 2.40 count without `_total`.
    name: 'ray-serve',
    prefix: /^ray_serve_/,
    written: 'ray_serve_',
    serviceLabel: 'deployment',
    metrics: {
      deployment_processing_latency_ms: of('gen_ai.server.request.duration', 'ms'),
      replica_processing_queries: running,
      deployment_queued_queries: waiting,
      deployment_error_counter_total: failed,
      batch_wait_time_ms: of('gen_ai.server.request.queue.duration', 'ms'),
      autoscaling_target_replicas: wanted,
    },
  },
  {
    // https://kserve.github.io/website/ (Prometheus metrics of the model server): the steps of a request, not all of it.
    name: 'kserve',
    prefix: /^request_(?=(?:preprocess|predict|postprocess)_seconds(?:$|_))/,
    written: 'request_',
    metrics: { preprocess_seconds: preprocessed, predict_seconds: ran, postprocess_seconds: postprocessed },
  },
  {
    // https://docs.nvidia.com/nim/large-language-models/latest/observability.html ; its names have no prefix.
    name: 'nim',
    prefix:
      /^(?=(?:num_requests_(?:running|waiting)|num_request_max|gpu_cache_usage_perc|time_to_first_token_seconds|time_per_output_token_seconds|e2e_request_latency_seconds|prompt_tokens_total|generation_tokens_total|request_prompt_tokens|request_generation_tokens|request_success_total|request_failure_total)$)/,
    written: '',
    metrics: {
      num_requests_running: running,
      num_requests_waiting: waiting,
      num_request_max: limit,
      gpu_cache_usage_perc: cache,
      time_to_first_token_seconds: firstToken,
      time_per_output_token_seconds: perToken,
      e2e_request_latency_seconds: duration,
      prompt_tokens_total: tokensIn,
      generation_tokens_total: tokensOut,
      request_prompt_tokens: promptTokens,
      request_generation_tokens: answerTokens,
      request_success_total: succeeded,
      request_failure_total: failed,
    },
  },
  {
    // https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md ; `kv_cache_usage_ratio` of earlier builds only.
    name: 'llama.cpp',
    prefix: /^llamacpp[:_]/,
    written: 'llamacpp:',
    metrics: {
      requests_processing: running,
      requests_deferred: waiting,
      kv_cache_usage_ratio: cache,
      prompt_tokens_total: tokensIn,
      prompt_seconds_total: of('gen_ai.server.token.input.time', 's'),
      tokens_predicted_total: tokensOut,
      tokens_predicted_seconds_total: of('gen_ai.server.token.output.time', 's'),
    },
  },
  {
    // Ollama has no page of metrics; a proxy before it measures its answers:
    // https://pkg.go.dev/github.com/elliotfehr/ollama-metrics-proxy
    name: 'ollama',
    prefix:
      /^ollama_(?=(?:request_duration_seconds|active_requests|prompt_tokens_total|completion_tokens_total)(?:$|_))/,
    written: 'ollama_',
    metrics: {
      request_duration_seconds: duration,
      active_requests: running,
      prompt_tokens_total: tokensIn,
      completion_tokens_total: tokensOut,
    },
  },
  {
    // What Prometheus makes of https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-metrics/
    name: 'gen_ai',
    prefix: /^gen_ai_server_/,
    written: 'gen_ai_server_',
    metrics: {
      request_duration_seconds: duration,
      time_to_first_token_seconds: firstToken,
      time_per_output_token_seconds: perToken,
    },
  },
];

/** Names of all servers, as they write them. */
export const servingNames: readonly string[] = engines.flatMap(({ written, metrics }) =>
  Object.keys(metrics).map((name) => written + name),
);

/** Whether an inference server exports a metric of this name. */
export const isServing = (name: string): boolean => engines.some(({ prefix }) => prefix.test(name));

/** Labels that name the model. */
const modelLabels = ['model_name', 'model', 'model_id', 'gen_ai_request_model', 'gen_ai_response_model'] as const;

/** What the metric of an inference server means. */
export interface Serving {
  readonly engine: string;
  /** The label that names the service; undefined: as for all. */
  readonly serviceLabel?: string | undefined;
  /** Undefined: its metric keeps its name. */
  readonly reading: Reading | undefined;
  /** Labels that the reading replaces. */
  readonly used: readonly string[];
}

/** Undefined: no inference server that is known exports such a metric. */
export function servingOf(name: string, labels: Labels): Serving | undefined {
  const engine = engines.find(({ prefix }) => prefix.test(name));
  if (!engine) return undefined;
  const rest = name.replace(engine.prefix, '');
  const labelled = Object.entries(engine.metrics).find(
    ([key, { where }]) => where && key === `${rest} ${where[1]}` && labels.get(where[0]) === where[1],
  )?.[1];
  const found = labelled ?? (Object.hasOwn(engine.metrics, rest) ? engine.metrics[rest] : undefined);
  if (!found) return { engine: engine.name, serviceLabel: engine.serviceLabel, reading: undefined, used: [] };
  const { metric, unit, where } = found;
  const model = modelLabels.find((label) => labels.get(label));
  const attributes = model ? { attributes: { 'gen_ai.request.model': labels.get(model)! } } : {};
  const used = [...(model ? [model] : []), ...(where ? [where[0]] : [])];
  const { name: server, serviceLabel } = engine;
  return { engine: server, serviceLabel, reading: { metric, unit, ...attributes }, used };
}
