import { describe, expect, test } from 'vitest';
import { findPatterns } from '../../src/core/analysis/patterns/find-patterns.ts';
import { createReader } from '../../src/core/store/facts/reader.ts';
import { appendEdge, appendSample } from '../../src/model/rows/records.ts';
import { memoryCore } from '../support/core.ts';
import { sharedData } from '../support/shared-data.ts';
import { atSecond, recordedCase } from '../support/software-case.ts';

describe('by counts of CUDA operations and context switches', () => {
  const found = async (file: string) => {
    const core = await memoryCore();
    await core.import([sharedData(`traces-other/ingero/${file}`)]);
    const { findings } = await core.api['patterns.list']({});
    for (const ref of findings.flatMap(({ evidence }) => evidence.flatMap(({ refs }) => refs)))
      expect((await core.api['evidence.get']({ ref })).ref).toBe(ref);
    return findings.map(({ pattern, headline, verdict }) => [pattern, verdict, headline]);
  };
  test("a process that starves in Ingero's recording", async () => {
    expect(await found('pytorch-dataloader-starvation.db')).toEqual([
      [
        'dataloader-stall',
        'partial',
        'pytorch-dataloader-starvation/pid-2233 called 11 CUDA operations in 60 s in which 4 processes of its data loader worked.',
      ],
    ]);
  });
  test.each(['sample-cluster.db', 'sample-gpu-node-01.db'])('nothing in %s', async (file) => {
    expect(await found(file)).toEqual([]);
  });
});

test.each<readonly [string, readonly (readonly [cuda: number, switches: number])[], number]>([
  [
    'two times of starving',
    [
      [900, 50],
      [5, 9000],
      [4, 9000],
      [900, 50],
      [900, 50],
      [900, 50],
      [0, 9000],
      [800, 50],
    ],
    2,
  ],
  [
    'a start',
    [
      [0, 9000],
      [0, 9000],
      [900, 50],
    ],
    0,
  ],
  [
    'workers that wait',
    [
      [900, 50],
      [5, 300],
      [900, 50],
    ],
    0,
  ],
  [
    'workers and GPU that are busy',
    [
      [900, 9000],
      [900, 9000],
    ],
    0,
  ],
])('minutes of a process: %s', async (_, minutes, findings) => {
  const session = await recordedCase(({ builder }) => {
    const host = builder.entity('server', 'h');
    const process = (pid: string, name: string) => {
      const entity = builder.entity('process', `h/pid-${pid}`, [], JSON.stringify({ name }));
      appendEdge(builder, { from: entity, kind: 'runs_on', to: host, provenance: 'test' });
      return entity;
    };
    const [trainer, worker] = [process('1', 'python3'), process('2', 'pt_data_worker')];
    const count = (entity: number, attributes: object, time_ns: bigint, value: number) =>
      appendSample(builder, {
        entity,
        metric: { name: 'ingero.operation.count', unit: '1' },
        time_ns,
        value,
        attributes: { ...attributes, per: 'minute' },
      });
    for (const [minute, [cuda, switches]] of minutes.entries()) {
      const time_ns = atSecond(minute * 60);
      count(trainer, { source: 'CUDA', operation: 'cudaLaunchKernel' }, time_ns, cuda);
      count(worker, { source: 'HOST', operation: 'sched_switch' }, time_ns, switches);
    }
  });
  const found = (await findPatterns(createReader(session))).filter(({ view }) => view.pattern === 'dataloader-stall');
  expect(found).toHaveLength(findings);
});
