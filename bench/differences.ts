import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApi } from '../src/core/api/index.ts';
import { openCaseFolder } from '../src/main/engine/case-folders.ts';
import { createFileHandles } from '../src/main/hosts/file-handles.ts';
import type { Session } from '../src/model/storage/engine.ts';
import { print, thousands, timed, within } from './figures.ts';
import { options } from './options.ts';
import { addSpans, HOUR_NS, makeSpanCase, START_NS } from './span-case.ts';

/** Longer waits discourage further queries. */
const BUDGET_MS = 2000;

/** What differs in a part of an hour of spans of ten attributes, at a tenth of the size and at the whole. */
export async function benchDifferences(): Promise<void> {
  const sizes = [500_000, Number(options.spans ?? 5_000_000)];
  const times: number[] = [];
  for (const size of sizes) {
    const parent = await mkdtemp(join(options.folder ?? tmpdir(), 'faultline-differs-'));
    try {
      const folder = join(parent, 'spans.faultline');
      await makeSpanCase(folder);
      await addSpans(folder, 0, size, { spansPerTrace: 10 });
      console.log(`\n${thousands(size)} spans of one hour`);
      times.push(await measure(folder));
    } finally {
      await rm(parent, { recursive: true, force: true });
    }
  }
  const grown = times.at(-1)! / times[0]!;
  print('from the first size to the last', `x ${grown.toFixed(2)}`, '');
}

/** Five minutes against everything else and against the five before, slow spans against the others of their time. */
async function measure(folder: string): Promise<number> {
  const open = () => openCaseFolder(folder, { create: false });
  const { api, close } = createApi({
    host: { kind: 'cli', pickFiles: async () => [], saveFile: async () => null },
    version: 'bench',
    storage: { open, create: open, recent: async () => [], openRecent: open },
    reader: { formats: [] } as never,
    files: createFileHandles(),
    demoFiles: async () => [],
    now: () => 0n,
  });
  await api['case.open']({ recent: 'it' });
  const start_ns = START_NS + HOUR_NS / 2n;
  const region = { start_ns, end_ns: start_ns + 300_000_000_000n };
  const find = (kind: 'rest' | 'before', more = {}) =>
    timed(() => api['differences.find']({ region: { ...region, ...more }, baseline: { kind } }));
  const [rest, before] = [await find('rest'), await find('before')];
  const [spans] = rest.value.compared;
  const regionText = spans
    ? `${thousands(spans.tested)} tested; 1 of ${1 / spans.region_share} traces of the region, 1 of ${1 / spans.baseline_share} of the rest`
    : 'nothing compared';
  const slow = await find('rest', { duration_ms: { from: 100, below: null } });
  const differenceCount = rest.value.differences.length + before.value.differences.length;
  print(
    'what differs in 5 minutes from the rest',
    `${Math.round(rest.ms)} ms`,
    `${within(rest.ms, BUDGET_MS, 'ms')}; ${regionText}`,
  );
  print(
    '  from the 5 minutes before',
    `${Math.round(before.ms)} ms`,
    `${differenceCount} differences reported although nothing differs`,
  );
  print('  slow spans of the time from the rest', `${Math.round(slow.ms)} ms`, '');
  await close();
  const exact = await withSession(folder, (session) => timed(() => session.query(everyValue)));
  print(
    '  against every value of every span, counted',
    `${Math.round(exact.ms)} ms`,
    'without their traces, without numbers',
  );
  return rest.ms;
}

async function withSession<T>(folder: string, work: (session: Session) => Promise<T>): Promise<T> {
  const { engine } = await openCaseFolder(folder, { create: false });
  const session = await engine.session();
  try {
    return await work(session);
  } finally {
    session.close();
    await engine.close();
  }
}

const everyValue = `
  select e.key, e.value, count(*) from (
    select unnest(map_entries(json_transform(attributes, '"MAP(VARCHAR, VARCHAR)"'))) as e from span
  ) group by all having count(*) > 1000`;
