import { type ChildProcess, spawn } from 'node:child_process';
import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createApi } from '../../src/core/api/index.ts';
import { rowsOf } from '../../src/core/store/case-file/case-file.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { createFileHandles } from '../../src/main/hosts/file-handles.ts';
import { threadedReader } from '../../src/main/sources/threaded-reader.ts';
import type { SourceInfo } from '../../src/model/contract/index.ts';
import { tables } from '../../src/model/rows/rows.ts';
import type { Session } from '../../src/model/storage/engine.ts';
import { cli } from '../support/command-line.ts';
import { faultlineHere as faultline } from '../support/command-line-here.ts';
import { temporaryFolder } from '../support/core.ts';
import { demoFiles } from '../support/demo-case.ts';
import { randomFrom } from '../support/otlp-rows.ts';
import { writeParquetOf } from '../support/parquet-of.ts';
import { plainSpans } from '../support/plain-spans.ts';

/** At random, so that many runs see many moments; hundreds in one run: npm run endure. */
const KILLS = 10;
/** Two at a time: while one is imported another is looked at. */
const LANES = 2;
/** Some killed imports are taken up again. */
const RESUME_EVERY = 5;
/** More than a row group of DuckDB: some of it is on the disk before its transaction ends. */
const LARGE = 140_000;

const gauge = 'DCGM_FI_DEV_XID_ERRORS{gpu="0",UUID="GPU-11111111-2222-3333-4444-555555555555"}';
/** From its samples an event is derived. */
const fallenGpu = `# HELP DCGM_FI_DEV_XID_ERRORS x\n# TYPE DCGM_FI_DEV_XID_ERRORS gauge\n${gauge} 0 1700000000000\n${gauge} 79 1700000060000\n`;

/** A case of two sources, and files to import into copies of it. */
async function prepare(folder: string): Promise<{ base: string; files: string[] }> {
  const [map, events, , logs] = await demoFiles();
  const base = join(folder, 'base.faultline');
  expect((await faultline('import', base, map, events)).code).toBe(0);
  const made = { 'xid.prom': fallenGpu, 'one.binpb': plainSpans(LARGE, 1), 'two.binpb': plainSpans(LARGE / 10, 2) };
  const [xid, one, two] = Object.keys(made).map((name) => join(folder, name)) as [string, string, string];
  for (const [name, content] of Object.entries(made)) await writeFile(join(folder, name), content);
  const table = join(folder, 'three.parquet');
  await writeParquetOf(
    table,
    `select md5(i::varchar) as trace_id, printf('%016x', i + 1) as span_id, 'n' || (i % 9) as name, 1700000000000000000 + i as start_ns,
       5 as duration_ns, 'service-' || (i % 4) as service, '{"k":"' || md5(i::varchar) || '"}' as attributes from range(${LARGE}) r(i)`,
  );
  return { base, files: [xid, one, table, logs, two] };
}

interface Import {
  readonly child: ChildProcess;
  /** Files that it reported as imported so far. */
  reported(): string[];
  readonly ended: Promise<{ readonly finished: boolean }>;
}

