import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { createApi } from '../src/core/api/index.ts';
import { openCaseFolder } from '../src/main/engine/case-folders.ts';
import { createFileHandles } from '../src/main/hosts/file-handles.ts';
import { threadedReader } from '../src/main/sources/threaded-reader.ts';
import { perSecond, print, thousands, timed, versus, within } from './figures.ts';
import { generateSpans } from './otlp-spans.ts';

const SPANS = 300_000;
const RUNS = 3;

/** End to end: from a file on disk to a committed case on disk, through the same thread and transaction as users' files. */
export async function benchImport(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'faultline-bench-'));
  try {
    const { json, protobuf } = generateSpans(SPANS);
    const [jsonFile, protobufFile] = [join(folder, 'spans.jsonl'), join(folder, 'spans.binpb')];
    await writeFile(jsonFile, json);
    await writeFile(protobufFile, protobuf);
    console.log(
      `${thousands(SPANS)} spans of 10 attributes: ${megabytes(json)} as JSON lines, ${megabytes(protobuf)} as protobuf; best of ${RUNS}\n`,
    );
    const parsed = await best(() => parseOnly(json));
    const rival = perSecond(SPANS, (await timed(() => readJson(jsonFile))).ms);
    const fromProtobuf = await best(() => importFile(folder, protobufFile));
    const fromJson = await best(() => importFile(folder, jsonFile));
    print('import OTLP protobuf, end to end', `${thousands(fromProtobuf)} spans/s`, versus(fromProtobuf, 500_000));
    print('import OTLP JSON lines, end to end', `${thousands(fromJson)} spans/s`, versus(fromJson, 200_000));
    print('  against JSON.parse alone', `${thousands(parsed)} spans/s`, `x ${(fromJson / parsed).toFixed(2)}`);
    print(
      '  against DuckDB read_json + unnest',
      `${thousands(rival)} spans/s`,
      `x ${(fromJson / rival).toFixed(1)} (budget x 8)`,
    );
    await benchMemory(folder, protobuf);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const megabytes = (bytes: Uint8Array): string => `${Math.round(bytes.length / 1e6)} MB`;

/** Spans per second of the best run; `work` answers the milliseconds it took. */
async function best(work: () => Promise<number>): Promise<number> {
  let figure = 0;
  for (let i = 0; i < RUNS; i++) figure = Math.max(figure, perSecond(SPANS, await work()));
  return figure;
}

async function parseOnly(bytes: Buffer): Promise<number> {
  const from = performance.now();
  let rows = 0;
  for (let at = 0, end = bytes.indexOf(10); end >= 0; at = end + 1, end = bytes.indexOf(10, at)) {
    rows += JSON.parse(bytes.toString('utf8', at, end)).resourceSpans[0].scopeSpans[0].spans.length;
  }
  return expectAll(rows, performance.now() - from);
}

function expectAll(rows: number, ms: number): number {
  if (rows !== SPANS) throw new Error(`${rows} spans of ${SPANS}`);
  return ms;
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

/** Milliseconds from the first byte read to the commit and the checkpoint, a new case each time. */
async function importFile(folder: string, file: string): Promise<number> {
  const path = await mkdtemp(join(folder, 'case-'));
  const files = createFileHandles();
  const { api, close } = createApi({
    host: { kind: 'cli', pickFiles: async () => [], saveText: async () => null },
    version: 'bench',
    storage: {
      open: () => openCaseFolder(path, { create: true }),
      create: () => openCaseFolder(path, { create: true }),
      recent: async () => [],
      openRecent: () => openCaseFolder(path, { create: true }),
    },
    reader: threadedReader(new URL('../out/main/import-worker.js', import.meta.url)),
    files,
    demoFiles: async () => [],
    now: () => 0n,
  });
  let spans = 0;
  const { handle } = await files.register(file);
  const from = performance.now();
  for await (const event of api['import.run']({ handles: [handle] })) {
    if (event.kind === 'source') spans = event.source.rows.span ?? 0;
    if (event.kind === 'problem') throw new Error(event.problem.message);
  }
  const ms = performance.now() - from;
  await close();
  await rm(path, { recursive: true, force: true });
  return expectAll(spans, ms);
}

/** Peak resident memory of the command line over a file of 2 GB: the same spans again and again. */
async function benchMemory(folder: string, protobuf: Buffer): Promise<void> {
  const large = join(folder, 'large.binpb');
  const copies = Math.ceil(2e9 / protobuf.length);
  for (let i = 0; i < copies; i++) await writeFile(large, protobuf, { flag: 'a' });
  const script = `process.on('exit', () => console.error('peak ' + process.resourceUsage().maxRSS));`;
  const cli = join(import.meta.dirname, '../out/main/cli.js');
  const output = execFileSync(
    '/bin/sh',
    [
      '-c',
      '"$0" --import "data:text/javascript,$1" "$2" import "$3" "$4" 2>&1',
      process.execPath,
      encodeURIComponent(script),
      cli,
      join(folder, 'large.faultline'),
      large,
    ],
    { encoding: 'utf8' },
  );
  const peak = Number(/peak (\d+)/.exec(output)?.[1]) / 1000;
  const size = ((await stat(large)).size / 1e9).toFixed(1);
  print(`memory while importing ${size} GB`, `${Math.round(peak)} MB`, within(peak, 1500, 'MB'));
}
