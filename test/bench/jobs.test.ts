import { expect, test } from 'vitest';
import { incidentsOf } from '../../bench/jobs/job-case.ts';
import { generateJob } from '../../bench/jobs/job-steps.ts';

/** Jobs with saves, evaluations and slow first steps. */
const SEEDS = [8, 19];

test.each(SEEDS)('generated job %i is slowed only where it is slow', async (seed) => {
  expect(await incidentsOf(generateJob(seed, 'none'))).toEqual([]);
  const job = generateJob(seed, 'rank');
  const [found, ...others] = await incidentsOf(job);
  expect(others).toEqual([]);
  expect(found!.incident).toMatchObject({
    harm: 'slowed',
    affected_services: ['pretrain'],
    affected_parts: [{ kind: 'rank', name: `rank-${job.slowRank}` }],
  });
  expect(found!.incident.slowed_times! / job.factor).toBeCloseTo(1, 1);
  expect(found!.earliest_s).toBeLessThanOrEqual(job.onset_s);
  expect(found!.onset_s).toBeGreaterThanOrEqual(job.onset_s);
});
