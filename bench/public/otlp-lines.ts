/** OTLP/JSON as the collector's file exporter writes it: one export request per line (opentelemetry-proto 1.x). */

type Attributes = Readonly<Record<string, string>>;

const attributesOf = (values: Attributes) =>
  Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
const resourceOf = (values: Attributes) => ({ attributes: attributesOf(values) });

export interface SpanRecord {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

export const spanLine = (resource: Attributes, spans: readonly SpanRecord[]): string =>
  JSON.stringify({ resourceSpans: [{ resource: resourceOf(resource), scopeSpans: [{ spans }] }] });

export interface LogRecord {
  readonly timeUnixNano: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly body: string;
}

export const logLine = (resource: Attributes, records: readonly LogRecord[]): string =>
  JSON.stringify({
    resourceLogs: [
      {
        resource: resourceOf(resource),
        scopeLogs: [{ logRecords: records.map(({ body, ...rest }) => ({ ...rest, body: { stringValue: body } })) }],
      },
    ],
  });

export interface GaugeRecord {
  readonly name: string;
  readonly unit: string;
  readonly points: readonly (readonly [time_ns: bigint, value: number])[];
}

export const gaugeLine = (resource: Attributes, gauges: readonly GaugeRecord[]): string =>
  JSON.stringify({
    resourceMetrics: [
      {
        resource: resourceOf(resource),
        scopeMetrics: [
          {
            metrics: gauges.map(({ name, unit, points }) => ({
              name,
              unit,
              gauge: {
                dataPoints: points.map(([time, asDouble]) => ({ timeUnixNano: String(time), asDouble })),
              },
            })),
          },
        ],
      },
    ],
  });
