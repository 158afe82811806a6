import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLogText } from '../../src/main/sources/log-events/read-log-text.ts';
import { nodesOf } from '../../src/main/sources/log-events/slurm.ts';
import { memoryCore, temporaryFolder } from '../support/core.ts';

test.each([
  ['gpu-7', ['gpu-7']],
  ['gpu-[08-11]', ['gpu-08', 'gpu-09', 'gpu-10', 'gpu-11']],
  ['a[1,3-4]-ib,login', ['a1-ib', 'a3-ib', 'a4-ib', 'login']],
  ['r[1-2', []],
  ['r[1-a]', []],
  ['a]b', []],
  ['x[99999999999999999999]', []],
  ['x[-3]', []],
  ['n[9-1]', []],
])('the hostlist %s names %j', (hostlist, names) => {
  expect(nodesOf(hostlist)).toEqual(names);
});

test('a hostlist of millions is cut', () => {
  expect(nodesOf('x[0-999999999]').length).toBe(1024);
  expect(nodesOf(`${'x[1-9],'.repeat(5000)}y`).length).toBe(1024);
});

test.each([
  ['error: Nodes dgx-[01-02] not responding, setting DOWN', 'node_not_ready'],
  ['Node dgx-01 now responding', 'node_ready'],
  ['node dgx-01 returned to service', 'node_ready'],
  ['update_node: node dgx-03 state set to DRAINING', 'node_draining'],
  ['update_node: node dgx-03 state set to IDLE', 'node_ready'],
  ['update_node: node dgx-03 reason set to: fans', undefined],
  ['error: Nodes dgx-01 not responding', undefined],
  ['_slurm_rpc_kill_job: REQUEST_KILL_JOB JobId=118 uid 1004', 'job_cancelled'],
  ['Time limit exhausted for JobId=118', 'job_cancelled'],
  ['preempted JobId=118 has been requeued to reclaim resources for JobId=140', 'job_cancelled'],
  ['slurmstepd: error: *** JOB 118 ON dgx-01 CANCELLED AT 2026-05-14T03:00:00 DUE TO TIME LIMIT ***', 'job_cancelled'],
  ['slurmstepd: error: *** STEP 118.0 ON dgx-01 CANCELLED AT 2026-05-14T03:00:00 ***', 'job_cancelled'],
  ['slurmstepd: error: *** JOB 118 ON dgx-01 CANCELLED AT 2026-05-14T03:00:00 DUE TO NODE FAILURE ***', 'job_failed'],
  ['_job_complete: JobId=118 WEXITSTATUS 1', 'job_failed'],
  ['_job_complete: JobId=118 WTERMSIG 9', 'job_failed'],
  ['srun: error: dgx-01: task 13: Exited with exit code 1', 'job_failed'],
  ['srun: error: dgx-01: tasks 8-15: Terminated', undefined],
  ['_job_complete: JobId=118 WEXITSTATUS 0', undefined],
  [`REQUEST_KILL_JOB JobId=${'7'.repeat(5000)} uid 1`, undefined],
])('%s', (line, type) => {
  expect(readLogText(line, 'unknown')?.type).toBe(type);
});

test('each node that the controller of Slurm gives up has its event, in its own log and in syslog', async () => {
  const core = await memoryCore();
  const folder = await temporaryFolder();
  const own = [
    '[2026-05-14T02:57:35.366] sched: Allocate JobId=118 NodeList=dgx-[01-02] #CPUs=128 Partition=gpu',
    '[2026-05-14T02:58:01.120] error: Nodes dgx-[01-02] not responding, setting DOWN',
    '[2026-05-14T02:58:01.131] Killing JobId=118 on failed node dgx-01',
    '[2026-05-14T03:09:11.008] node dgx-01 returned to service',
    '',
  ];
  await writeFile(join(folder, 'slurmctld.log'), own.join('\n'));
  const syslog = 'May 14 02:58:01 head slurmctld[1533]: error: Nodes dgx-07 not responding, setting DOWN\n';
  await writeFile(join(folder, 'messages.log'), `${syslog}May 14 02:58:02 head sshd[9]: Connection closed\n`);
  await core.import([join(folder, 'slurmctld.log'), join(folder, 'messages.log')]);
  const { rows } = await core.api['query.sql']({
    sql: 'select entity_kind, device_id, type from events order by device_id, time_ns',
  });
  expect(rows).toEqual([
    ['node', 'dgx-01', 'node_not_ready'],
    ['node', 'dgx-01', 'node_ready'],
    ['node', 'dgx-02', 'node_not_ready'],
    ['node', 'dgx-07', 'node_not_ready'],
  ]);
});

