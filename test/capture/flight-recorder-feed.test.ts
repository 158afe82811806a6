import { appendFile, copyFile, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { flightRecorderFeed } from '../../src/main/capture/flight-recorder/index.ts';
import type { FeedCheck } from '../../src/model/storage/feed.ts';
import { captureWhile, isState as isFeed, reaches, sqlRows } from '../support/capture-run.ts';
import { type TestCore, temporaryFolder } from '../support/core.ts';
import { type FeedRun, runFeed } from '../support/feed-run.ts';
import { sharedData } from '../support/shared-data.ts';

const RANKS = [0, 1, 2, 3, 4, 5, 6, 7];
const recorded = (rank: number): string => sharedData(`nccl-fr/synthetic/hang_rank5_timing/nccl_trace_rank_${rank}`);
const planOf = (folder: string, more: object = {}) =>
  flightRecorderFeed.plan.parse({ kind: 'flight-recorder', folder, every_s: 0.1, job: 'llm', ...more });
const watch = (folder: string, whileRunning: (run: FeedRun) => Promise<void>, more: object = {}) =>
  runFeed(flightRecorderFeed.open(planOf(folder, more)), whileRunning);
const isState = (reason: RegExp) => (run: FeedRun) => run.states.some((one) => reason.test(one.reason));

async function dumps(ranks: readonly number[] = []) {
  const folder = await temporaryFolder();
  const at = (rank: number | string): string => join(folder, `nccl_trace_rank_${rank}`);
  const write = (rank: number): Promise<void> => copyFile(recorded(rank), at(rank));
  for (const rank of ranks) await write(rank);
  return { folder, at, write };
}

/** A dump as JSON: operations from `first` on, of which the last may be pending. */
function dumpOf(ranks: number, { first = 0, operations = 5, isPending = false, from_s = 1_767_225_600 } = {}): string {
  const entries = Array.from({ length: operations }, (_, i) => {
    const isOpen = isPending && i === operations - 1;
    const created = BigInt(from_s + first + i) * 1_000_000_000n;
    return `{"record_id":${first + i},"pg_id":0,"process_group":["0","default_pg"],"collective_seq_id":${first + i + 1},"p2p_seq_id":0,"profiling_name":"nccl:all_reduce","state":"${isOpen ? 'scheduled' : 'completed'}","time_created_ns":${created},"time_discovered_started_ns":null,"time_discovered_completed_ns":${isOpen ? 'null' : created + 1_000_000n},"input_sizes":[[8]],"output_sizes":[[8]],"is_p2p":false}`;
  });
  const list = Array.from({ length: ranks }, (_, i) => i).join(', ');
  return `{"version":"2.5","pg_config":{"0":{"name":"0","desc":"default_pg","ranks":"[${list}]"}},"pg_status":{},"entries":[${entries.join()}]}`;
}

describe('dumps in a folder', () => {
  test('are read once when they are complete, together, and the ranks without one are named', async () => {
    const { folder, at, write } = await dumps([0, 1]);
    const bytes = await readFile(recorded(2));
    const run = await watch(folder, async (one) => {
      // A dump that is written in pieces is no dump before its end.
      await writeFile(at(2), bytes.subarray(0, 2000));
      for (const rank of [3, 4, 6, 7]) await write(rank);
      await appendFile(at(2), bytes.subarray(2000));
      await one.until(isState(/^dumps of 7 of 8 ranks, none of rank 5$/));
      const before = one.reading.rows.collective.length;
      await copyFile(recorded(5), join(folder, 'hidden'));
      await rename(join(folder, 'hidden'), at(5));
      await one.until(isState(/^dumps of 8 of 8 ranks$/));
      expect(one.reading.rows.collective.length).toBeGreaterThan(before);
    });
    const ranks = new Set(run.reading.rows.collective.map(({ rank }) => String(rank)));
    expect([...ranks].sort()).toEqual(RANKS.map((rank) => `rank:llm/rank-${rank}`));
    expect(run.reading.rows.reject).toEqual([]);
  });

  test('what cannot be read is counted with its reason, and no link leads out of the folder', async () => {
    const { folder, at } = await dumps([0]);
    await writeFile(at('x'), 'no dump at all');
    await writeFile(at('large'), Buffer.alloc(2 * 1024 * 1024));
    await symlink(recorded(3), at(3));
    const run = await watch(folder, (one) => one.until(isState(/^dumps of 1 /)), { most_mb: 1 });
    expect(run.states.at(-1)?.reason).toBe(
      'dumps of 1 of 8 ranks, none of rank 1, 2, 3, 4, 5, 6, 7; left out: 1 larger than 1 MiB, 1 links that lead out of the folder, 1 no dump',
    );
    expect(run.reading.rows.reject).toHaveLength(2);
    const gone = await watch(join(folder, 'nowhere'), (one) => one.until(({ states }) => states.length > 0));
    expect(gone.states).toEqual([{ state: 'down', reason: `${join(folder, 'nowhere')} does not exist` }]);
  });

  test('of a job that started again are those of another run', async () => {
    const { folder, at } = await dumps();
    for (const rank of [0, 1]) await writeFile(at(rank), dumpOf(2, { isPending: rank === 0 }));
    const run = await watch(folder, async (one) => {
      await one.until(isState(/^dumps of 2 of 2 ranks$/));
      for (const rank of [0, 1]) await writeFile(at(rank), dumpOf(2, { from_s: 1_767_229_200 }));
      await one.until(({ reading }) => reading.rows.collective.length === 20);
    });
    const ranks = new Set(run.reading.rows.collective.map(({ rank }) => String(rank)));
    expect([...ranks].sort()).toEqual([
      'rank:llm (run 2)/rank-0',
      'rank:llm (run 2)/rank-1',
      'rank:llm/rank-0',
      'rank:llm/rank-1',
    ]);
  });

  test('can be tried before a capture', async () => {
    const tried = async (folder: string) => {
      const checks: FeedCheck[] = [];
      for await (const check of flightRecorderFeed.test(planOf(folder), AbortSignal.timeout(5000))) checks.push(check);
      return checks.map(({ step, passed, detail }) => `${step} ${passed} ${detail.replace(folder, 'F')}`);
    };
    const { folder, at } = await dumps([0, 1]);
    const view = 'files are called *trace_rank_*';
    expect(await tried(folder)).toEqual([
      `view true F can be read, 2 ${view}`,
      'values true 2 of the first 2 files are dumps',
    ]);
    expect(await tried(await temporaryFolder())).toEqual([
      `view true F can be read, 0 ${view}`,
      'values true there is no dump yet: ranks write one when a collective hangs',
    ]);
    await writeFile(at(0), 'x');
    await writeFile(at(1), 'x');
    expect((await tried(folder)).at(-1)).toBe('values false none of the first 2 files is a dump');
    expect(await tried(join(folder, 'nowhere'))).toEqual(['view false F does not exist']);
  });
});

const stalled = "select count(*) from events where type = 'collective_stalled'";
const incidentsOf = (core: TestCore) => core.api['incidents.list']({});
const plans = (folder: string, more = '') =>
  `feeds: [{kind: flight-recorder, job: llm, every_s: 0.1, folder: ${JSON.stringify(folder)}}${more}]`;

test('a stall is an incident while it lasts, with the rank that the others wait for', async () => {
  const { folder, write } = await dumps();
  const log = join(folder, 'train.log');
  await writeFile(log, '');
  await captureWhile(
    plans(folder, `, {kind: log-tail, zone: UTC, every_s: 0.1, folder: ${JSON.stringify(folder)}}`),
    async (until, core) => {
      await until(isFeed('up'));
      await appendFile(log, '2026-01-01 00:00:01,000 - trainer - INFO - [Rank 0] step 118 loss 2.31\n');
      for (const rank of RANKS) await write(rank);
      await reaches(core, stalled, 1);
      await appendFile(
        log,
        '2026-01-01 00:10:31,000 - trainer - ERROR - [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=119, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600042 milliseconds before timing out.\n',
      );
      await reaches(core, "select count(*) from events where type = 'collective_timeout'", 1);
      const incidents = await incidentsOf(core);
      expect(incidents).toHaveLength(1);
      expect(incidents[0]?.incident).toMatchObject({ affected_services: ['llm'], harm: 'stalled' });
      expect(incidents[0]?.incident.hypotheses[0]).toMatchObject({ subject: { kind: 'rank', id: 'llm/rank-5' } });
      const { findings } = await core.api['patterns.list']({});
      expect(findings.map(({ pattern, headline }) => `${pattern}: ${headline}`)).toContainEqual(
        expect.stringMatching(/^collective-hang: The job hangs: rank 5 did not enter .*; 7 ranks wait/),
      );
    },
  );
});

test('operations that are complete in a later dump replace those that were pending, and the stall is over', async () => {
  const { folder, at } = await dumps();
  const { core } = await captureWhile(plans(folder), async (until, core) => {
    await until(isFeed('up'));
    await writeFile(at(0), dumpOf(2, { isPending: true }));
    await writeFile(at(1), dumpOf(2, { operations: 4 }));
    await reaches(core, stalled, 1);
    expect((await incidentsOf(core)).map(({ incident }) => incident.harm)).toEqual(['stalled']);
    for (const rank of [0, 1]) await writeFile(at(rank), dumpOf(2, { operations: 8 }));
    await reaches(core, 'select count(*) from collectives', 16);
  });
  expect(await sqlRows(core, stalled)).toEqual([[0]]);
  expect(await sqlRows(core, "select count(*)::integer from collectives where state <> 'completed'")).toEqual([[0]]);
  const info = await core.api['case.current']({});
  expect(info?.sources[0]?.rows).toMatchObject({ collective: 16 });
});
