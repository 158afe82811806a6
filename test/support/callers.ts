import { random } from './random.ts';
import type { SpanLine } from './trace-case.ts';

/** Requests of one caller for one tenant. From 600 s to 840 s what is `later` holds instead. */
export interface CallerLoad {
  readonly caller: string;
  readonly tenant: string;
  /** Requests a second. */
  readonly rate: number;
  readonly laterRate?: number;
  /** Tokens of a usual prompt. */
  readonly tokens: number;
  readonly later?: number;
  /** Time of each request beside that of its tokens, ms. */
  readonly laterTook?: number;
}

/** How a recording states who sent a request to `llm`. */
export type CallerShape = 'parent' | 'nested' | 'gateway' | 'attribute' | 'none';

const END_S = 1200;
const BASE_MS = 120;
/** Time of a token of the prompt, ms. */
const TOKEN_MS = 0.4;
const isLater = (at_s: number): boolean => at_s >= 600 && at_s < 840;

/** Spans of twenty minutes in which services call `llm`, whose time grows with the tokens of prompts. */
export function callerSpans(
  loads: readonly CallerLoad[],
  shape: CallerShape,
  values: (load: CallerLoad) => object = () => ({}),
): SpanLine[] {
  const draw = random(7);
  const spans: SpanLine[] = [];
  for (const [i, load] of loads.entries())
    for (let at_s = draw() / load.rate, n = 0; at_s < END_S; n++) {
      const [rate, usual, took_ms] = isLater(at_s)
        ? [load.laterRate ?? load.rate, load.later ?? load.tokens, load.laterTook ?? BASE_MS]
        : [load.rate, load.tokens, BASE_MS];
      const tokens = Math.round(usual * (0.7 + 0.6 * draw()));
      const request = { from: at_s * 1000, to: at_s * 1000 + took_ms + TOKEN_MS * tokens, tokens };
      const trace = `${String.fromCharCode(65 + i)}${n}`;
      spans.push(...requestSpans(trace, request, { load, shape, stated: values(load) }));
      at_s += (0.5 + draw()) / rate;
    }
  return spans;
}

interface Sent {
  readonly load: CallerLoad;
  readonly shape: CallerShape;
  readonly stated: object;
}

function requestSpans(
  trace: string,
  { from, to, tokens }: { readonly from: number; readonly to: number; readonly tokens: number },
  { load, shape, stated }: Sent,
): SpanLine[] {
  const usage = { 'gen_ai.request.model': 'm', 'gen_ai.usage.input_tokens': tokens, 'gen_ai.usage.output_tokens': 100 };
  const all = { 'tenant.id': load.tenant, ...stated };
  const call: SpanLine = {
    trace,
    id: 'c',
    name: 'POST llm',
    service: load.caller,
    kind: 3,
    from: from - 4,
    to: to + 4,
  };
  const served = { trace, id: 's', name: 'POST /v1/completions', service: 'llm', kind: 2, from, to };
  switch (shape) {
    case 'parent':
      return [call, { ...served, parent: 'c', values: { ...all, ...usage } }];
    case 'nested':
      return [
        call,
        { ...served, parent: 'c', values: all },
        { ...served, id: 'g', parent: 's', name: 'generate', kind: 1, from: from + 1, to: to - 1, values: usage },
      ];
    case 'gateway':
      return [
        call,
        { trace, id: 'p', parent: 'c', name: 'proxy', service: 'gateway', kind: 2, from: from - 2, to: to + 2 },
        { ...served, parent: 'p', values: { ...all, ...usage } },
      ];
    case 'attribute':
    case 'none':
      return [{ ...served, values: { ...all, ...usage } }];
  }
}
