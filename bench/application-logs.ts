import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { megabytes, perSecond, print, thousands, timed, versus } from './figures.ts';
import { importFile } from './import.ts';
import { options } from './options.ts';

const LINES = 1_000_000;
const RUNS = 3;
const START_MS = Date.UTC(2026, 4, 1, 14);
const PER_WRITE = 5000;

/**
 * Logs of applications from a file on disk to a committed case, by the command line on two cores: JSON lines as slog, zap, pino, structlog
 * and python-json-logger write them, and text with stack traces. `--gigabytes 1` takes files of that size instead of a million lines.
 */
export async function benchApplicationLogs(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'faultline-application-logs-'));
  try {
    const json = join(folder, 'app.jsonl');
    const lines = await writeLines(json, jsonLine);
    const parse = await parseRate(json);
    const duck = perSecond(lines, (await timed(() => readJson(json))).ms);
    const rate = await measure(`import log of ${thousands(lines)} JSON lines, on 2 cores`, folder, json, lines);
    print('  budget', '', versus(rate, 300_000));
    print('  against JSON.parse alone', `${thousands(parse)} lines/s`, `x ${(rate / parse).toFixed(2)}`);
    print('  against DuckDB read_json into a table', `${thousands(duck)} lines/s`, `x ${(rate / duck).toFixed(2)}`);
    await rm(json);
    const text = join(folder, 'app.log');
    const records = await writeLines(text, textRecord);
    await measure(`import log of ${thousands(records)} text records, on 2 cores`, folder, text, records);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(what: string, folder: string, file: string, records: number): Promise<number> {
  let rate = 0;
  let peak = 0;
  let processor = Number.POSITIVE_INFINITY;
  for (let run = 0; run < (options.gigabytes ? 1 : RUNS); run++) {
    const { ms, rows, peak_mb, processor_us } = importFile(folder, file, 2);
    if (rows !== records) throw new Error(`${rows} records of ${records}`);
    rate = Math.max(rate, perSecond(rows, ms));
    peak = Math.max(peak, peak_mb);
    processor = Math.min(processor, processor_us / rows);
  }
  const { size } = await stat(file);
  print(
    what,
    `${thousands(rate)} records/s`,
    `${megabytes(size)} in ${(records / rate).toFixed(1)} s, ${processor.toFixed(1)} us of processor time each, at most ${peak.toFixed(0)} MB`,
  );
  return rate;
}

/** Of one thread that does nothing else, over the first lines. */
async function parseRate(path: string): Promise<number> {
  const bytes = (await readFile(path)).subarray(0, 100_000_000);
  let rows = 0;
  const from = performance.now();
  for (let at = 0, end = bytes.indexOf(10); end >= 0; at = end + 1, end = bytes.indexOf(10, at))
    rows += JSON.parse(bytes.toString('utf8', at, end)) === null ? 0 : 1;
  return perSecond(rows, performance.now() - from);
}

/** What a DuckDB user would write: columns are inferred, nothing is understood. */
async function readJson(file: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const connection = await instance.connect();
  await connection.run(`create table logs as select * from read_json('${file}', format = 'newline_delimited')`);
  connection.closeSync();
  instance.closeSync();
}

/** Writes records until there are enough, and returns how many. */
export async function writeLines(path: string, line: (i: number) => string): Promise<number> {
  const most = options.gigabytes ? Number(options.gigabytes) * 1e9 : Number.POSITIVE_INFINITY;
  let count = 0;
  let bytes = 0;
  function* pieces(): Generator<string> {
    while (options.gigabytes ? bytes < most : count < LINES) {
      const piece = Array.from({ length: PER_WRITE }, () => `${line(count++)}\n`).join('');
      bytes += piece.length;
      yield piece;
    }
  }
  await pipeline(Readable.from(pieces()), createWriteStream(path));
  return count;
}

const hash = (i: number): number => Math.imul(i ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
const hex = (i: number, digits: number): string =>
  [1, 2, 3, 4]
    .map((k) =>
      hash(i * 4 + k)
        .toString(16)
        .padStart(8, '0'),
    )
    .join('')
    .slice(0, digits);
const stamp = (i: number): Date => new Date(START_MS + Math.floor(i * 3.6));
const levels = ['INFO', 'INFO', 'INFO', 'INFO', 'DEBUG', 'INFO', 'WARN', 'INFO', 'INFO', 'ERROR'] as const;
const loggers = ['engine', 'scheduler', 'cache.manager', 'router', 'worker.pool'] as const;

/** One line of one of five libraries. */
export function jsonLine(i: number): string {
  const level = levels[hash(i) % 10]!;
  const time = stamp(i);
  const pod = `llama-inference-${hash(i * 3) % 64}`;
  const host = `node-${hash(i * 5) % 32}`;
  switch (i % 5) {
    case 0:
      return JSON.stringify({
        time: time.toISOString().replace('Z', `${String(hash(i) % 1_000_000).padStart(6, '0')}Z`),
        level,
        msg: `request served: POST /v1/models/${i % 40}/completions`,
        service: 'gateway',
        pod,
        request_id: `req-${hex(i, 12)}`,
        trace_id: hex(i, 32),
        span_id: hex(i + 7, 16),
        status: i % 50 === 0 ? 503 : 200,
        duration_ms: (hash(i) % 100_000) / 100,
      });
    case 1:
      return JSON.stringify({
        level: level.toLowerCase(),
        ts: time.getTime() / 1000,
        logger: loggers[i % 4],
        caller: `controller/reconcile.go:${120 + (i % 80)}`,
        msg: 'Reconciled "InferenceService"',
        namespace: 'serving',
        pod,
        attempt: i % 7,
        ...(level === 'ERROR'
          ? {
              error: 'context deadline exceeded',
              stacktrace: 'main.reconcile\n\t/src/reconcile.go:12\nmain.main\n\t/src/main.go:8',
            }
          : {}),
      });
    case 2:
      return JSON.stringify({
        level: { DEBUG: 20, INFO: 30, WARN: 40, ERROR: 50 }[level],
        time: time.getTime(),
        pid: 17 + (i % 4),
        hostname: host,
        req: { id: i, method: 'GET', url: `/healthz?probe=${i % 9}`, remoteAddress: '10.0.4.17' },
        res: { statusCode: 200 },
        responseTime: i % 90,
        msg: 'request completed',
      });
    case 3:
      return JSON.stringify({
        event: `batch of ${1 + (i % 32)} prompts took ${(hash(i) % 9000) / 10} ms`,
        level: level.toLowerCase(),
        timestamp: time.toISOString(),
        logger: loggers[i % 5],
        'service.name': 'vllm-worker',
        'host.name': host,
        tokens: hash(i) % 4096,
        model: 'llama-3-70b-instruct',
        cached: i % 3 === 0,
      });
    default:
      return `{"asctime": "${time.toISOString().slice(0, 23).replace('T', ' ').replace('.', ',')}", "levelname": "${level === 'WARN' ? 'WARNING' : level}", "name": "trainer.${loggers[i % 5]}", "message": "step ${i} loss=${(2 + (hash(i) % 1000) / 1000).toFixed(4)} lr=3.0e-04", "rank": ${i % 64}, "hostname": "${host}", "otelTraceID": "0", "otelSpanID": "0"}`;
  }
}

/** One record as Python's logging or Logback writes it; every 50th has a stack trace. */
export function textRecord(i: number): string {
  const level = levels[hash(i) % 10]!;
  const time = stamp(i).toISOString().slice(0, 23).replace('T', ' ');
  const head =
    i % 2 === 0
      ? `${time.replace('.', ',')} - ${loggers[i % 5]} - ${level === 'WARN' ? 'WARNING' : level} - step ${i} of epoch ${i % 90} took ${hash(i) % 1000} ms`
      : `${time} [pool-${i % 12}] ${level} com.example.serving.Router - queue ${i % 40} has ${hash(i) % 100} requests`;
  if (i % 50 !== 0) return head;
  const frames = Array.from({ length: 8 }, (_, k) => `  File "/srv/app/module_${k}.py", line ${(i + k) % 900}, in run`);
  return [head, 'Traceback (most recent call last):', ...frames, `ValueError: prompt ${i} is too long`].join('\n');
}
