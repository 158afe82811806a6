import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { csvRows } from './csv-rows.ts';
import type { LabelledIncident, PublicSet } from './labelled-incident.ts';
import { gaugeLine, type LogRecord, logLine, type SpanRecord, spanLine } from './otlp-lines.ts';

/** Minutes of the recording around an injection that belong to it; metrics are given for longer. */
const BEFORE_MS = 15 * 60_000;
const AFTER_MS = 5 * 60_000;
const METRICS_BEFORE_MS = 60 * 60_000;

/**
 * Nezha (Yu and others, ESEC/FSE 2023; MIT): traces, logs and metrics of TrainTicket, a fault injected for some minutes.
 * `inject_time` is UTC; `inject_timestamp` is eight hours off on most rows and is not used.
 */
export const nezha = (root: string): PublicSet => ({
  name: 'Nezha',
  published:
    'Nezha itself on TrainTicket, which service (README of IntelligentDDS/Nezha): AS@1 87 %, AS@3 98 % of 45; it compares with a fault-free recording',
  read: () => read(root),
});

async function* read(root: string): AsyncGenerator<LabelledIncident> {
  for (const day of readdirSync(join(root, 'rca_data')).sort()) {
    const folder = join(root, 'rca_data', day);
    const faults = JSON.parse(await readFile(join(folder, `${day}-fault_list.json`), 'utf8')) as Record<
      string,
      readonly { readonly inject_time: string; readonly inject_pod: string; readonly inject_type: string }[]
    >;
    const folders = [folder, join(root, 'construct_data', day)];
    for (const { inject_time, inject_pod, inject_type } of Object.values(faults).flat()) {
      const at_ms = Date.parse(`${inject_time.replace(' ', 'T')}Z`);
      const [traces, logs] = [await recordsAround(folders, 'trace', at_ms), await recordsAround(folders, 'log', at_ms)];
      if (traces.length === 0) continue;
      yield {
        name: `${day} ${inject_time.slice(11)}`,
        files: {
          'traces.jsonl': `${traceLines(traces).join('\n')}\n`,
          'logs.jsonl': `${logLines(logs).join('\n')}\n`,
          'metrics.jsonl': `${(await metricLines(join(folder, 'metric'), at_ms)).join('\n')}\n`,
        },
        normal: null,
        at_ns: BigInt(at_ms) * 1_000_000n,
        sufferer: null,
        root_cause: serviceOf(inject_pod),
        fault: inject_type,
      };
    }
  }
}

type Row = Readonly<Record<string, string>>;

/** Rows of all files of a kind whose minute is near; a span or line that several files hold is kept once. */
async function recordsAround(folders: readonly string[], kind: 'trace' | 'log', at_ms: number): Promise<Row[]> {
  const found = new Map<string, Row>();
  for (const folder of folders.map((one) => join(one, kind)).filter(existsSync)) {
    const day = folder.split('/').at(-2) as string;
    for (const name of readdirSync(folder).sort()) {
      const minute = Date.parse(`${day}T${name.slice(0, 5).replace('_', ':')}:00Z`);
      if (minute < at_ms - BEFORE_MS || minute > at_ms + AFTER_MS) continue;
      for (const row of recordsOf(await csvRows(join(folder, name)))) {
        const key = kind === 'trace' ? `${row.TraceID} ${row.SpanID}` : `${row.TimeUnixNano} ${row.PodName} ${row.Log}`;
        found.set(key, row);
      }
    }
  }
  return [...found.values()];
}

function recordsOf([header = [], ...rows]: readonly (readonly string[])[]): Row[] {
  return rows.map((row) => Object.fromEntries(header.map((name, i) => [name, row[i] ?? ''])));
}

/** A pod of a deployment is named after it, its replica set and itself. */
const serviceOf = (pod: string): string => pod.replace(/-[\da-f]{6,10}-[\da-z]{5}$/, '');
const resourceOf = (pod: string) => ({ 'service.name': serviceOf(pod), 'k8s.pod.name': pod });

function traceLines(rows: readonly Row[]): string[] {
  return [...Map.groupBy(rows, ({ PodName = '' }) => PodName)].map(([pod, list]) =>
    spanLine(
      resourceOf(pod),
      list.map(
        (row): SpanRecord => ({
          traceId: row.TraceID ?? '',
          spanId: row.SpanID ?? '',
          parentSpanId: row.ParentID === 'root' ? '' : (row.ParentID ?? ''),
          name: row.OperationName ?? '',
          startTimeUnixNano: row.StartTimeUnixNano ?? '',
          endTimeUnixNano: row.EndTimeUnixNano ?? '',
        }),
      ),
    ),
  );
}

function logLines(rows: readonly Row[]): string[] {
  const hex = (id: string | undefined, length: number): string =>
    id !== undefined && new RegExp(`^[\\da-f]{${length}}$`).test(id) ? id : '';
  return [...Map.groupBy(rows, ({ PodName = '' }) => PodName)].map(([pod, list]) =>
    logLine(
      resourceOf(pod),
      list.map(
        (row): LogRecord => ({
          timeUnixNano: row.TimeUnixNano ?? '',
          traceId: hex(row.TraceID, 32),
          spanId: hex(row.SpanID, 16),
          body: messageOf(row.Log ?? ''),
        }),
      ),
    ),
  );
}

/** The container runtime wraps each line as JSON. */
function messageOf(log: string): string {
  try {
    return (JSON.parse(log) as { readonly log?: string }).log?.trim() ?? log;
  } catch {
    return log;
  }
}

async function metricLines(folder: string, at_ms: number): Promise<string[]> {
  const lines: string[] = [];
  for (const name of existsSync(folder) ? readdirSync(folder).sort() : []) {
    const rows = recordsOf(await csvRows(join(folder, name))).filter(({ TimeStamp }) => {
      const time = 1000 * Number(TimeStamp);
      return time > at_ms - METRICS_BEFORE_MS && time < at_ms + AFTER_MS;
    });
    const pod = rows[0]?.PodName;
    if (pod === undefined) continue;
    const columns = Object.keys(rows[0] ?? {}).filter((column) => !['Time', 'TimeStamp', 'PodName'].includes(column));
    const gauges = columns.map((column) => ({
      name: column.replace(/\(.*\)/, ''),
      unit: /\((.*)\)/.exec(column)?.[1] ?? '',
      points: rows
        .map((row) => [BigInt(Number(row.TimeStamp)) * 1_000_000_000n, Number(row[column] || Number.NaN)] as const)
        .filter(([, value]) => Number.isFinite(value)),
    }));
    lines.push(
      gaugeLine(
        resourceOf(pod),
        gauges.filter(({ points }) => points.length > 0),
      ),
    );
  }
  return lines;
}
