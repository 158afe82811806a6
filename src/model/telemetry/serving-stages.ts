import type { MetricName } from './metric.ts';

/**
 * Stages of a request for a model, in their usual order. `first_token` is all until the first token. Only metrics have `inference` (the run
 * of the model as a whole).
 */
export const servingStages = [
  'preprocess',
  'queue',
  'retrieval',
  'tool',
  'first_token',
  'prefill',
  'decode',
  'inference',
  'postprocess',
] as const;
export type ServingStage = (typeof servingStages)[number];

const named = (words: string): string => `(^|[^a-z])(${words})$`;

/** What the names of their spans end with, in lower case. Spans of single tokens are parts of a stage, and end otherwise. */
export const stageNames: readonly { readonly stage: ServingStage; readonly words: string }[] = [
  { stage: 'preprocess', words: named('pre-?process(ing)?|tokeni[sz](e|ation)') },
  { stage: 'queue', words: named('queued?|queue[ _.-]?(wait|time)|wait(ing)?[ _.-](in|for)[ _.-](queue|batch)') },
  { stage: 'retrieval', words: named('retriev(e|al)|vector[ _.-]?search|rerank') },
  { stage: 'tool', words: named('execute[ _.-]tool|tool[ _.-]call') },
  { stage: 'prefill', words: named('prefill|prompt[ _.-]?(eval|processing)') },
  { stage: 'decode', words: named('decod(e|ing)') },
  { stage: 'postprocess', words: named('post-?process(ing)?|detokeni[sz](e|ation)') },
];

/**
 * Attributes whose value states what a span is, in lower case, before its name: OpenTelemetry
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-agent-spans/), OpenInference
 * (https://arize-ai.github.io/openinference/spec/), OpenLLMetry. Agents and chains hold the others and are no stage.
 */
export const stageKinds: readonly { readonly stage: ServingStage; readonly name: string; readonly value: string }[] = [
  { stage: 'tool', name: 'gen_ai.operation.name', value: 'execute_tool' },
  { stage: 'tool', name: 'openinference.span.kind', value: 'tool' },
  { stage: 'retrieval', name: 'openinference.span.kind', value: 'retriever' },
  { stage: 'retrieval', name: 'openinference.span.kind', value: 'reranker' },
  { stage: 'tool', name: 'traceloop.span.kind', value: 'tool' },
];

/** Attributes that name a tool, by preference. */
export const toolNames = ['gen_ai.tool.name', 'tool.name'] as const;

/**
 * Attributes that state the time of a stage in a span of the whole request, with the factor to seconds: vLLM
 * (https://docs.vllm.ai/en/latest/examples/online_serving/opentelemetry.html) and InferTrace. Ollama answers in nanoseconds
 * (https://docs.ollama.com/api/usage).
 */
export const stageAttributes: readonly {
  readonly stage: ServingStage;
  readonly name: string;
  readonly factor: number;
}[] = [
  { stage: 'queue', name: 'gen_ai.latency.time_in_queue', factor: 1 },
  { stage: 'prefill', name: 'gen_ai.latency.time_in_model_prefill', factor: 1 },
  { stage: 'decode', name: 'gen_ai.latency.time_in_model_decode', factor: 1 },
  { stage: 'queue', name: 'queue.wait_ms', factor: 1e-3 },
  { stage: 'queue', name: 'queue.wait_time_ms', factor: 1e-3 },
  { stage: 'prefill', name: 'prompt_eval_duration', factor: 1e-9 },
  { stage: 'decode', name: 'eval_duration', factor: 1e-9 },
];

/** What metrics of inference servers measure of a request: one of its stages, or all of it. */
export type MeasuredPart = Exclude<ServingStage, 'retrieval' | 'tool'> | 'request';

const part = (name: MeasuredPart, metric: MetricName) => ({ part: name, metric });

/** Histograms and summaries of the seconds that requests spent. */
export const stageHistograms: readonly { readonly part: MeasuredPart; readonly metric: MetricName }[] = [
  part('preprocess', 'gen_ai.server.request.preprocess.duration'),
  part('queue', 'gen_ai.server.request.queue.duration'),
  part('first_token', 'gen_ai.server.time_to_first_token'),
  part('prefill', 'gen_ai.server.request.prefill.duration'),
  part('decode', 'gen_ai.server.request.decode.duration'),
  part('inference', 'gen_ai.server.request.inference.duration'),
  part('postprocess', 'gen_ai.server.request.postprocess.duration'),
  part('request', 'gen_ai.server.request.duration'),
];

/** Counters of the seconds of all requests together, and (`requests`) of those requests. */
export const stageCounters: readonly { readonly part: MeasuredPart | 'requests'; readonly metric: MetricName }[] = [
  part('preprocess', 'gen_ai.server.request.preprocess.time'),
  part('queue', 'gen_ai.server.request.queue.time'),
  part('inference', 'gen_ai.server.request.inference.time'),
  part('postprocess', 'gen_ai.server.request.postprocess.time'),
  part('request', 'gen_ai.server.request.time'),
  { part: 'requests', metric: 'gen_ai.server.request.success' },
];

/** `first token`, `tool search` */
export const stageText = ({ stage, tool }: { readonly stage: ServingStage; readonly tool: string | null }): string =>
  tool === null ? stage.replaceAll('_', ' ') : `${stage} ${tool}`;
