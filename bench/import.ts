import { execFileSync } from 'node:child_process';
import { appendFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { megabytes, perSecond, print, thousands, timed, versus, within } from './figures.ts';
import { type IntoCase, intoCase } from './into-case.ts';
import { options } from './options.ts';
import { generatePoints } from './otlp-points.ts';
import { generateSpans } from './otlp-spans.ts';
import { writeWideLogs } from './wide-logs.ts';

/** Spans of the files that are imported, and how many of them the rivals that take one thread are given. */
const SPANS = 1_500_000;
const PART = 300_000;
const POINTS = 3_000_000;
const RUNS = 3;
const WIDE_LOGS = 500_000;
const WIDE_BYTES = 2048;

/**
 * End to end: from a file on disk to a committed case on disk, by the command line in a process of its own, its start
 * included. What one thread can do at most is measured between the runs, because machines are not equally fast all day.
 */
export async function benchImport(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'faultline-bench-'));
  try {
    const files = await writeFiles(folder);
    console.log(
      `${thousands(SPANS)} spans of 10 attributes: ${megabytes((await stat(files.json)).size)} as JSON lines, ${megabytes((await stat(files.protobuf)).size)} as protobuf; best of ${RUNS}\n`,
    );
    const rival = perSecond(PART, (await timed(() => readJson(files.part))).ms);
    const spans = await benchSpans(folder, files, rival);
    const pointRate = await best(folder, files.points, POINTS);
    print('import OTLP metric points', ...points(pointRate));
    printScaled(spans.parse, [
      ['protobuf spans on 2 cores', spans.protobufOnTwo, 500_000],
      ['spans as JSON lines on 2 cores', spans.jsonOnTwo, 200_000],
      ['metric points', pointRate, 1_000_000],
    ]);
    await benchParquet(folder, files.protobuf);
    await benchMemory(folder, files.protobuf);
    await benchWideRows(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What `JSON.parse` alone did on one thread of the machine on which DESIGN's budgets were set, same spans. */
const ANCHOR_PARSE = 196_000;

/** Beside the absolute budgets: what is left of them on a machine of this speed. DESIGN section 3: ratios matter. */
function printScaled(parse: number, rates: readonly (readonly [what: string, rate: number, budget: number])[]): void {
  const speed = parse / ANCHOR_PARSE;
  print(
    'this machine beside that of the budgets',
    `x ${speed.toFixed(2)}`,
    `JSON.parse ${thousands(parse)} of ${thousands(ANCHOR_PARSE)} spans/s`,
  );
  for (const [what, rate, budget] of rates)
    print(`  ${what}, scaled so`, thousands(rate / speed), versus(rate / speed, budget));
}

const points = (rate: number): [string, string] => [`${thousands(rate)} points/s`, versus(rate, 1_000_000)];

interface Files {
  readonly json: string;
  readonly protobuf: string;
  readonly points: string;
  /** The first {@link PART} spans as JSON lines. */
  readonly part: string;
}

async function writeFiles(folder: string): Promise<Files> {
  const files = {
    json: join(folder, 'spans.jsonl'),
    protobuf: join(folder, 'spans.binpb'),
    points: join(folder, 'points.binpb'),
    part: join(folder, 'part.jsonl'),
  };
  for (let from = 0; from < SPANS; from += PART) {
    const { json, protobuf } = generateSpans(PART, from);
    if (from === 0) await writeFile(files.part, json);
    await appendFile(files.json, json);
    await appendFile(files.protobuf, protobuf);
  }
  for (let from = 0; from < POINTS; from += POINTS / 10)
    await appendFile(files.points, generatePoints(POINTS / 10, from));
  return files;
}

async function benchSpans(folder: string, files: Files, readJsonRate: number) {
  const { json: part } = generateSpans(PART);
  const rates = { protobuf: 0, json: 0, parse: 0, ratio: 0, protobufOnTwo: 0, jsonOnTwo: 0 };
  const least = { protobuf: Number.POSITIVE_INFINITY, json: Number.POSITIVE_INFINITY };
  for (let run = 0; run < RUNS; run++) {
    const parse = perSecond(PART, (await timed(async () => parseOnly(part))).ms);
    const json = importRate(folder, files.json, SPANS);
    rates.parse = Math.max(rates.parse, parse);
    rates.json = Math.max(rates.json, json);
    rates.ratio = Math.max(rates.ratio, json / parse);
    rates.protobuf = Math.max(rates.protobuf, importRate(folder, files.protobuf, SPANS));
    const [protobufOnTwo, jsonOnTwo] = [files.protobuf, files.json].map((file) =>
      importAll(folder, file, SPANS, 2),
    ) as [IntoCase, IntoCase];
    rates.protobufOnTwo = Math.max(rates.protobufOnTwo, perSecond(SPANS, protobufOnTwo.ms));
    rates.jsonOnTwo = Math.max(rates.jsonOnTwo, perSecond(SPANS, jsonOnTwo.ms));
    least.protobuf = Math.min(least.protobuf, protobufOnTwo.processor_us / SPANS);
    least.json = Math.min(least.json, jsonOnTwo.processor_us / SPANS);
  }
  const cores = availableParallelism();
  const rate = (value: number): string => `${thousands(value)} spans/s`;
  print('import OTLP protobuf, on 2 cores', rate(rates.protobufOnTwo), versus(rates.protobufOnTwo, 500_000));
  print('  processor time', `${least.protobuf.toFixed(1)} us/span`, within(least.protobuf, 4, 'us'));
  print(`  on all ${cores}`, rate(rates.protobuf), versus(rates.protobuf, 500_000));
  print('import OTLP JSON lines, on 2 cores', rate(rates.jsonOnTwo), versus(rates.jsonOnTwo, 200_000));
  print('  processor time', `${least.json.toFixed(1)} us/span`, within(least.json, 10, 'us'));
  print(`  on all ${cores}`, rate(rates.json), versus(rates.json, 200_000));
  print('  against JSON.parse alone', rate(rates.parse), `x ${rates.ratio.toFixed(2)} (best pair of runs)`);
  print(
    '  against DuckDB read_json + unnest',
    rate(readJsonRate),
    `x ${(rates.json / readJsonRate).toFixed(1)} (budget x 8)`,
  );
  return rates;
}

/** Of one thread that does nothing else. */
function parseOnly(bytes: Buffer): void {
  let rows = 0;
  for (let at = 0, end = bytes.indexOf(10); end >= 0; at = end + 1, end = bytes.indexOf(10, at)) {
    rows += JSON.parse(bytes.toString('utf8', at, end)).resourceSpans[0].scopeSpans[0].spans.length;
  }
  if (rows !== PART) throw new Error(`${rows} spans of ${PART}`);
}

/** What a DuckDB user would write: the reader infers the nested types, three unnests make rows. */
async function readJson(file: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`create table spans as
    with r as (select unnest(resourceSpans) as r from read_json('${file}', maximum_object_size = 100000000)),
    s as (select unnest(r.scopeSpans) as s from r)
    select unnest(s.spans, recursive := false) as span from s`);
  connection.closeSync();
  instance.closeSync();
}

/** Imports a file into a new case, by a process that may use so many cores, of the built program or another. */
export const importFile = (folder: string, file: string, cores?: number, program?: string): IntoCase =>
  intoCase(folder, (path) => ['import', path, file], { cores, program });

function importAll(folder: string, file: string, rows: number, cores?: number): IntoCase {
  const imported = importFile(folder, file, cores);
  if (imported.rows !== rows) throw new Error(`${imported.rows} rows of ${rows}`);
  return imported;
}

const importRate = (folder: string, file: string, rows: number, cores?: number): number =>
  perSecond(rows, importAll(folder, file, rows, cores).ms);

async function best(folder: string, file: string, rows: number): Promise<number> {
  return Math.max(...Array.from({ length: RUNS }, () => importRate(folder, file, rows)));
}

/** The spans as somebody would have exported them, against DuckDB's own COPY of that file into a table like it. */
async function benchParquet(folder: string, protobuf: string): Promise<void> {
  const file = join(folder, 'spans.parquet');
  importFile(folder, protobuf);
  const database = join(folder, 'bench.faultline/case.duckdb');
  await withDuckDB(database, { access_mode: 'READ_ONLY' }, (run) =>
    run(`copy (select trace_id, span_id, parent_span_id, name, kind, start_ns, (duration_ms * 1e6)::bigint as duration_ns,
      status, service, attributes from spans) to '${file}' (format parquet, compression zstd)`),
  );
  const rates = { copy: 0, ours: 0, ratio: 0 };
  for (let run = 0; run < RUNS; run++) {
    const copied = join(folder, `copy-${run}.duckdb`);
    const { ms } = await timed(() =>
      withDuckDB(copied, {}, async (sql) => {
        await sql(`create table spans as select * from '${file}' limit 0`);
        await sql(`copy spans from '${file}' (format parquet)`);
        await sql('checkpoint');
      }),
    );
    const [copy, ours] = [perSecond(SPANS, ms), importRate(folder, file, SPANS)];
    rates.copy = Math.max(rates.copy, copy);
    rates.ours = Math.max(rates.ours, ours);
    rates.ratio = Math.max(rates.ratio, ours / copy);
  }
  print('import Parquet', `${thousands(rates.ours)} spans/s`, `x ${rates.ratio.toFixed(2)} of COPY (budget x 0.9)`);
  print(
    '  DuckDB COPY of the same file',
    `${thousands(rates.copy)} spans/s`,
    'all of its threads, no start of a process',
  );
}

async function withDuckDB(
  file: string,
  options: Record<string, string>,
  work: (run: (sql: string) => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  const instance = await DuckDBInstance.create(file, options);
  const connection = await instance.connect();
  await work((sql) => connection.run(sql));
  connection.closeSync();
  instance.closeSync();
}

/** Rows that are four times as wide as spans: stack traces, prompts. */
async function benchWideRows(folder: string): Promise<void> {
  const file = join(folder, 'wide.jsonl');
  await writeWideLogs(file, WIDE_LOGS, WIDE_BYTES);
  const { peak_mb, rows, ms } = importFile(folder, file);
  print(`memory while importing logs of ${WIDE_BYTES} bytes`, `${Math.round(peak_mb)} MB`, within(peak_mb, 1500, 'MB'));
  print('  at', `${thousands(perSecond(rows, ms))} logs/s`, `${megabytes((await stat(file)).size)}`);
}

/** Peak resident memory over a large file: new spans all the way; `--gigabytes 10` for the budget's own size. */
async function benchMemory(folder: string, protobuf: string): Promise<void> {
  const large = join(folder, 'large.binpb');
  const wanted = Number(options.gigabytes ?? 2) * 1e9;
  execFileSync('cp', [protobuf, large]);
  for (let from = SPANS; (await stat(large)).size < wanted; from += PART)
    await appendFile(large, generateSpans(PART, from).protobuf);
  const size = ((await stat(large)).size / 1e9).toFixed(1);
  const { peak_mb, rows, ms } = importFile(folder, large);
  print(`memory while importing ${size} GB`, `${Math.round(peak_mb)} MB`, within(peak_mb, 1500, 'MB'));
  print('  at', `${thousands(perSecond(rows, ms))} spans/s`, `${thousands(rows)} spans`);
}
