import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { otlpJson } from '../../src/main/sources/otlp-json/index.ts';
import { prometheus } from '../../src/main/sources/prometheus/index.ts';
import { prometheusJson } from '../../src/main/sources/prometheus-json/index.ts';
import { memoryCore, temporaryFolder } from '../support/core.ts';
import { type Reading, readSource, samplesOf } from '../support/read-source.ts';
import { sharedData } from '../support/shared-data.ts';

const seriesOf = ({ rows }: Reading): Readonly<Record<string, unknown>>[] =>
  [...new Set(rows.distribution.map(({ series }) => String(series)))].map((text) => JSON.parse(text) as never);
const edgesOf = ({ rows }: Reading) => rows.edge.map((edge) => `${edge.from_entity} ${edge.kind} ${edge.to_entity}`);
const scrape = (text: string) => readSource(prometheus, `${text}\n`, { name: 'page.prom' });

test('a range query of vLLM measures its service and model', async () => {
  const file = sharedData('defects/histograms/vllm-range-query.json');
  const reading = await readSource(prometheusJson, readFileSync(file));
  expect(seriesOf(reading)).toMatchObject([
    { metric: 'gen_ai.server.request.duration', unit: 's', entity: 'service:vllm', kind: 'histogram' },
  ]);
  expect(JSON.parse(String(seriesOf(reading)[0]?.attributes))).toEqual({
    'gen_ai.request.model': 'llama-70b',
    instance: 'gpu-node-1:8000',
  });
  expect(edgesOf(reading)).toEqual(['service:vllm runs_on server:gpu-node-1']);
  const metrics = new Set(samplesOf(reading).map(({ metric, unit }) => `${metric} ${unit}`));
  expect(metrics).toEqual(new Set(['gen_ai.server.request.waiting {request}', 'gen_ai.server.kv_cache.usage %']));
});

describe('each server in the common names', () => {
  test.each([
    ['vllm:kv_cache_usage_perc', '0.25', 'gen_ai.server.kv_cache.usage', 25],
    ['ray_vllm:num_requests_running', '3', 'gen_ai.server.request.running', 3],
    ['sglang:num_queue_reqs', '3', 'gen_ai.server.request.waiting', 3],
    ['tgi_queue_size', '3', 'gen_ai.server.request.waiting', 3],
    ['nv_inference_pending_request_count', '3', 'gen_ai.server.request.waiting', 3],
    ['trtllm_kv_cache_utilization', '0.5', 'gen_ai.server.kv_cache.usage', 50],
    ['dynamo_frontend_inflight_requests', '3', 'gen_ai.server.request.running', 3],
    ['vllm:prefix_cache_hits_total', '3', 'gen_ai.server.prefix_cache.hits', 3],
    ['vllm:spec_decode_num_accepted_tokens_total', '3', 'gen_ai.server.speculative.accepted', 3],
    ['sglang:cache_hit_rate', '0.5', 'gen_ai.server.prefix_cache.hit_ratio', 50],
    ['trtllm_kv_cache_hit_rate', '0.5', 'gen_ai.server.prefix_cache.hit_ratio', 50],
    ['ray_serve_deployment_queued_queries', '3', 'gen_ai.server.request.waiting', 3],
    ['num_request_max', '256', 'gen_ai.server.batch.limit', 256],
    ['num_requests_waiting', '3', 'gen_ai.server.request.waiting', 3],
    ['llamacpp:requests_deferred', '3', 'gen_ai.server.request.waiting', 3],
    ['vllm:something_new', '3', 'vllm:something_new', 3],
  ])('%s', async (name, value, metric, expected) => {
    const reading = await scrape(`${name}{model="m",job="chat"} ${value} 1767225600000`);
    expect(samplesOf(reading)).toMatchObject([{ metric, value: expected, entity: 'service:chat' }]);
  });

  test('one metric may be several of ours, by a label', async () => {
    const line = (type: string) => `nv_trt_llm_request_metrics{request_type="${type}",model="m"} 1 1767225600000`;
    const metrics = samplesOf(await scrape(['scheduled', 'waiting', 'max'].map(line).join('\n')));
    expect(metrics.map(({ metric }) => metric)).toEqual([
      'gen_ai.server.request.running',
      'gen_ai.server.request.waiting',
      'gen_ai.server.batch.limit',
    ]);
  });

  test('active requests of Triton, of which some wait, are not those that it works on', async () => {
    const line = 'nv_trt_llm_request_metrics{request_type="active",model="m"} 37 1767225600000';
    expect(samplesOf(await scrape(line)).map(({ metric }) => metric)).toEqual(['nv_trt_llm_request_metrics']);
  });
});

