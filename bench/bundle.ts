import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { bundleSelects, loadBundle } from '../src/core/store/copies/bundle-tables.ts';
import { SCHEMA_VERSION } from '../src/core/store/tables/index.ts';
import { bundleFiles } from '../src/main/bundle/bundle-files.ts';
import { openBundleOnce } from '../src/main/bundle/open-bundle.ts';
import { readBundle } from '../src/main/bundle/read-bundle.ts';
import { NameMatcher } from '../src/main/bundle/redact/name-matcher.ts';
import { openCaseFolder } from '../src/main/engine/case-folders.ts';
import { perSecond, print, thousands, timed } from './figures.ts';
import { options } from './options.ts';
import { addSpans, HOUR_NS, makeSpanCase, START_NS } from './span-case.ts';

const work = { signal: new AbortController().signal, onProgress: () => undefined };
const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`;

/** A case of spans (`--spans`, 8 M are about 1 GB) as a bundle and back, beside DuckDB's own export of the same file. */
export async function benchBundle(): Promise<void> {
  const parent = await mkdtemp(join(tmpdir(), 'faultline-bundle-bench-'));
  try {
    const folder = join(parent, 'case.faultline');
    const spans = Number(options.spans ?? 1_000_000);
    await makeSpanCase(folder);
    await addSpans(folder, 0, spans, { spansPerTrace: 10 });
    const database = join(folder, 'case.duckdb');
    print(`bundle of ${thousands(spans)} spans`, mebibytes((await stat(database)).size), 'of case.duckdb');
    await exportHere(folder, parent);
    await exportByDuckDB(database, parent);
    await matchLines();
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}

async function exportHere(folder: string, parent: string): Promise<void> {
  const stored = await openCaseFolder(folder, { create: false });
  const bundles = bundleFiles(async () => '');
  const target = { path: join(parent, 'case.flb'), key: null };
  const head = { schema_version: SCHEMA_VERSION, app_version: 'bench', case: 'bench', excerpt: null, sources: [] };
  const session = await stored.engine.session();
  const selects = await bundleSelects(session);
  session.close();
  const highest = watchMemory();
  const written = await timed(() => bundles.writeTables(stored.engine, selects, work));
  const sealed = await timed(() => bundles.seal(target, { head, tables: written.value, report: '' }, work));
  await bundles.clear(stored.engine);
  await stored.engine.close();
  const rows = written.value.reduce((sum, table) => sum + table.rows, 0);
  print(
    '  export',
    `${((written.ms + sealed.ms) / 1000).toFixed(1)} s`,
    `${mebibytes(sealed.value.bytes)}, ${thousands(perSecond(rows, written.ms + sealed.ms))} rows/s, of it ${(sealed.ms / 1000).toFixed(1)} s hashing and packing; ${mebibytes(highest())} resident`,
  );
  const verified = await timed(() => readBundle(target.path, { key: null, signal: work.signal, unpackTo: null }));
  if (verified.value.differences.length > 0) throw new Error('the bundle is not what was written');
  print(
    '  verify',
    `${(verified.ms / 1000).toFixed(1)} s`,
    `${mebibytes((sealed.value.bytes / verified.ms) * 1000)}/s`,
  );
  const opened = await timed(async () => {
    const again = await openBundleOnce(target.path);
    await loadBundle(again);
    return again;
  });
  print(
    '  open',
    `${(opened.ms / 1000).toFixed(1)} s`,
    `verified, unpacked, checked and loaded; ${mebibytes(highest())} resident at most`,
  );
  await opened.value.engine.close();
}

/** All tables as DuckDB leaves them, unsorted and without hashes; then how row groups of several sizes serve a window. */
async function exportByDuckDB(database: string, parent: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '640MB' });
  const connection = await instance.connect();
  await connection.run(`attach '${database}' as bench (read_only); use bench`);
  const folder = join(parent, 'exported');
  const exported = await timed(() => connection.run(`export database '${folder}' (format parquet, compression zstd)`));
  const { size } = await stat(join(folder, 'span.parquet'));
  print('  DuckDB: export database', `${(exported.ms / 1000).toFixed(1)} s`, `${mebibytes(size)} of spans, unsorted`);
  const middle = START_NS + HOUR_NS / 2n;
  for (const rows of [8192, 30_720, 122_880]) {
    const file = join(parent, 'sorted.parquet');
    await connection.run(
      `copy (select * from span where start_ns < ${START_NS + HOUR_NS} order by start_ns) to '${file}' (format parquet, compression zstd, row_group_size ${rows})`,
    );
    const touched = await connection.runAndReadAll(
      `select sum(bytes)::double from (select row_group_id, sum(total_compressed_size) as bytes,
         max(stats_min) filter (path_in_schema = 'start_ns') as low, max(stats_max) filter (path_in_schema = 'start_ns') as high
       from parquet_metadata('${file}') group by 1)
       where low::bigint <= ${middle + 10_000_000_000n} and high::bigint >= ${middle}`,
    );
    const bytes = Number(touched.getRowsJS()[0]?.[0]);
    print(
      `  row groups of ${thousands(rows)}`,
      mebibytes((await stat(file)).size),
      `ten seconds of the hour read ${(bytes / 2 ** 20).toFixed(2)} MiB and a footer of ${((await footerOf(file)) / 2 ** 20).toFixed(2)} MiB`,
    );
  }
  connection.closeSync();
  instance.closeSync();
}

/** Bytes that every reader of a Parquet file has to fetch first. */
async function footerOf(path: string): Promise<number> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const { buffer } = await file.read(Buffer.alloc(8), 0, 8, size - 8);
    return buffer.readUInt32LE(0);
  } finally {
    await file.close();
  }
}

/** What redaction costs: a million lines against ten thousand names. */
async function matchLines(): Promise<void> {
  const matcher = new NameMatcher(
    Array.from({ length: 10_000 }, (_, i) => `gpu-node-${i}.rack-${i % 400}.example.com`),
  );
  const lines = 1_000_000;
  let found = 0;
  const { ms } = await timed(async () => {
    for (let i = 0; i < lines; i++)
      if (
        matcher.find(
          `worker ${i} on gpu-node-${i % 20_000}.rack-${(i % 20_000) % 400}.example.com: request took ${i % 977} ms, retrying the upstream in 250 ms`,
        )
      )
        found++;
  });
  print('  names in 1 M log lines', `${(ms / 1000).toFixed(1)} s`, `10 000 names, ${thousands(found)} lines with one`);
}

function watchMemory(): () => number {
  let highest = 0;
  const timer = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage().rss);
  }, 50);
  timer.unref();
  return () => highest;
}
