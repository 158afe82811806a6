import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createApi } from '../src/core/api/index.ts';
import { createArchives } from '../src/main/archives/index.ts';
import { createFileHandles } from '../src/main/hosts/file-handles.ts';
import type { Api } from '../src/model/contract/index.ts';
import { megabytes, print, thousands, timed, within } from './figures.ts';
import { options } from './options.ts';

/** The sizes that are asked, one after another in the same table; `--spans` replaces the last. */
const SIZES = [5_000_000, 50_000_000];
const STEP = 5_000_000;
const SERVICES = 200;
/** A trace is two services with three spans each. */
const PER_TRACE = 6;
const DAY_S = 86_400;
/** 2026-05-01T00:00:00Z. */
const FROM_NS = 1_777_593_600_000_000_000n;
const HOUR_NS = 3_600_000_000_000n;
const EACH = 5;

/** Questions to a day of a fleet in ClickHouse (chdb), by how many spans it has. */
export async function benchFleet(): Promise<void> {
  const front = await startFront();
  const created = createApi({
    host: { kind: 'cli', pickFiles: async () => [], saveFile: async () => null },
    version: 'bench',
    storage: noStorage,
    reader: { formats: [] } as never,
    archives: async () => createArchives(true),
    files: createFileHandles(),
    demoFiles: async () => [],
    now: () => BigInt(Date.now()) * 1_000_000n,
  });
  try {
    const { statements } = createArchives(true).schema('clickhouse', {
      database: 'fleet',
      days: 3650,
      important_days: 3650,
    });
    for (const sql of statements) await run(front.url, sql);
    let spans = 0;
    const most = Number(options.spans ?? SIZES.at(-1));
    for (const size of [...SIZES.filter((one) => one < most), most]) {
      const filled = await timed(async () => {
        for (; spans < size; spans += STEP) await run(front.url, insert(spans));
      });
      // What was inserted would be merged while it is asked.
      await run(front.url, 'SYSTEM STOP MERGES fleet.otel_traces');
      print(`fleet of ${thousands(spans)} spans`, `${Math.round(filled.ms / 1000)} s to fill`, await sizeOf(front.url));
      await ask(created.api, front);
      await run(front.url, 'SYSTEM START MERGES fleet.otel_traces');
    }
  } finally {
    await created.close();
    front.child.disconnect();
  }
}

const noStorage = {
  open: () => Promise.reject(new Error('no case')),
  create: () => Promise.reject(new Error('no case')),
  recent: async () => [],
  openRecent: () => Promise.reject(new Error('no case')),
};

interface Front {
  readonly child: ChildProcess;
  readonly url: string;
}

async function startFront(): Promise<Front> {
  const child = fork(new URL('../test/support/clickhouse-front.mjs', import.meta.url), { silent: true });
  const port = await new Promise<string>((resolve) =>
    child.stdout!.once('data', (chunk) => resolve(String(chunk).trim())),
  );
  return { child, url: `http://127.0.0.1:${port}` };
}

async function run(url: string, sql: string): Promise<string> {
  const answer = await fetch(url, { method: 'POST', body: sql });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}

async function sizeOf(url: string): Promise<string> {
  const sql = "SELECT toFloat64(sum(bytes_on_disk)) AS bytes FROM system.parts WHERE active AND database = 'fleet'";
  const { data } = JSON.parse(await run(url, sql)) as { data: { bytes: number }[] };
  return `${megabytes(data[0]?.bytes ?? 0)} on disk, ${SERVICES} services, one day`;
}

const hex = (number: string): string => `leftPad(lower(hex(${number})), 16, '0')`;

/**
 * Spans from one number on, spread over the day: each part of them covers all of it, as parts of a real table cover their hours. One service
 * in fifty is slow for half an hour.
 */