test('replicas as a horizontal autoscaler has them are those of the service that it scales', async () => {
  const line = (of: string, scaler: string) =>
    `kube_horizontalpodautoscaler_status_${of}_replicas{namespace="n",horizontalpodautoscaler="${scaler}"} 3 1767225600000`;
  const reading = await scrape(
    [line('desired', 'chat'), line('current', 'chat-hpa'), line('desired', 'keda-hpa-llm')].join('\n'),
  );
  expect(samplesOf(reading).map(({ metric, entity }) => `${metric} ${entity}`)).toEqual([
    'service.replicas.wanted service:chat',
    'service.replicas.current service:chat',
    'service.replicas.wanted service:llm',
  ]);
});

test('an autoscaler of any name scales what it states, and its limit is that of this service', async () => {
  const labels = 'namespace="ml",horizontalpodautoscaler="gpu-scaler"';
  const at = 1_767_225_600_000;
  const lines = [
    `kube_horizontalpodautoscaler_spec_max_replicas{${labels}} 4 ${at}`,
    `kube_horizontalpodautoscaler_status_desired_replicas{${labels}} 4 ${at}`,
    `kube_horizontalpodautoscaler_info{${labels},scaletargetref_kind="Deployment",scaletargetref_name="llama"} 1 ${at}`,
  ];
  const file = join(await temporaryFolder(), 'state.prom');
  await writeFile(file, `${lines.join('\n')}\n`);
  const core = await memoryCore();
  await core.import([file]);
  const lanes = await core.api['timeline.lanes']({});
  expect(lanes.map(({ metric, entity_id }) => `${metric} ${entity_id}`)).toEqual(
    expect.arrayContaining(['service.replicas.limit llama', 'service.replicas.wanted llama']),
  );
});

describe('the service', () => {
  const entityOf = async (labels: string) => {
    const reading = await scrape(`vllm:num_requests_waiting{${labels}} 3 1767225600000`);
    return [samplesOf(reading)[0]?.entity, ...edgesOf(reading)];
  };
  test('is what the labels name, and runs on its replicas', async () => {
    expect(await entityOf('service="a",pod="a-1",namespace="n",job="b",node="k"')).toEqual([
      'service:a',
      'service:a runs_on pod:n/a-1',
      'pod:n/a-1 runs_on node:k',
    ]);
    expect(await entityOf('pod="debug",namespace="n"')).toEqual(['pod:n/debug']);
    expect(await entityOf('instance="10.0.0.1:8000",job="b"')).toEqual(['service:b']);
    expect(await entityOf('instance="host-a:8000"')).toEqual(['service:vllm', 'service:vllm runs_on server:host-a']);
  });

  test('of a page that names none is called like the file', async () => {
    expect(await entityOf('model_name="m"')).toEqual(['service:page']);
  });
});

test('a deployment of Ray Serve is a service, whatever job scrapes Ray', async () => {
  const [sample] = samplesOf(
    await scrape('ray_serve_replica_processing_queries{deployment="chat",replica="r1",job="ray"} 3 1767225600000'),
  );
  expect(sample).toMatchObject({ metric: 'gen_ai.server.request.running', entity: 'service:chat' });
});

test('histograms of NIM and KServe, whose names have no prefix', async () => {
  for (const [name, metric] of [
    ['time_to_first_token_seconds', 'gen_ai.server.time_to_first_token'],
    ['request_predict_seconds', 'gen_ai.server.request.inference.duration'],
  ]) {
    const reading = await scrape(`# TYPE ${name} histogram
${name}_bucket{model_name="m",job="t",le="1"} 1 1767225600000
${name}_bucket{model_name="m",job="t",le="+Inf"} 2 1767225600000`);
    expect(seriesOf(reading)).toMatchObject([{ metric, entity: 'service:t' }]);
  }
});

