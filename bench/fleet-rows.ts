import { type ChildProcess, fork } from 'node:child_process';
import { createArchives } from '../src/main/archives/index.ts';

/** Spans of one statement. */
export const STEP = 5_000_000;
export const SERVICES = 200;
/** Of each service, on machines of their own. */
const PODS = 20;
/** A trace is two services with three spans each. */
const PER_TRACE = 6;
const DAY_S = 86_400;
/** 2026-05-01T00:00:00Z. */
export const FROM_NS = 1_777_593_600_000_000_000n;

export interface Front {
  readonly child: ChildProcess;
  readonly url: string;
}

/** ClickHouse (chdb) with the tables of `archive init`, without rows. */
export async function startFront(): Promise<Front> {
  const child = fork(new URL('../test/support/clickhouse-front.mjs', import.meta.url), { silent: true });
  const port = await new Promise<string>((resolve) =>
    child.stdout!.once('data', (chunk) => resolve(String(chunk).trim())),
  );
  const url = `http://127.0.0.1:${port}`;
  const days = { days: 3650, important_days: 3650 };
  const { statements } = createArchives(true).schema('clickhouse', { database: 'fleet', ...days });
  for (const sql of statements) await run(url, sql);
  return { child, url };
}

export async function run(url: string, sql: string): Promise<string> {
  const answer = await fetch(url, { method: 'POST', body: sql });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}

const hex = (number: string): string => `leftPad(lower(hex(${number})), 16, '0')`;

/**
 * Spans from one number on, spread over the day: each part of them covers all of it, as parts of a real table cover their hours. One service
 * in fifty is slow for half an hour.
 */
export function insert(from: number, count = STEP): string {
  const trace = `intDiv(number, ${PER_TRACE})`;
  const at = `toInt64(${FROM_NS}) + toInt64(${trace} * ${Math.round((DAY_S * 1e9 * PER_TRACE) / STEP)}) + toInt64(number % ${PER_TRACE}) * 1000000`;
  const seed = from;
  const service = `(cityHash64(${trace}, ${seed}) + intDiv(number % ${PER_TRACE}, 3)) % ${SERVICES}`;
  const pod = `cityHash64(${trace}, ${service}) % ${PODS}`;
  const isSlow = `${service} % 50 = 7 AND intDiv(${trace} * ${PER_TRACE} * 48, ${STEP}) = 10 + intDiv(${service}, 50)`;
  return `INSERT INTO fleet.otel_traces (Timestamp, TraceId, SpanId, ParentSpanId, SpanName, SpanKind, ServiceName, ResourceAttributes, SpanAttributes, Duration, StatusCode)
    SELECT fromUnixTimestamp64Nano(${at}, 'UTC'), concat(${hex(`cityHash64(${trace}, ${seed})`)}, ${hex(`cityHash64(${trace}, ${seed} + 1)`)}), ${hex(`cityHash64(number, ${seed})`)},
      if(number % ${PER_TRACE} = 0, '', ${hex(`cityHash64(number - 1, ${seed})`)}), concat('operation-', toString(cityHash64(number) % 20)),
      multiIf(number % 3 = 0, 'Server', number % 3 = 1, 'Internal', 'Client'), concat('service-', toString(${service})),
      map('service.name', concat('service-', toString(${service})), 'host.name', concat('node-', toString((${service} * ${PODS} + ${pod}) % 97)), 'k8s.pod.name', concat('service-', toString(${service}), '-', toString(${pod}))),
      map('http.route', concat('/v1/', toString(cityHash64(number) % 20)), 'http.response.status_code', if(cityHash64(number, 5) % 200 = 0, '500', '200'), 'tenant', concat('tenant-', toString(cityHash64(number, 6) % 50)),
        'url.full', concat('https://fleet.example/v1/', toString(number))),
      toUInt64((20 + (cityHash64(number, 7) % 1000) / 50 + if(${isSlow}, 200, 0)) * 1e6), if(cityHash64(number, 5) % 200 = 0, 'Error', 'Unset')
    FROM numbers(${count}) SETTINGS max_insert_threads = 2`;
}
