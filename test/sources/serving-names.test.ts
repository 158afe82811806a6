import { expect, test } from 'vitest';
import { prometheus } from '../../src/main/sources/prometheus/index.ts';
import { readSource, samplesOf } from '../support/read-source.ts';

interface Page {
  /** Names without the suffixes of a histogram, with their type; of the page that documents them. */
  readonly gauges: string;
  readonly counters: string;
  readonly histograms: string;
  /** Of these, those that have no common metric. */
  readonly kept: string;
}

/** Documented names, no real file: pages of metrics as the documentation of each server lists them. */
const pages: Readonly<Record<string, Page>> = {
  // https://docs.vllm.ai/en/latest/usage/metrics/
  vllm: {
    gauges: 'vllm:num_requests_running vllm:num_requests_waiting vllm:kv_cache_usage_perc',
    counters:
      'vllm:num_preemptions_total vllm:prompt_tokens_total vllm:generation_tokens_total vllm:request_success_total vllm:prefix_cache_queries_total vllm:prefix_cache_hits_total',
    histograms:
      'vllm:e2e_request_latency_seconds vllm:time_to_first_token_seconds vllm:inter_token_latency_seconds vllm:request_queue_time_seconds vllm:request_prefill_time_seconds vllm:request_decode_time_seconds vllm:request_inference_time_seconds vllm:request_prompt_tokens vllm:request_generation_tokens vllm:iteration_tokens_total',
    kept: 'vllm:iteration_tokens_total',
  },
  // https://docs.sglang.io/references/production_metrics.html
  sglang: {
    gauges:
      'sglang:token_usage sglang:cache_hit_rate sglang:num_running_reqs sglang:num_used_tokens sglang:gen_throughput sglang:num_queue_reqs',
    counters: 'sglang:prompt_tokens_total sglang:generation_tokens_total sglang:num_retracted_requests_total',
    histograms:
      'sglang:time_to_first_token_seconds sglang:e2e_request_latency_seconds sglang:time_per_output_token_seconds',
    kept: 'sglang:num_used_tokens sglang:gen_throughput',
  },
  // https://huggingface.co/docs/text-generation-inference/reference/metrics
  tgi: {
    gauges: 'tgi_batch_current_max_tokens tgi_batch_current_size tgi_queue_size',
    counters: 'tgi_request_count tgi_request_success tgi_request_failure',
    histograms:
      'tgi_request_duration tgi_request_queue_duration tgi_request_mean_time_per_token_duration tgi_request_inference_duration tgi_request_validation_duration tgi_request_input_length tgi_request_generated_tokens',
    kept: 'tgi_batch_current_max_tokens tgi_request_count',
  },
  // https://docs.nvidia.com/deeplearning/triton-inference-server/user-guide/docs/user_guide/metrics.html
  triton: {
    gauges: 'nv_inference_pending_request_count',
    counters:
      'nv_inference_request_success nv_inference_request_failure nv_inference_count nv_inference_exec_count nv_inference_request_duration_us nv_inference_queue_duration_us nv_inference_compute_input_duration_us nv_inference_compute_infer_duration_us nv_inference_compute_output_duration_us',
    histograms: 'nv_inference_first_response_histogram_ms',
    kept: '',
  },
  // https://docs.ray.io/en/latest/serve/monitoring.html
  'ray serve': {
    gauges:
      'ray_serve_replica_processing_queries ray_serve_deployment_queued_queries ray_serve_deployment_replica_healthy ray_serve_autoscaling_target_replicas ray_serve_autoscaling_desired_replicas',
    counters: 'ray_serve_deployment_error_counter_total ray_serve_deployment_request_counter_total',
    histograms: 'ray_serve_deployment_processing_latency_ms',
    kept: 'ray_serve_autoscaling_desired_replicas ray_serve_deployment_replica_healthy ray_serve_deployment_request_counter_total',
  },
  // https://docs.nvidia.com/dynamo/latest/backends/trtllm/prometheus.html; names of requests by the endpoint picker of the Gateway API
  'TensorRT-LLM': {
    gauges:
      'trtllm_kv_cache_utilization trtllm_kv_cache_hit_rate trtllm_num_requests_running trtllm_num_requests_waiting',
    counters: 'trtllm_request_success_total',
    histograms:
      'trtllm_e2e_request_latency_seconds trtllm_time_to_first_token_seconds trtllm_time_per_output_token_seconds trtllm_request_queue_time_seconds',
    kept: '',
  },
  // https://kserve.github.io/website/docs/model-serving/predictive-inference/observability/prometheus-metrics
  kserve: {
    gauges: '',
    counters: '',
    histograms:
      'request_preprocess_seconds request_predict_seconds request_postprocess_seconds request_explain_seconds',
    kept: 'request_explain_seconds',
  },
  // https://docs.nvidia.com/nim/large-language-models/latest/observability.html
  nim: {
    gauges: 'gpu_cache_usage_perc num_requests_running num_requests_waiting num_request_max',
    counters: 'prompt_tokens_total generation_tokens_total request_finish_total',
    histograms:
      'time_to_first_token_seconds time_per_output_token_seconds e2e_request_latency_seconds request_prompt_tokens request_generation_tokens',
    kept: 'request_finish_total',
  },
  // https://docs.nvidia.com/dynamo/latest/observability/metrics.html
  dynamo: {
    gauges:
      'dynamo_frontend_inflight_requests dynamo_frontend_queued_requests dynamo_component_kvstats_gpu_cache_usage_percent dynamo_component_kvstats_gpu_prefix_cache_hit_rate dynamo_component_inflight_requests',
    counters: 'dynamo_frontend_requests_total',
    histograms:
      'dynamo_frontend_request_duration_seconds dynamo_frontend_time_to_first_token_seconds dynamo_frontend_inter_token_latency_seconds dynamo_frontend_input_sequence_tokens',
    kept: 'dynamo_component_inflight_requests dynamo_frontend_requests_total',
  },
  // A proxy, because Ollama itself has no page of metrics: https://pkg.go.dev/github.com/elliotfehr/ollama-metrics-proxy
  ollama: {
    gauges: 'ollama_active_requests',
    counters: 'ollama_requests_total ollama_prompt_tokens_total ollama_completion_tokens_total',
    histograms: 'ollama_request_duration_seconds',
    kept: 'ollama_requests_total',
  },
  // https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
  'llama.cpp': {
    gauges: 'llamacpp:requests_processing llamacpp:requests_deferred llamacpp:predicted_tokens_seconds',
    counters: 'llamacpp:prompt_tokens_total llamacpp:tokens_predicted_total',
    histograms: '',
    kept: 'llamacpp:predicted_tokens_seconds',
  },
};