test('bounds in other units stay as recorded, and OTLP carries the same series', async () => {
  const text = await scrape(`# TYPE nv_inference_first_response_histogram_ms histogram
nv_inference_first_response_histogram_ms_bucket{model="m",job="t",le="100"} 1 1767225600000
nv_inference_first_response_histogram_ms_bucket{model="m",job="t",le="+Inf"} 2 1767225600000`);
  expect(seriesOf(text)).toMatchObject([{ metric: 'gen_ai.server.time_to_first_token', unit: 'ms' }]);

  const point = {
    attributes: [{ key: 'model_name', value: { stringValue: 'm' } }],
    timeUnixNano: '1767225600000000000',
    count: '2',
    sum: 3,
    bucketCounts: ['1', '1'],
    explicitBounds: [1],
  };
  const metric = {
    name: 'vllm:e2e_request_latency_seconds',
    histogram: { aggregationTemporality: 2, dataPoints: [point] },
  };
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'chat' } }] };
  const otlp = await readSource(
    otlpJson,
    JSON.stringify({ resourceMetrics: [{ resource, scopeMetrics: [{ metrics: [metric] }] }] }),
  );
  expect(seriesOf(otlp)).toMatchObject([
    {
      metric: 'gen_ai.server.request.duration',
      unit: 's',
      entity: 'service:chat',
      attributes: '{"gen_ai.request.model":"m"}',
    },
  ]);
});

describe('counters of requests', () => {
  const entitiesOf = async (line: string) => {
    const reading = await scrape(`${line} 3 1767225600000`);
    return [samplesOf(reading)[0]?.entity, ...edgesOf(reading)];
  };
  test('are of the service that the labels of the scrape name, and keep their outcome', async () => {
    const labels = 'job="api",instance="host-a:8080"';
    expect(await entitiesOf(`http_requests_total{code="500",${labels}}`)).toEqual([
      'service:api',
      'service:api runs_on server:host-a',
    ]);
    const [sample] = samplesOf(await scrape(`http_requests_total{code="500",${labels}} 3 1767225600000`));
    expect(sample).toMatchObject({
      metric: 'http_requests_total',
      attributes: { code: '500', instance: 'host-a:8080' },
    });
    expect(
      await entitiesOf('requests_total{service="a",pod="a-1",namespace="n",instance="10.0.0.1:80",job="k8s"}'),
    ).toEqual(['service:a', 'service:a runs_on pod:n/a-1']);
  });

  test('of a pod that names no service, and requests to others, are of the pod and the machine', async () => {
    expect(
      await entitiesOf('requests_total{pod="debug",namespace="n",instance="10.0.0.1:80",job="kubernetes-pods"}'),
    ).toEqual(['pod:n/debug']);
    expect(await entitiesOf('http_client_requests_total{job="api",instance="host-a:8080"}')).toEqual(['server:host-a']);
  });
});

test('replicas in pods are of the workload that their names state; the job of their scrape is no service', async () => {
  const pods = {
    'llama-7d9f8b6c5d-x2bcd': 'service:llama',
    'mixtral-7d9f8b6c5d-zz9kk': 'service:mixtral',
    'qwen-0': 'service:qwen',
    'router-x7k2p': 'service:router',
  };
  const result = Object.keys(pods).flatMap((pod) =>
    ['vllm:num_requests_waiting', 'http_requests_total'].map((__name__) => ({
      metric: { __name__, job: 'kubernetes-pods', namespace: 'ml', pod, instance: '10.244.1.7:8000', status: '500' },
      values: [[1_777_644_600, '3']],
    })),
  );
  const reading = await readSource(
    prometheusJson,
    JSON.stringify({ status: 'success', data: { resultType: 'matrix', result } }),
  );
  expect(samplesOf(reading).map(({ entity }) => entity)).toEqual(Object.values(pods).flatMap((one) => [one, one]));
});

test('replicas that are wanted and ready, of the service that their pods are named after', async () => {
  const labels = 'namespace="ml",instance="10.0.0.9:8080",job="kube-state-metrics"';
  const reading = await scrape(
    [
      `kube_deployment_spec_replicas{deployment="llama",${labels}} 6`,
      `kube_deployment_status_replicas_ready{deployment="llama",${labels}} 2`,
      `kube_statefulset_replicas{statefulset="qwen",${labels}} 3`,
      `autoscaler_desired_pods{namespace_name="ml",configuration_name="chat",revision_name="chat-00002",service_name="chat"} 4`,
      `autoscaler_actual_pods{namespace_name="ml",configuration_name="embed",revision_name="embed-00001",service_name=""} 1`,
      `kube_deployment_status_replicas_updated{deployment="llama",${labels}} 6`,
    ]
      .map((line) => `${line} 1767225600000`)
      .join('\n'),
  );
  expect(samplesOf(reading).map(({ metric, entity, value }) => `${metric} ${entity} ${value}`)).toEqual([
    'service.replicas.wanted service:llama 6',
    'service.replicas.ready service:llama 2',
    'service.replicas.wanted service:qwen 3',
    'service.replicas.wanted service:chat 4',
    'service.replicas.ready service:embed 1',
    expect.stringMatching(/^kube_deployment_status_replicas_updated (?!service)/),
  ]);
});
