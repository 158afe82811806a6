import { spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quantile } from '../src/core/analysis/statistics.ts';
import { createApi } from '../src/core/api/index.ts';
import { openCaseFolder } from '../src/main/engine/case-folders.ts';
import { createFileHandles } from '../src/main/hosts/file-handles.ts';
import type { Api } from '../src/model/contract/index.ts';
import type { Session } from '../src/model/storage/engine.ts';
import { print, thousands, timed, within } from './figures.ts';
import { options } from './options.ts';
import { benchCancel } from './query-cancel.ts';
import { addSpans, HOUR_NS, makeSpanCase, SERVICES, START_NS, traceIds } from './span-case.ts';

const STEPS = [1_000_000, 5_000_000, 20_000_000, 50_000_000];
const LOOKUPS = 200;
/** An index of random numbers is measured up to here only: beyond, building it takes longer than all else. */
const LARGEST_INDEX = 5_000_000;

/** One case, growing: what a question costs at every size, and how that grows. `--spans 50000000` for the whole. */
export async function benchQueries(): Promise<void> {
  const most = Number(options.spans ?? 2_000_000);
  const parent = await mkdtemp(join(options.folder ?? tmpdir(), 'faultline-bench-'));
  try {
    const folder = join(parent, 'spans.faultline');
    await makeSpanCase(folder);
    const files: number[] = [];
    const history: Figures[] = [];
    for (const size of [...new Set([...STEPS.filter((step) => step < most), most])]) {
      const spans = size - files.reduce((a, b) => a + b, 0);
      const added = await addSpans(folder, files.length, spans, { spansPerTrace: 10 });
      files.push(spans);
      console.log(
        `\n${thousands(size)} spans in ${files.length} files, one hour, ${SERVICES} services, 10 spans a trace`,
      );
      const rate = `${((added.directory_ms / added.insert_ms) * 100).toFixed(1)} % of`;
      print('directory of the last file', ms(added.directory_ms), `${rate} its insert of ${seconds(added.insert_ms)}`);
      history.push(await measure(folder, files, size));
    }
    printSlopes(history);
    await benchCancel(folder);
    // Minutes: only when a size is asked for.
    if (options.spans) await benchLayouts(parent, Math.min(most, 5_000_000));
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}

type Figures = Readonly<Record<string, number>>;
const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
const seconds = (value: number): string => `${(value / 1000).toFixed(1)} s`;

async function measure(folder: string, files: readonly number[], size: number): Promise<Figures> {
  const figures: Record<string, number> = { size };
  await measureSize(folder, size);
  figures.open = await measureOpening(folder);
  const ids = await withCase(folder, async (session) => {
    const found = await session.query(traceIds(files, 10, LOOKUPS));
    return found.columns[0] as string[];
  });
  figures.trace = await measureTraces(folder, ids);
  if (size <= LARGEST_INDEX) await measureIndex(folder, ids);
  Object.assign(figures, await measureQueries(folder));
  return figures;
}

/** A fresh instance of the case, as the product opens it. */
async function withCase<T>(folder: string, work: (session: Session) => Promise<T>): Promise<T> {
  const { engine } = await openCaseFolder(folder, { create: false });
  const session = await engine.session();
  try {
    return await work(session);
  } finally {
    session.close();
    await engine.close();
  }
}

function coreOn(folder: string) {
  const open = () => openCaseFolder(folder, { create: false });
  return createApi({
    host: { kind: 'cli', pickFiles: async () => [], saveFile: async () => null },
    version: 'bench',
    storage: { open, create: open, recent: async () => [], openRecent: open },
    reader: { formats: [] } as never,
    files: createFileHandles(),
    demoFiles: async () => [],
    now: () => 0n,
  });
}

/** Asks the operating system to forget what it holds of the file, so that the next reads come from the disk. */
function forget(folder: string): string {
  const file = join(folder, 'case.duckdb');
  return spawnSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0']).status === 0
    ? 'from disk'
    : 'as cached by the system';
}

/** Blocks by table; what is neither spans nor free is overhead: the directory, the catalog, the engine's metadata. */
async function measureSize(folder: string, size: number): Promise<void> {
  await withCase(folder, async (session) => {
    const blocks = async (table: string): Promise<number> =>
      Number(
        (
          await session.query(
            `select count(distinct block) from (select unnest(additional_block_ids || [block_id]) as block
               from pragma_storage_info('${table}')) where block >= 0`,
          )
        ).columns[0]?.[0],
      );
    const used = Number((await session.query('select used_blocks from pragma_database_size()')).columns[0]?.[0]);
    const [spans, places] = [await blocks('span'), await blocks('trace_place')];
    const bytes = (await stat(join(folder, 'case.duckdb'))).size;
    print('stored', `${(bytes / 1e6).toFixed(0)} MB`, `${(bytes / size).toFixed(1)} bytes a span`);
    const overhead = ((used - spans) / spans) * 100;
    const parts = `directory ${((places / spans) * 100).toFixed(2)} %, catalog and metadata ${(((used - spans - places) / spans) * 100).toFixed(2)} %`;
    print(
      'overhead: used blocks without those of span',
      `${overhead.toFixed(2)} %`,
      `${within(overhead, 5, '%')}; ${parts}`,
    );
  });
}

/** What the window asks first, in its order, in a fresh instance. */
async function measureOpening(folder: string): Promise<number> {
  const state = forget(folder);
  const { api, close } = coreOn(folder);
  const opened = await timed(() => api['case.open']({ recent: 'it' }));
  const window = { start_ns: START_NS, end_ns: START_NS + HOUR_NS };
  const overview = await timed(() => api['timeline.overview']({ ...window, buckets: 800 }));
  const total = opened.ms + overview.ms;
  print(
    'open: case and overview',
    ms(total),
    `${within(total, 2000, 'ms')}; ${state}; case.open ${ms(opened.ms)}, timeline.overview ${ms(overview.ms)}`,
  );
  const lanes = await timed(() => api['timeline.lanes']({}).catch((error: Error) => error.message));
  const incidents = await timed(() => api['incidents.list']({}).catch((error: Error) => error.message));
  print(
    '  then lanes and incidents',
    ms(lanes.ms + incidents.ms),
    typeof lanes.value === 'string' ? lanes.value : `${lanes.value.length} lanes`,
  );
  await close();
  return total;
}

async function eachTimed(ids: readonly string[], readOne: (id: string) => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  for (const id of ids) {
    const { value, ms: took } = await timed(() => readOne(id));
    if (value !== 10) throw new Error(`${value} spans of trace ${id}`);
    times.push(took);
  }
  return times;
}

const both = (times: readonly number[]): string => `p50 ${ms(quantile(times, 0.5))}, p99 ${ms(quantile(times, 0.99))}`;

async function measureTraces(folder: string, ids: readonly string[]): Promise<number> {
  const state = forget(folder);
  const { api, close } = coreOn(folder);
  await api['case.open']({ recent: 'it' });
  const readOne = async (trace_id: string) => (await api['trace.get']({ trace_id })).span_id.length;
  const cold = await eachTimed(ids, readOne);
  const warm = await eachTimed(ids, readOne);
  await close();
  const p99 = quantile(cold, 0.99);
  print(`one trace of ${ids.length}, ${state}`, both(cold), within(p99, 100, 'ms'));
  print('  asked for again', both(warm), '');
  const scans = await withCase(folder, (session) =>
    eachTimed(ids.slice(0, 8), async (id) => (await session.query(fullScan, [id])).count),
  );
  print('  against a scan by its numbers', both(scans), `x ${(quantile(scans, 0.5) / quantile(warm, 0.5)).toFixed(1)}`);
  const views = await withCase(folder, (session) =>
    eachTimed(
      ids.slice(0, 2),
      async (id) => (await session.query('select * from spans where trace_id = $1', [id])).count,
    ),
  );
  print(
    '  against spans where trace_id = …',
    both(views),
    `x ${(quantile(views, 0.5) / quantile(warm, 0.5)).toFixed(1)}`,
  );
  return p99;
}

const fullScan = 'select * from span where trace_hi = trace_hi_of($1) and trace_lo = trace_lo_of($1)';

/** The rival: an index (ART) on half of the id, in a copy of the case. */
async function measureIndex(folder: string, ids: readonly string[]): Promise<void> {
  const copy = `${folder}-indexed`;
  await openCaseFolder(copy, { create: true }).then(({ engine }) => engine.close());
  const file = join(copy, 'case.duckdb');
  await copyFile(join(folder, 'case.duckdb'), file);
  const before = (await stat(file)).size;
  const built = await withCase(copy, (session) =>
    timed(() => session.execute('create index trace_index on span (trace_lo); checkpoint')).catch(
      (error: Error) => error.message,
    ),
  );
  if (typeof built === 'string') print('  against an index on trace_lo', 'fails', built);
  else {
    const grown = (((await stat(file)).size - before) / before) * 100;
    const times = await withCase(copy, (session) =>
      eachTimed(ids, async (id) => (await session.query(fullScan, [id])).count),
    );
    print(
      '  against an index on trace_lo',
      both(times),
      `built in ${seconds(built.ms)}, + ${grown.toFixed(1)} % of the file`,
    );
  }
  await rm(copy, { recursive: true });
}

async function measureQueries(folder: string): Promise<Figures> {
  const { api, close } = coreOn(folder);
  await api['case.open']({ recent: 'it' });
  const window = { start_ns: START_NS + HOUR_NS / 2n, end_ns: START_NS + HOUR_NS / 2n + 300_000_000_000n };
  const list = () => api['rows.list']({ ...window, table: 'span', entities: ['service:service-7'], limit: 5000 });
  await list();
  const listed = await timed(list);
  print('service in 5 minutes, the first 5,000', ms(listed.ms), `${listed.value.rows.length} rows`);
  const traces = await measureTraceQueries(api);
  await close();
  return withCase(folder, async (session) => {
    const timeQuery = async (what: string, sql: string, against: (count: number) => string) => {
      const { value, ms: took } = await timed(() => session.query(sql));
      print(what, ms(took), against(value.count));
      return took;
    };
    const bounds = `between ${window.start_ns} and ${window.end_ns}`;
    const service = await timeQuery(
      'service in 5 minutes, all with attributes',
      inWindow(bounds),
      (n) => `${thousands(n)} rows`,
    );
    await timeQuery(
      '  against the view spans',
      `select * from spans where service = 'service-7' and start_ns ${bounds}`,
      (n) => `${thousands(n)} rows`,
    );
    const p99 = await timeQuery('p99 per service per 10 s over the hour', perService, (n) => `${thousands(n)} figures`);
    const errors = await timeQuery('top attributes of failed spans', errorAttributes, (n) => `${n} rows`);
    return { service, p99, errors, ...traces };
  });
}

/** Searches over all of the case, and the flame graph of it: first with the walk over all traces, then as it is asked again. */
async function measureTraceQueries(api: Api): Promise<Figures> {
  const figures: Record<string, number> = {};
  for (const [name, query] of searches) {
    await api['traces.search']({ query });
    const found = await timed(() => api['traces.search']({ query }));
    print(
      `traces ${query}`,
      ms(found.ms),
      `${thousands(found.value.span_count)} spans in ${thousands(found.value.trace_count)} traces`,
    );
    figures[name] = found.ms;
  }
  const hour = { start_ns: START_NS, end_ns: START_NS + HOUR_NS };
  const estimate = await timed(() => api['traces.flameEstimate'](hour));
  const narrow = await timed(() => api['traces.flameEstimate']({ ...hour, end_ns: START_NS + HOUR_NS / 60n }));
  const sampled = ({ value }: typeof estimate): string =>
    `of ${((value?.share ?? 0) * 100).toFixed(1)} % of the traces`;
  print('flame graph, estimated at once', ms(estimate.ms), `${sampled(estimate)}; ${within(estimate.ms, 1000, 'ms')}`);
  print('  of one minute', ms(narrow.ms), sampled(narrow));
  const made = await timed(async () => {
    for await (const _ of api['traces.prepare']({}));
  });
  print('call paths, once', seconds(made.ms), '');
  const flame = () => api['traces.flame'](hour);
  const first = await timed(flame);
  const again = await timed(flame);
  print(
    'flame graph of the hour',
    ms(first.ms),
    `${within(first.ms, 1000, 'ms')}; again ${ms(again.ms)}; ${first.value.name.length} boxes`,
  );
  return { ...figures, estimate: estimate.ms, paths: made.ms, flame: first.ms };
}

const searches = [
  ['errors', '{ status = error }'],
  ['named', '{ name =~ "operation-1.*" && duration > 50ms }'],
  ['attribute', '{ .http.response.status_code >= 500 }'],
  ['below', '{ kind = server } >> { status = error }'],
  ['everything', '{ }'],
] as const;

const inWindow = (bounds: string): string => `
  select s.* from span s join source src using (source_id)
  where s.start_ns ${bounds} and s.service in (select entity_id from entity where kind = 'service' and id = 'service-7')`;

const perService = `
  select service, start_ns // 10000000000 as bucket, count(*), quantile_cont(end_ns - start_ns, 0.99) / 1e6 as p99
  from span group by all`;

const errorAttributes = `
  select key, json_extract_string(attributes, '$."' || key || '"') as value, count(*) as spans
  from (select attributes, unnest(json_keys(attributes)) as key from span where status = 2)
  where key in ('error.type', 'exception.type', 'http.response.status_code', 'http.route', 'server.address')
  group by all order by spans desc limit 20`;

/** How a figure grows with the case: 0 not at all, 1 in proportion. */
function printSlopes(history: readonly Figures[]): void {
  const [first, last] = [history[0], history.at(-1)];
  if (!first || !last || first === last) return;
  const grown = last.size! / first.size!;
  const slopes = Object.keys(first)
    .filter((name) => name !== 'size')
    .map((name) => {
      const times = last[name]! / first[name]!;
      return `${name} x ${times.toFixed(1)} (exponent ${(Math.log(times) / Math.log(grown)).toFixed(2)})`;
    });
  console.log(`\nfrom ${thousands(first.size!)} to ${thousands(last.size!)} spans, x ${grown}: ${slopes.join(', ')}`);
}

/** The directory where it is worst: a trace a span, a file in no order of time, many files. */
async function benchLayouts(parent: string, size: number): Promise<void> {
  const layouts = [
    { what: 'one span a trace', files: 1, spansPerTrace: 1, shuffled: false },
    { what: 'in no order of time', files: 1, spansPerTrace: 10, shuffled: true },
    { what: '200 files', files: 200, spansPerTrace: 10, shuffled: false },
  ];
  for (const { what, files, ...layout } of layouts) {
    const folder = join(parent, 'layout.faultline');
    await makeSpanCase(folder);
    const spans = Array.from({ length: files }, () => Math.floor(size / files));
    let directory_ms = 0;
    for (const [file, count] of spans.entries())
      directory_ms += (await addSpans(folder, file, count, layout)).directory_ms;
    console.log(`\n${thousands(size)} spans, ${what}`);
    print('directory', ms(directory_ms), '');
    await measureSize(folder, size);
    const ids = await withCase(
      folder,
      async (session) => (await session.query(traceIds(spans, layout.spansPerTrace, LOOKUPS))).columns[0] as string[],
    );
    await withCase(folder, async (session) => {
      const times: number[] = [];
      for (const id of ids) times.push((await timed(() => session.query('select * from trace($1)', [id]))).ms);
      print('one trace', both(times), within(quantile(times, 0.99), 100, 'ms'));
    });
    await rm(folder, { recursive: true });
  }
}