/** In a process group of its own, so that nothing of it survives. */
function startImport(path: string, files: readonly string[]): Import {
  const child = spawn(process.execPath, [cli, 'import', path, ...files], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  let out = '';
  child.stdout?.on('data', (chunk) => (out += chunk));
  const ended = new Promise<{ finished: boolean }>((resolve) =>
    child.on('close', (code) => resolve({ finished: code !== null })),
  );
  return { child, ended, reported: () => [...out.matchAll(/^imported (\S+) /gm)].map(([, name]) => name!) };
}

function kill({ child }: Import): void {
  try {
    process.kill(-child.pid!, 'SIGKILL');
  } catch {
    // It was through before its turn.
  }
}

async function withCase<T>(path: string, work: (session: Session) => Promise<T>): Promise<T> {
  const engine = await openNativeEngine(join(path, 'case.duckdb'));
  const session = await engine.session();
  try {
    return await work(session);
  } finally {
    session.close();
    await engine.close();
  }
}

const column = async <T>(session: Session, sql: string): Promise<T[]> =>
  ((await session.query(sql)).columns[0] ?? []) as T[];

const derivedEvents = (session: Session) =>
  column<string>(
    session,
    "select e.original_id from event e join name n on n.name_id = e.origin where n.text = 'derived' order by all",
  );

interface State {
  /** Rows by source, as stated. */
  readonly rows: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly derived: readonly string[];
  /** Of everything but when it was imported. */
  readonly content: Readonly<Record<string, unknown>>;
}

/** Output of `info` and the table contents of a case; asserts that both agree. */
async function stateOf(path: string): Promise<State> {
  const info = await faultline('info', path, '--json');
  expect(info).toMatchObject({ code: 0, err: '' });
  // A log cut short in the middle of its first entry stays behind; whatever was committed is in the database by now.
  await rm(join(path, 'case.duckdb.wal'), { force: true });
  const { sources } = JSON.parse(info.out) as { sources: SourceInfo[] };
  return withCase(path, async (session) => {
    await expectRowsStated(session, sources);
    expect(await column(session, 'select entity_id from canonical order by all')).toEqual(
      await column(session, 'select entity_id from entity order by all'),
    );
    const content: Record<string, unknown> = {};
    for (const name of await column<string>(session, 'select table_name from duckdb_tables() order by all'))
      if (name !== 'source') content[name] = (await column(session, `select bit_xor(hash(t)) from ${name} t`))[0];
    for (const view of await column<string>(session, 'select view_name from duckdb_views() where not internal'))
      await session.query(`select count(*) from ${view}`);
    return {
      rows: Object.fromEntries(sources.map(({ name, rows, rejects }) => [name, { ...rows, reject: rejects }])),
      derived: await derivedEvents(session),
      content,
    };
  });
}

/** Every table holds exactly the rows that its sources state, and none of a source that is not there. */
async function expectRowsStated(session: Session, sources: readonly SourceInfo[]): Promise<void> {
  const owned = await column<string>(
    session,
    "select table_name from duckdb_columns() where column_name = 'source_id' and table_name in (select table_name from duckdb_tables())",
  );
  expect(owned.length).toBeGreaterThan(12);
  for (const table of owned) {
    const recorded =
      table === 'event' ? "where origin is distinct from (select name_id from name where text = 'derived')" : '';
    const rowsBySource = rowsOf<{ source_id: number; n: number }>(
      await session.query(`select source_id, count(*)::integer as n from ${table} ${recorded} group by all`),
    );
    const found = Object.fromEntries(rowsBySource.map(({ source_id, n }) => [source_id, n]));
    const known = new Set(sources.map(({ source_id }) => String(source_id)));
    expect([table, Object.keys(found).filter((id) => !known.has(id))]).toEqual([table, []]);
    if (!(table in tables)) continue;
    const stated = sources.map((source) => [
      source.source_id,
      table === 'reject' ? source.rejects : (source.rows[table] ?? 0),
    ]);
    expect([table, found]).toEqual([table, Object.fromEntries(stated.filter(([, n]) => n !== 0))]);
  }
}

test(`killed at ${KILLS} moments of an import, the case holds all that was committed and nothing else`, async () => {
  const seed = Number(process.env.FAULTLINE_SEED ?? Date.now() % 1_000_000);
  const random = randomFrom(seed);
  const folder = await temporaryFolder();
  const { base, files } = await prepare(folder);
  const copy = async (name: string): Promise<string> => {
    const path = join(folder, `${name}.faultline`);
    await cp(base, path, { recursive: true });
    return path;
  };
  // What the case is after none, one, two ... of the files, imported in peace.
  const states: State[] = [];
  for (let done = 0; done <= files.length; done++) {
    const path = await copy(`undisturbed-${done}`);
    if (done > 0) expect((await faultline('import', path, ...files.slice(0, done))).code).toBe(0);
    states.push(await stateOf(path));
  }
  expect(states.at(-1)?.derived).toHaveLength(1);
  // As long as it takes beside another one.
  let longest = 0;
  await Promise.all(
    Array.from({ length: LANES }, async (_, lane) => {
      const from = performance.now();
      await startImport(await copy(`timed-${lane}`), files).ended;
      longest = Math.max(longest, performance.now() - from);
    }),
  );
  let attempts = 0;
  let killed = 0;
  const stages = new Set<number>();
  const attempt = async (): Promise<void> => {
    const number = attempts++;
    const kill_ms = longest * (((number % KILLS) + random()) / KILLS);
    const path = await copy(`killed-${number}`);
    const running = startImport(path, files);
    const from = performance.now();
    const timer = setTimeout(() => kill(running), kill_ms);
    const { finished } = await running.ended;
    clearTimeout(timer);
    if (!finished) killed++;
    // On a machine that has less to do by now than while it was timed, moments past the end would kill nothing.
    else longest = Math.min(longest, performance.now() - from);
    try {
      const state = await stateOf(path);
      const tableCount = Object.keys(state.rows).length - 2;
      expect(running.reported()).toEqual(files.slice(0, running.reported().length).map(fileName));
      expect(tableCount).toBeGreaterThanOrEqual(running.reported().length);
      expect(state).toEqual(states[tableCount]);
      stages.add(tableCount);
      if (finished || killed % RESUME_EVERY !== 0) return;
      await startImport(path, files).ended;
      expect((await stateOf(path)).rows).toEqual(states.at(-1)?.rows);
    } catch (error) {
      throw new Error(`FAULTLINE_SEED=${seed}: killed ${Math.round(kill_ms)} ms after its start`, { cause: error });
    }
  };
  const lane = async (): Promise<void> => {
    while (killed < KILLS && attempts < 2 * KILLS) await attempt();
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  expect([seed, killed]).toEqual([seed, expect.toSatisfy((n: number) => n >= KILLS)]);
  // The moments did lie between the commits.
  expect(stages.size).toBeGreaterThan(2);
});

const fileName = (path: string): string => path.split('/').at(-1)!;

test('derived data that is missing after a kill right after a commit is made at the next opening', async () => {
  const folder = await temporaryFolder();
  const { base, files } = await prepare(folder);
  const running = startImport(base, files.slice(0, 2));
  await expect.poll(running.reported, { interval: 2 }).toEqual(['xid.prom']);
  kill(running);
  expect(await running.ended).toEqual({ finished: false });
  const unwritable = join(folder, 'unwritable.faultline');
  await cp(base, unwritable, { recursive: true });

  expect(await withCase(base, derivedEvents)).toEqual([]);
  expect((await faultline('info', base, '--json')).code).toBe(0);
  expect(await withCase(base, derivedEvents)).toHaveLength(1);

  // Evidence that cannot be written to is shown as it is.
  const { api, close } = createApi({
    host: { kind: 'cli', pickFiles: async () => [], saveFile: async () => null },
    version: 'test',
    storage: {
      open: () => openReadOnly(unwritable),
      create: () => openReadOnly(unwritable),
      recent: async () => [],
      openRecent: () => openReadOnly(unwritable),
    },
    reader: threadedReader(new URL('../../out/main/import-worker.js', import.meta.url)),
    files: createFileHandles(),
    demoFiles: async () => [],
    now: () => 0n,
  });
  expect((await api['case.open']({ recent: 'it' })).sources).toHaveLength(3);
  await close();
});

const openReadOnly = async (path: string) => ({
  engine: await openNativeEngine(join(path, 'case.duckdb'), { readOnly: true }),
  name: 'unwritable',
  path,
});
