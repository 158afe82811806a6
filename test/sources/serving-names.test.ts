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

/** Pages of metrics as the documentation of each server lists them; Ollama has none. */
const pages: Readonly<Record<string, Page>> = {
  // https://docs.vllm.ai/en/latest/usage/metrics/
  vllm: {
    gauges: 'vllm:num_requests_running vllm:num_requests_waiting vllm:kv_cache_usage_perc',
    counters:
      'vllm:num_preemptions_total vllm:prompt_tokens_total vllm:generation_tokens_total vllm:request_success_total vllm:prefix_cache_queries_total vllm:prefix_cache_hits_total',
    histograms:
      'vllm:e2e_request_latency_seconds vllm:time_to_first_token_seconds vllm:inter_token_latency_seconds vllm:request_queue_time_seconds vllm:request_prefill_time_seconds vllm:request_decode_time_seconds vllm:iteration_tokens_total',
    kept: 'vllm:request_prefill_time_seconds vllm:request_decode_time_seconds vllm:iteration_tokens_total',
  },
  // https://docs.sglang.io/references/production_metrics.html
  sglang: {
    gauges:
      'sglang:token_usage sglang:cache_hit_rate sglang:num_running_reqs sglang:num_used_tokens sglang:gen_throughput sglang:num_queue_reqs',
    counters: 'sglang:prompt_tokens_total sglang:generation_tokens_total',
    histograms:
      'sglang:time_to_first_token_seconds sglang:e2e_request_latency_seconds sglang:time_per_output_token_seconds',
    kept: 'sglang:num_used_tokens sglang:gen_throughput',
  },
  // https://huggingface.co/docs/text-generation-inference/reference/metrics
  tgi: {
    gauges: 'tgi_batch_current_max_tokens tgi_batch_current_size tgi_queue_size',
    counters: 'tgi_request_count tgi_request_success tgi_request_failure',
    histograms:
      'tgi_request_duration tgi_request_queue_duration tgi_request_mean_time_per_token_duration tgi_request_inference_duration tgi_request_input_length tgi_request_generated_tokens',
    kept: 'tgi_batch_current_max_tokens tgi_request_count tgi_request_inference_duration tgi_request_input_length tgi_request_generated_tokens',
  },
  // https://docs.nvidia.com/deeplearning/triton-inference-server/user-guide/docs/user_guide/metrics.html
  triton: {
    gauges: 'nv_inference_pending_request_count',
    counters: 'nv_inference_request_success nv_inference_request_failure nv_inference_count nv_inference_exec_count',
    histograms: 'nv_inference_first_response_histogram_ms',
    kept: 'nv_inference_count nv_inference_exec_count',
  },
  // https://docs.ray.io/en/latest/serve/monitoring.html
  'ray serve': {
    gauges:
      'ray_serve_replica_processing_queries ray_serve_deployment_queued_queries ray_serve_deployment_replica_healthy',
    counters: 'ray_serve_deployment_error_counter_total ray_serve_deployment_request_counter_total',
    histograms: 'ray_serve_deployment_processing_latency_ms',
    kept: 'ray_serve_deployment_replica_healthy ray_serve_deployment_request_counter_total',
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
  expect(metrics.filter((metric) => !metric.startsWith('gen_ai.server.')).toSorted()).toEqual(listed(kept).toSorted());
});