const listed = (names: string): string[] => names.split(' ').filter((name) => name !== '');

test.each(Object.entries(pages))('the documented names of %s', async (_, { gauges, counters, histograms, kept }) => {
  const labels = 'model_name="m",deployment="chat",job="chat"';
  const plain = (type: string) => (name: string) => `# TYPE ${name} ${type}\n${name}{${labels}} 1 1767225600000`;
  const bucket = (name: string) =>
    [
      `# TYPE ${name} histogram`,
      ...['1', '+Inf'].map((le) => `${name}_bucket{${labels},le="${le}"} 1 1767225600000`),
    ].join('\n');
  const text = [
    ...listed(gauges).map(plain('gauge')),
    ...listed(counters).map(plain('counter')),
    ...listed(histograms).map(bucket),
  ].join('\n');
  const reading = await readSource(prometheus, `${text}\n`, { name: 'page.prom' });
  const distributions = reading.rows.distribution.map(({ series }) => JSON.parse(String(series)) as { metric: string });
  const metrics = [...samplesOf(reading), ...distributions].map(({ metric }) => metric);
  const all = [gauges, counters, histograms].flatMap(listed);
  expect(metrics).toHaveLength(all.length);
  expect(metrics.filter((metric) => !/^(gen_ai\.server|service)\./.test(metric)).toSorted()).toEqual(
    listed(kept).toSorted(),
  );
});
