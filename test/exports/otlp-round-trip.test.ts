import { expect, test } from 'vitest';
import { incidentCase } from '../bundle/bundle-case.ts';
import { openTestCore } from '../support/core.ts';
import { exportedRows } from '../support/exports.ts';

interface Pair {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
type Members = Readonly<Record<string, never>>;

/** Every object in a document that has this member, wherever it lies. */
function objectsWith(value: unknown, member: string): Members[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = member in value ? [value as Members] : [];
  return [...own, ...Object.values(value).flatMap((inner: unknown) => objectsWith(inner, member))];
}

/** Attributes as the protocol writes them, as an object: integers are texts there. */
const attributesOf = (pairs: readonly Pair[] = []): Record<string, unknown> =>
  Object.fromEntries(
    pairs.map(({ key, value }) => {
      const [kind, inner] = Object.entries(value)[0] ?? [];
      return [key, kind === 'intValue' ? Number(inner) : inner];
    }),
  );
const parsed = (text: unknown): unknown => JSON.parse((text as string | null) ?? '{}');
const sorted = (rows: readonly unknown[]): string[] => rows.map((row) => JSON.stringify(row)).sort();

test.each(['pdu-sag', 'software-only'])('findings of %s pushed as OTLP are read back unchanged', async (name) => {
  const core = await incidentCase(name);
  const requests = await core.api['incidents.telemetry']({});
  const exported = {
    traces: JSON.parse(requests.traces),
    logs: JSON.parse(requests.logs),
    metrics: JSON.parse(requests.metrics),
  };
  const again = await openTestCore();
  const imported = await again.importJson(exported.traces, exported.logs, exported.metrics);
  expect(imported.filter(({ kind }) => kind === 'problem')).toEqual([]);
  const rows = async (table: 'spans' | 'logs' | 'metrics') =>
    (await exportedRows(again, table)).map((row) => JSON.parse(row) as Record<string, unknown>);

  const spans = objectsWith(exported.traces, 'spanId').filter((one) => 'startTimeUnixNano' in one);
  expect(spans.length).toBeGreaterThan(0);
  expect(
    sorted(
      (await rows('spans')).map((row) => [
        row.trace_id,
        row.span_id,
        row.parent_span_id ?? '',
        row.name,
        String(row.start_time_unix_nano),
        String(row.end_time_unix_nano),
        parsed(row.attributes),
      ]),
    ),
  ).toEqual(
    sorted(
      spans.map((one) => [
        one.traceId,
        one.spanId,
        one.parentSpanId ?? '',
        one.name,
        one.startTimeUnixNano,
        one.endTimeUnixNano,
        attributesOf(one.attributes),
      ]),
    ),
  );

  const records = objectsWith(exported.logs, 'severityNumber');
  expect(records.length).toBeGreaterThan(0);
  expect(
    sorted(
      (await rows('logs')).map((row) => [
        row.trace_id,
        String(row.time_unix_nano),
        row.severity_number,
        row.body,
        parsed(row.attributes),
      ]),
    ),
  ).toEqual(
    sorted(
      records.map((one) => [
        one.traceId,
        one.timeUnixNano,
        one.severityNumber,
        (one.body as unknown as { stringValue: string }).stringValue,
        attributesOf(one.attributes),
      ]),
    ),
  );

  const points = objectsWith(exported.metrics, 'asDouble');
  expect(points.length).toBeGreaterThan(0);
  expect((await rows('metrics')).map(({ time_unix_nano, value }) => `${time_unix_nano} ${value}`).sort()).toEqual(
    points.map(({ timeUnixNano, asDouble }) => `${timeUnixNano} ${asDouble}`).sort(),
  );
});