function insert(from: number): string {
  const trace = `intDiv(number, ${PER_TRACE})`;
  const at = `toInt64(${FROM_NS}) + toInt64(${trace} * ${Math.round((DAY_S * 1e9 * PER_TRACE) / STEP)}) + toInt64(number % ${PER_TRACE}) * 1000000`;
  const seed = from;
  const service = `(cityHash64(${trace}, ${seed}) + intDiv(number % ${PER_TRACE}, 3)) % ${SERVICES}`;
  const isSlow = `${service} % 50 = 7 AND intDiv(${trace} * ${PER_TRACE} * 48, ${STEP}) = 10 + intDiv(${service}, 50)`;
  return `INSERT INTO fleet.otel_traces (Timestamp, TraceId, SpanId, ParentSpanId, SpanName, SpanKind, ServiceName, ResourceAttributes, SpanAttributes, Duration, StatusCode)
    SELECT fromUnixTimestamp64Nano(${at}, 'UTC'), concat(${hex(`cityHash64(${trace}, ${seed})`)}, ${hex(`cityHash64(${trace}, ${seed} + 1)`)}), ${hex(`cityHash64(number, ${seed})`)},
      if(number % ${PER_TRACE} = 0, '', ${hex(`cityHash64(number - 1, ${seed})`)}), concat('operation-', toString(cityHash64(number) % 20)),
      multiIf(number % 3 = 0, 'Server', number % 3 = 1, 'Internal', 'Client'), concat('service-', toString(${service})),
      map('service.name', concat('service-', toString(${service})), 'host.name', concat('node-', toString(${service} % 97)), 'k8s.pod.name', concat('pod-', toString(cityHash64(${trace}) % 400))),
      map('http.route', concat('/v1/', toString(cityHash64(number) % 20)), 'http.response.status_code', if(cityHash64(number, 5) % 200 = 0, '500', '200'), 'tenant', concat('tenant-', toString(cityHash64(number, 6) % 50)),
        'url.full', concat('https://fleet.example/v1/', toString(number))),
      toUInt64((20 + (cityHash64(number, 7) % 1000) / 50 + if(${isSlow}, 200, 0)) * 1e6), if(cityHash64(number, 5) % 200 = 0, 'Error', 'Unset')
    FROM numbers(${STEP}) SETTINGS max_insert_threads = 2`;
}

/** Elapsed, and the processor time of both sides: other work on the machine only changes the first. */
async function spent<T>({ child }: Front, work: () => Promise<T>): Promise<{ value: T; ms: number; cpu: string }> {
  const before = [process.cpuUsage(), processorSeconds(child.pid)] as const;
  const { value, ms } = await timed(work);
  const { user, system } = process.cpuUsage(before[0]);
  const theirs = processorSeconds(child.pid) - before[1];
  return { value, ms, cpu: `processor ${theirs.toFixed(1)} s there, ${((user + system) / 1e6).toFixed(1)} s here` };
}

/** Of another process, where there is /proc; else NaN. */
function processorSeconds(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.NaN;
  }
}

const searches = [
  '{service.name = "service-17" && duration > 39ms}',
  '{status = error && span.tenant = "tenant-7"}',
  '{service.name = "service-17"} > {status = error}',
];

async function ask(api: Api, front: Front): Promise<void> {
  const plan = `kind: clickhouse\nurl: ${front.url}\ndatabase: fleet\nrequests_per_s: 1000\ntimeout_s: 600\n`;
  const day = { plan, from_ns: FROM_NS, until_ns: FROM_NS + 24n * HOUR_NS };
  const hour = { plan, from_ns: FROM_NS + 10n * HOUR_NS, until_ns: FROM_NS + 11n * HOUR_NS };
  const impacts = await spent(front, () => api['fleet.impacts'](day));
  const services = new Set(impacts.value.impacts.map(({ service }) => service));
  const found = `${services.size} services of ${SERVICES / 50} that are slow`;
  print(
    '  impacts of the day',
    `${Math.round(impacts.ms)} ms`,
    `${within(impacts.ms, 10_000, 'ms')}; ${impacts.cpu}; ${found}`,
  );
  for (const query of searches) {
    const { value, ms, cpu } = await spent(front, () => api['fleet.traces']({ ...hour, query, limit: 100 }));
    print(
      '  TraceQL over an hour',
      `${Math.round(ms)} ms`,
      `${within(ms, 2000, 'ms')}; ${cpu}; ${query}: ${thousands(value.trace_count)} traces`,
    );
  }
  const some = await api['fleet.traces']({ ...hour, query: '{status = error}', limit: EACH, order: 'earliest' });
  for (const { trace_id } of some.traces) {
    const { value, ms, cpu } = await spent(front, () => api['fleet.trace']({ ...day, trace_id }));
    print('  one trace', `${Math.round(ms)} ms`, `${within(ms, 200, 'ms')}; ${cpu}; ${value.spans.length} spans`);
  }
}
