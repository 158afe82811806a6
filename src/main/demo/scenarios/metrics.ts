import { attributes, unixNano } from '../otlp.ts';
import type { Second } from './engine.ts';
import type { Fault, Run } from './fault.ts';
import { jsonLines } from './scene.ts';
import { GPUS, gpuUuid, MODEL, pciBusId, type Replica } from './site.ts';
import { resourceOf } from './spans.ts';

/** Seconds between scrapes. */
const EVERY_S = 10;
const FULL_CLOCK_MHZ = 1980;
/** NVML clock event reasons: software thermal slowdown, hardware power brake. */
const REASON = { heat: 0x20, brake: 0x80 } as const;

interface Family {
  readonly name: string;
  readonly isTotal?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: (second: Second) => number;
}

/** What a collector scraped from the model servers and from dcgm-exporter, as its file exporter writes it. */
export function metricsText(run: Run, engine: Fault['engine'] = 'vllm'): string {
  const lines: unknown[] = [];
  for (let minute = 0; minute < run.scene.minutes; minute++)
    lines.push({
      resourceMetrics: run.replicas.flatMap((replica) => [
        served(run, replica, minute, engine),
        gpus(run, replica, minute),
      ]),
    });
  return jsonLines(lines);
}

/** https://docs.vllm.ai/en/latest/usage/metrics/ */
const vllm: readonly Family[] = [
  { name: 'vllm:num_requests_running', value: ({ running }) => running },
  { name: 'vllm:num_requests_waiting', value: ({ waiting }) => waiting },
  { name: 'vllm:kv_cache_usage_perc', value: ({ cache_use }) => cache_use },
  { name: 'vllm:prompt_tokens_total', isTotal: true, value: ({ totals }) => totals.prompt },
  { name: 'vllm:generation_tokens_total', isTotal: true, value: ({ totals }) => totals.output },
  { name: 'vllm:prefix_cache_queries_total', isTotal: true, value: ({ totals }) => totals.prompt },
  { name: 'vllm:prefix_cache_hits_total', isTotal: true, value: ({ totals }) => totals.hits },
  {
    name: 'vllm:request_success_total',
    isTotal: true,
    labels: { finished_reason: 'stop' },
    value: ({ totals }) => totals.served,
  },
];
/** https://docs.nvidia.com/deeplearning/triton-inference-server/user-guide/docs/user_guide/metrics.html , with those of TensorRT-LLM. */
const triton: readonly Family[] = [
  {
    name: 'nv_trt_llm_request_metrics',
    labels: { request_type: 'active' },
    value: ({ running, waiting }) => running + waiting,
  },
  { name: 'nv_trt_llm_request_metrics', labels: { request_type: 'scheduled' }, value: ({ running }) => running },
  { name: 'nv_trt_llm_request_metrics', labels: { request_type: 'waiting' }, value: ({ waiting }) => waiting },
  { name: 'nv_trt_llm_request_metrics', labels: { request_type: 'max' }, value: () => 32 },
  {
    name: 'nv_trt_llm_kv_cache_block_metrics',
    labels: { kv_cache_block_type: 'fraction' },
    value: ({ cache_use }) => cache_use,
  },
  { name: 'nv_inference_request_success', isTotal: true, value: ({ totals }) => totals.served },
  { name: 'nv_inference_request_failure', isTotal: true, value: ({ totals }) => totals.failed },
];
/** Fields of dcgm-exporter: https://docs.nvidia.com/datacenter/dcgm/latest/dcgm-api/dcgm-api-field-ids.html */
const dcgm: readonly Family[] = [
  { name: 'DCGM_FI_DEV_GPU_UTIL', value: ({ utilization }) => Math.round(100 * utilization) },
  { name: 'DCGM_FI_DEV_GPU_TEMP', value: ({ temperature_c }) => Math.round(temperature_c) },
  { name: 'DCGM_FI_DEV_POWER_USAGE', value: ({ power_w }) => power_w },
  { name: 'DCGM_FI_DEV_SM_CLOCK', value: ({ clock }) => Math.round(FULL_CLOCK_MHZ * clock) },
  {
    name: 'DCGM_FI_DEV_CLOCK_THROTTLE_REASONS',
    // After heat the driver raises the clock step by step, for the same reason.
    value: ({ hot, clock, capped }) => (hot || (clock < 1 && !capped) ? REASON.heat : clock < 1 ? REASON.brake : 0),
  },
  { name: 'DCGM_FI_DEV_THERMAL_VIOLATION', isTotal: true, value: ({ hot_us }) => hot_us },
];

function served(run: Run, replica: Replica, minute: number, engine: 'vllm' | 'triton') {
  const labels = engine === 'vllm' ? { model_name: MODEL, engine: '0' } : { model: MODEL, version: '1' };
  return {
    resource: resourceOf(MODEL, '', replica.pod, replica.server, { 'service.instance.id': replica.pod }),
    scopeMetrics: [
      {
        scope: { name: 'github.com/open-telemetry/opentelemetry-collector-contrib/receiver/prometheusreceiver' },
        metrics: (engine === 'vllm' ? vllm : triton).map((family) =>
          metric(family, points(run, replica, minute, family, [{ ...labels, ...family.labels }])),
        ),
      },
    ],
  };
}

function gpus(run: Run, replica: Replica, minute: number) {
  const labels = Array.from({ length: GPUS }, (_, gpu) => ({
    gpu: String(gpu),
    UUID: gpuUuid(replica.index, gpu),
    device: `nvidia${gpu}`,
    modelName: 'NVIDIA H100 80GB HBM3',
    Hostname: replica.server,
    pci_bus_id: pciBusId(gpu),
  }));
  return {
    resource: { attributes: attributes({ 'service.name': 'dcgm-exporter', 'host.name': replica.server }) },
    scopeMetrics: [
      {
        scope: { name: 'dcgm' },
        metrics: dcgm.map((family) => metric(family, points(run, replica, minute, family, labels))),
      },
    ],
  };
}

function points(
  run: Run,
  { index }: Replica,
  minute: number,
  { value }: Family,
  series: readonly Readonly<Record<string, string>>[],
) {
  return Array.from({ length: 60 / EVERY_S }, (_, i) => minute * 60 + (i + 1) * EVERY_S).flatMap((at_s) => {
    const second = run.seconds[index]![at_s - 1];
    return second === undefined
      ? []
      : series.map((labels) => ({
          attributes: attributes(labels),
          startTimeUnixNano: unixNano(0),
          timeUnixNano: unixNano(at_s),
          asDouble: Math.round(value(second) * 1000) / 1000,
        }));
  });
}

const metric = ({ name, isTotal }: Family, dataPoints: readonly unknown[]) =>
  isTotal
    ? { name, sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints } }
    : { name, gauge: { dataPoints } };