test('lists of a thousand nodes, line by line, do not fill the case', async () => {
  const core = await memoryCore();
  const path = join(await temporaryFolder(), 'slurmctld.log');
  const line = '[2026-05-14T02:58:01.120] error: Nodes x[0-99999] not responding, setting DOWN\n';
  await writeFile(path, line.repeat(1000));
  await core.import([path]);
  const { rows } = await core.api['query.sql']({ sql: 'select count(*) from events' });
  expect(Number(rows[0]?.[0])).toBeLessThanOrEqual(200_000);
  const logs = await core.api['query.sql']({ sql: 'select count(*) from logs' });
  expect(Number(logs.rows[0]?.[0])).toBe(1000);
});

/** Steps of a job every 4 s, which end with the 50th, and what its scheduler writes. */
async function incidentWith(...lines: readonly string[]) {
  const core = await memoryCore();
  const folder = await temporaryFolder();
  const at = (second: number): string => new Date(Date.UTC(2026, 4, 14, 3) + 1000 * second).toISOString();
  const steps = Array.from({ length: 50 }, (_, i) => ({
    ...{
      timestamp: at(4 * i),
      level: 'info',
      'service.name': 'finetune',
      'host.name': 'dgx-01',
      job_id: '118',
      rank: 0,
    },
    ...{ message: `step ${i} loss 2.1 time 4.0s`, step: i },
  }));
  const others = Array.from({ length: 200 }, (_, i) => ({
    ...{ timestamp: at(4 * i), level: 'info', 'service.name': 'registry', message: `served ${i}` },
  }));
  const text = [...steps, ...others].map((row) => JSON.stringify(row)).join('\n');
  await writeFile(join(folder, 'log.jsonl'), `${text}\n`);
  await writeFile(join(folder, 'slurmctld.log'), `${lines.join('\n')}\n`);
  await core.import([join(folder, 'log.jsonl'), join(folder, 'slurmctld.log')]);
  return (await core.api.correlate({})).incidents.find(({ affected_services }) =>
    affected_services.includes('finetune'),
  );
}

const kill = (at: string, id: string): string =>
  `[2026-05-14T03:${at}] _slurm_rpc_kill_job: REQUEST_KILL_JOB JobId=${id} uid 1004`;

test('a job that somebody cancels ended by that, by its number or its name', async () => {
  const cancelled = await incidentWith(kill('03:17.387', '118'), kill('09:00.000', '131'));
  expect(cancelled?.hypotheses[0]).toMatchObject({ type: 'no_physical_cause' });
  expect(cancelled?.hypotheses[0]?.evidence.map(({ kind }) => kind)).toContain('cancelled');
});

test('another job that is cancelled, and one that is cancelled long after it stopped, explain nothing', async () => {
  for (const line of [kill('03:17.387', '131'), kill('12:00.000', '118')])
    expect(JSON.stringify(await incidentWith(line))).not.toContain('"cancelled"');
});

test.each(['REQUEST_KILL_JOB JobId=', '*** JOB 1', 'preempted JobId=x ', '*** STEP 9 ON a CANCELLED '])(
  'a line of nothing but %j states nothing, in the time of a test',
  (part) => {
    expect(readLogText(part.repeat(200_000 / part.length), 'unknown')).toBeUndefined();
  },
);
