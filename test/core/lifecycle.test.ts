import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { untreatedOf } from '../../src/core/analysis/lifecycle/event-lives.ts';
import { reportOf } from '../../src/core/analysis/lifecycle/span-report.ts';
import { stageOfSpan } from '../../src/core/analysis/lifecycle/stages.ts';
import type { LifeView } from '../../src/model/contract/index.ts';
import { cannedSearches } from '../../src/renderer/state/canned-searches.ts';
import { memoryCore, temporaryFolder } from '../support/core.ts';
import { REPAIRS_START_MS, type RepairPlan, repairTraces } from '../support/repair-traces.ts';
import { sharedData } from '../support/shared-data.ts';

async function livesOf(files: Readonly<Record<string, string>>): Promise<LifeView[]> {
  const folder = await temporaryFolder();
  const core = await memoryCore();
  const paths = await Promise.all(
    Object.entries(files).map(async ([name, text]) => {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    }),
  );
  await core.import(paths);
  const info = await core.api['case.current']({});
  const window = { start_ns: info?.first_ns ?? 0n, end_ns: info?.last_ns ?? 0n };
  return (await core.api['lifecycle.list'](window)).lives;
}

const second = (at: bigint): number => Number(at - BigInt(REPAIRS_START_MS) * 1_000_000n) / 1e9;
const reported = ({ node, outcome, why, steps }: LifeView): string =>
  `${node} ${steps.map(({ stage }) => stage).join(' > ')}: ${outcome} (${why})`;

const plan = (id: string, ends: RepairPlan['ends'], more: Partial<RepairPlan> = {}): RepairPlan => ({
  node: `gpu-node-${id}`,
  id,
  at: Number.parseInt(id, 16) * 100,
  naming: 'operation',
  ends,
  ...more,
});

describe('lifecycles from traces', () => {
  test.each(['operation', 'collection'] as const)('the same in either convention of names: by %s', async (naming) => {
    const plans = [
      plan('1', 'repaired', { naming }),
      plan('2', 'drain failed', { naming }),
      plan('3', 'skipped', { naming }),
      plan('4', 'reboot failed', { naming }),
      plan('5', 'nothing after quarantine', { naming }),
    ];
    const lives = await livesOf({ 'traces.jsonl': repairTraces(plans) });
    expect(lives.map(reported)).toEqual([
      'gpu-node-1 detection > quarantine > drain > remediation > remediation: remediated (janitor.rebootnode.status succeeded)',
      'gpu-node-2 detection > quarantine > drain: failed (pod training-7 did not end within its grace period)',
      'gpu-node-3 detection > quarantine > drain > remediation: skipped (a reboot of this node is under way)',
      'gpu-node-4 detection > quarantine > drain > remediation > remediation: failed (the cloud did not report the node ready in time)',
      'gpu-node-5 detection > quarantine: stopped (no drain recorded after quarantine)',
    ]);
    expect(lives.every(({ trouble }) => trouble === 'GpuXidError')).toBe(true);
  });

  test('waits lie between the work of one program and the next, and are named by both', async () => {
    const [life] = await livesOf({ 'traces.jsonl': repairTraces([plan('1', 'repaired')]) });
    const origin = second(life?.start_ns ?? 0n);
    expect(
      life?.waits.map(({ after, before, start_ns, end_ns }) => [
        `${after} > ${before}`,
        Number((second(start_ns) - origin).toFixed(3)),
        Number((second(end_ns) - origin).toFixed(3)),
      ]),
    ).toEqual([
      ['detection > quarantine', 0.2, 1],
      ['quarantine > drain', 3, 5],
      ['drain > remediation', 65, 95],
      ['remediation > remediation', 99, 101],
    ]);
  });
});

describe('questions about what repairs call', () => {
  /** Services of the traces that a canned search finds, with how many of their spans it means. */
  async function found(id: string, naming: RepairPlan['naming']): Promise<(string | number)[][]> {
    const folder = await temporaryFolder();
    const core = await memoryCore();
    const plans = [
      plan('1', 'repaired', { naming, writeMs: 240 }),
      plan('2', 'drain failed', { naming, writeMs: 12 }),
      plan('3', 'repaired', { naming, writeMs: 12 }),
    ];
    await writeFile(join(folder, 'traces.jsonl'), repairTraces(plans));
    await core.import([join(folder, 'traces.jsonl')]);
    const query = cannedSearches.find((search) => search.id === id)?.query ?? '';
    const { traces } = await core.api['traces.search']({
      query,
      order: 'earliest',
      limit: 10,
      start_ns: null,
      end_ns: null,
    });
    return traces.map(({ trace_id, matched }) => [trace_id.replace(/^a+/, ''), matched]);
  }

  test.each([
    ['database', [['1', 2]]],
    [
      'api',
      [
        ['1', 1],
        ['2', 1],
        ['3', 1],
      ],
    ],
    ['errors', [['2', 1]]],
    [
      'remediation',
      [
        ['1', 4],
        ['2', 2],
        ['3', 4],
      ],
    ],
    ['not-remediated', [['2', 1]]],
  ])('%s finds the same in either convention of names', async (id, expected) => {
    const [operation, collection] = [await found(id, 'operation'), await found(id, 'collection')];
    expect(operation).toEqual(expected);
    expect(collection).toEqual(operation);
  });
});

const event = (at: number, type: string, node: string, message = '') => ({
  id: `${node}-${type}-${at}`,
  timestamp: new Date(REPAIRS_START_MS + at * 1000).toISOString(),
  source: 'nvml',
  type,
  severity: 'high',
  device_id: node,
  raw_message: message,
});

