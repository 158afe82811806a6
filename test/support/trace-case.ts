import { memoryCore, type TestCore } from './core.ts';

/** 2026-01-01T00:00:00Z. */
export const TRACE_START_NS = 1_767_225_600_000_000_000n;
export const atMs = (ms: number): bigint => TRACE_START_NS + BigInt(Math.round(ms * 1e6));

/** One span, in short form. Times in ms after TRACE_START_NS. */
export interface SpanLine {
  /** One letter or number; traces of different letters never meet. */
  readonly trace: string;
  readonly id: string;
  readonly parent?: string;
  readonly name: string;
  readonly service?: string;
  readonly from: number;
  readonly to: number;
  readonly failed?: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind?: number;
  readonly values?: Readonly<Record<string, unknown>>;
  readonly resource?: Readonly<Record<string, unknown>>;
}

const hex = (text: string, digits: number): string =>
  [...text]
    .map((letter) => letter.charCodeAt(0).toString(16))
    .join('')
    .padStart(digits, '0');
export const traceIdOf = (trace: string): string => hex(trace, 32);

function anyValue(value: unknown): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  if (Number.isInteger(value)) return { intValue: String(value) };
  return { doubleValue: value };
}
const attributes = (values: Readonly<Record<string, unknown>>) =>
  Object.entries(values).map(([key, value]) => ({ key, value: anyValue(value) }));

/** The spans as one OTLP document. */
export const otlpOf = (spans: readonly SpanLine[]): object => ({
  resourceSpans: spans.map(({ service, resource = {}, ...span }) => ({
    resource: {
      attributes: attributes({ ...(service === undefined ? {} : { 'service.name': service }), ...resource }),
    },
    scopeSpans: [
      {
        scope: { name: 'test' },
        spans: [
          {
            traceId: traceIdOf(span.trace),
            spanId: hex(span.id, 16),
            ...(span.parent === undefined ? {} : { parentSpanId: hex(span.parent, 16) }),
            name: span.name,
            kind: span.kind ?? 1,
            startTimeUnixNano: String(atMs(span.from)),
            endTimeUnixNano: String(atMs(span.to)),
            attributes: attributes(span.values ?? {}),
            ...(span.failed === undefined ? {} : { status: { code: 2, message: span.failed } }),
          },
        ],
      },
    ],
  })),
});

/** A case of these spans, in memory unless it is another one. */
export async function traceCase(spans: readonly SpanLine[], empty = memoryCore()): Promise<TestCore> {
  const core = await empty;
  await core.importJson(otlpOf(spans));
  return core;
}
