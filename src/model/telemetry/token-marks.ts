/**
 * What a mark in time shows of the answer of a model that is sent piece by piece. A chunk holds one token or several, so that times
 * between chunks are not times between tokens; `first` is the first of either.
 */
export const tokenMarkKinds = ['first', 'chunk', 'token'] as const;
export type TokenMarkKind = (typeof tokenMarkKinds)[number];

/** Names in lower case, as a regular expression. `needsServing`: others use it, too, as sessions use tokens; it counts only on a request for a model. */
export interface TokenMark {
  readonly kind: TokenMarkKind;
  readonly words: string;
  readonly needsServing: boolean;
}

const mark = (kind: TokenMarkKind, words: string, needsServing = false): TokenMark => ({ kind, words, needsServing });

/**
 * Events of spans, one for each piece of an answer: OpenInference ("First Token Stream Event"), OpenLLMetry
 * (`llm.content.completion.chunk`, today `gen_ai.content.completion.chunk`), the AI SDK (`ai.stream.firstChunk`), LangChain
 * (`new_token`). A `gen_ai.choice` of OpenTelemetry is a whole answer, and no mark.
 */
export const tokenEvents: readonly TokenMark[] = [
  mark(
    'first',
    '(^|[^a-z])first[ _.-]?(output[ _.-]?)?(token|chunk)([ _.-](stream[ _.-]event|received|generated|emitted))?$',
  ),
  mark('chunk', '(completion|stream|streaming|response|output|llm|gen_ai)[ _.-]chunk([ _.-]received)?$'),
  mark(
    'token',
    '(^|[^a-z])(new|next|output|generated|decoded|gen_ai|llm)[ _.-]token$|(^|[^a-z])token[ _.-](generated|emitted|decoded|sampled)$',
  ),
  mark('token', '^token([ _.#-]*[0-9]+)?$', true),
];

/** Spans of single steps of decoding, each of which ends with a token. */
export const tokenSpans: readonly TokenMark[] = [
  mark('token', '(^|[^a-z])decod(e|ing)[ _.-]?(token|step|loop|iteration)([ _.#-]*[0-9]+)?$', true),
  mark('token', '(^|[^a-z])(output|generated?|next)[ _.-]?token([ _.#-]*[0-9]+)?$', true),
  mark('token', '^(llm[ _.-]|gen_ai[ _.-])?token([ _.#-]*[0-9]+)?$', true),
];

const seconds = (...names: string[]) => names.map((name) => ({ name, factor: 1 }));
const milliseconds = (...names: string[]) => names.map((name) => ({ name, factor: 1e-3 }));

/**
 * Attributes that state the time to the first piece of an answer, with the factor to seconds: vLLM and SGLang
 * (https://docs.vllm.ai/en/latest/examples/online_serving/opentelemetry.html), OpenTelemetry
 * (https://opentelemetry.io/docs/specs/semconv/registry/attributes/gen-ai/), Sentry, the AI SDK (https://ai-sdk.dev/docs/ai-sdk-core/telemetry).
 */
export const firstTokenAttributes: readonly { readonly name: string; readonly factor: number }[] = [
  ...seconds(
    'gen_ai.latency.time_to_first_token',
    'gen_ai.response.time_to_first_chunk',
    'gen_ai.response.time_to_first_token',
  ),
  ...milliseconds('ai.response.msToFirstChunk', 'ai.stream.msToFirstChunk'),
];