describe('lifecycles from events', () => {
  test('from an Xid to a node in service, and one without repair', async () => {
    const events = [
      event(0, 'xid_error', 'node-a'),
      event(5, 'node_quarantined', 'node-a'),
      event(60, 'node_drained', 'node-a'),
      event(400, 'node_remediated', 'node-a'),
      event(700, 'node_unquarantined', 'node-a'),
      event(10, 'xid_error', 'node-b'),
      event(20, 'node_quarantined', 'node-b'),
      event(30, 'xid_error', 'node-c'),
    ];
    const lives = await livesOf({ 'events.json': JSON.stringify({ events }) });
    expect(lives.map(reported)).toEqual([
      'node-a detection > quarantine > drain > remediation > recovery: recovered (node unquarantined)',
      'node-b detection > quarantine: stopped (no drain recorded after quarantine)',
    ]);
  });

  test('events of a node join the trace of the same time', async () => {
    const events = [
      event(100 - 2, 'xid_error', 'gpu-node-1', 'Xid 79'),
      event(100 + 500, 'node_unquarantined', 'gpu-node-1'),
    ];
    const lives = await livesOf({
      'traces.jsonl': repairTraces([plan('1', 'repaired')]),
      'events.json': JSON.stringify({ events }),
    });
    expect(lives.map(reported)).toEqual([
      'gpu-node-1 detection > detection > quarantine > drain > remediation > remediation > recovery: recovered (node unquarantined)',
    ]);
    expect(second(lives[0]?.start_ns ?? 0n)).toBe(98);
  });
});

test('a case without repairs has none', async () => {
  expect(await livesOf({ 'events.json': JSON.stringify({ events: [event(0, 'voltage_sag', 'PDU-B')] }) })).toEqual([]);
});

test('a detection without action is reported, one with an action or a recovery is not', () => {
  const hour = 3_600_000_000_000n;
  const events = [
    ['n1', 'xid_error', 0n],
    ['n1', 'node_condition', 1n],
    ['n2', 'node_not_ready', 0n],
    ['n2', 'node_ready', 1n],
    ['n3', 'health_check_failed', 0n],
    ['n3', 'node_quarantined', 1n],
    ['n4', 'health_check_failed', 0n],
    ['n4', 'health_check_passed', 1n],
    ['n4', 'health_check_failed', 9n],
    ['n5', 'node_ready', 0n],
  ].map(([node, type, at], i) => ({
    ref: `event:${i}`,
    node: String(node),
    type: String(type),
    time_ns: (at as bigint) * hour,
    message: 'as recorded',
  }));
  const reported = untreatedOf(events).map(({ ref, node, trouble, count }) => [ref, node, trouble, count]);
  expect(reported).toEqual([
    ['event:0', 'n1', 'xid error', 2],
    ['event:8', 'n4', 'health check failed', 1],
  ]);
});

describe('outcomes that only attributes state', () => {
  const recorded = async (...names: readonly string[]): Promise<readonly string[]> => {
    const files = await Promise.all(
      names.map(async (name) => [name, await readFile(sharedData(`defects/lifecycle/${name}`), 'utf8')] as const),
    );
    return (await livesOf(Object.fromEntries(files))).map(reported);
  };

  test('a flag and a type of error are failures, also without a status', async () => {
    expect(await recorded('s4.json')).toEqual([
      'gpu-9 detection > quarantine > drain > remediation > remediation: timed_out (reboot_timeout)',
      'gpu-8 detection > remediation: failed (job backoff limit exceeded)',
    ]);
    expect((await recorded('spans.json')).map((line) => line.replace(/ \(.*/, ''))).toEqual([
      'gpu-1 detection > quarantine > drain > remediation > remediation > recovery: recovered',
      'gpu-2 detection > quarantine > drain > remediation > remediation > recovery: recovered',
      'gpu-3 detection > quarantine > drain > remediation: skipped',
      'gpu-4 detection > quarantine > drain: stopped',
      'gpu-5 detection > quarantine > drain > remediation > remediation: timed_out',
      'gpu-6 detection > quarantine > drain > remediation > remediation: failed',
    ]);
  });

  test('steps of one time are in the order of the stages; a drain in progress is one', async () => {
    expect(await recorded('mongo.json')).toEqual([
      ...[1, 2].map(
        (at) =>
          `gpu-${at} detection > quarantine > drain > remediation: remediated (a repair action ran; no return to service recorded)`,
      ),
      'gpu-3 detection > quarantine > drain: stopped (no remediation recorded after drain)',
      'gpu-4 detection > quarantine > drain: in_progress (drain: InProgress)',
      'gpu-5 detection > quarantine > drain: stopped (no remediation recorded after drain)',
      'gpu-6 detection > quarantine > drain: stopped (no remediation recorded after drain)',
    ]);
  });
});

test('names that every object answers to are no outcome and no stage', () => {
  const span = {
    trace_id: 'a',
    span_id: '1',
    parent_id: '',
    service: 'janitor',
    name: 'janitor.constructor',
    start_ns: 0n,
    end_ns: 1n,
    failed: false,
    status_message: '',
    attributes: { 'janitor.constructor': true, 'janitor.status': 'constructor' },
  };
  expect(reportOf([span])).toBeNull();
  expect(stageOfSpan('constructor', 'constructor.run')).toBeNull();
});
