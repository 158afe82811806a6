/** Stages of a request for a model, in their usual order. */
export const servingStages = ['preprocess', 'queue', 'retrieval', 'tool', 'prefill', 'decode', 'postprocess'] as const;
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
