import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Attributes, ROOT_CONTEXT, SpanKind, type Tracer, trace } from '@opentelemetry/api';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import { memoryCore, temporaryFolder } from '../support/core.ts';

const T0_S = 1_767_225_600;
const SLOW_S = 600;
const END_S = 840;

type Named = readonly [name: string, attributes: Attributes];

/** How an instrumentation writes an agent that asks a model, searches documents and calls two tools, of which one becomes slow. */
interface Instrumentation {
  readonly agent: Named;
  readonly model: Named;
  readonly retrieval: Named;
  readonly slow: Named;
  readonly quick: Named;
}

/** https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-agent-spans/ */
const openTelemetry: Instrumentation = {
  agent: ['invoke_agent planner', { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'planner' }],
  model: ['chat m', { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' }],
  retrieval: ['retrieve', {}],
  slow: ['execute_tool web_search', { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'web_search' }],
  quick: ['execute_tool calculator', { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'calculator' }],
};
/** https://arize-ai.github.io/openinference/spec/semantic_conventions.html ; the tool is named by its span alone. */
const openInference: Instrumentation = {
  agent: ['planner', { 'openinference.span.kind': 'AGENT' }],
  model: ['llm', { 'openinference.span.kind': 'LLM', 'llm.model_name': 'm' }],
  retrieval: ['documents', { 'openinference.span.kind': 'RETRIEVER' }],
  slow: ['web_search', { 'openinference.span.kind': 'TOOL' }],
  quick: ['calculator', { 'openinference.span.kind': 'TOOL', 'tool.name': 'calculator' }],
};

function answer(tracer: Tracer, at_s: number, { agent, model, retrieval, slow, quick }: Instrumentation): void {
  const time = (seconds: number): [number, number] => [
    T0_S + Math.floor(at_s + seconds),
    Math.round(1e9 * ((at_s + seconds) % 1)),
  ];
  const took = at_s >= SLOW_S ? 3 : 0.25;
  const root = tracer.startSpan(agent[0], { kind: SpanKind.SERVER, startTime: time(0), attributes: agent[1] });
  const context = trace.setSpan(ROOT_CONTEXT, root);
  const child = ([name, attributes]: Named, from: number, seconds: number): number => {
    tracer.startSpan(name, { startTime: time(from), attributes }, context).end(time(from + seconds));
    return from + seconds;
  };
  const end = child(quick, child(slow, child(model, child(retrieval, 0, 0.125), 0.5), took), 0.0625);
  root.end(time(end));
}

async function recorded(instrumentation: Instrumentation) {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'assistant' }),
    spanProcessors: [new SimpleSpanProcessor({ exporter } as never)],
  });
  const tracer = provider.getTracer('agent');
  for (let at = 0; at < END_S; at += 4) answer(tracer, at, instrumentation);
  await provider.forceFlush();
  const file = join(await temporaryFolder(), 'spans.json');
  await writeFile(file, JsonTraceSerializer.serializeRequest(exporter.getFinishedSpans()) ?? '');
  const core = await memoryCore();
  await core.import([file]);
  return core.api;
}

test.each([
  ['OpenTelemetry', openTelemetry],
  ['OpenInference', openInference],
])('the slow one of two tools is named by stages and by its rule: %s', async (_, instrumentation) => {
  const api = await recorded(instrumentation);
  const at = (seconds: number): bigint => BigInt(T0_S + seconds) * 1_000_000_000n;
  const { stages } = await api['stages.list']({ from_ns: at(SLOW_S), to_ns: at(END_S) });
  const figures = stages.map(
    ({ stage, tool, source, before, during }) => `${source} ${stage} ${tool} ${before?.seconds} ${during?.seconds}`,
  );
  expect(figures).toEqual([
    'spans retrieval null 0.125 0.125',
    'spans tool calculator 0.0625 0.0625',
    'spans tool web_search 0.25 3',
  ]);
  const { findings } = await api['patterns.list']({});
  const slow = findings.filter(({ pattern }) => pattern === 'slow-tool');
  expect(slow.map(({ headline }) => headline)).toEqual([
    expect.stringContaining('waited 3 s a call for its tool web_search (250 ms before, 60 calls)'),
  ]);
});
