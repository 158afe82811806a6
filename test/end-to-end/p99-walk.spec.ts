import { execFileSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { cli } from '../support/command-line.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

/** With motion, as most people have it; the other walks wait for nothing that moves. */
test.use({ contextOptions: { reducedMotion: 'no-preference' } });

let folder: string;
let served: Served;
test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-p99-'));
  served = new Served(folder);
});
test.afterEach(async () => {
  await served.stop();
  await removeFolder(folder);
});

test('why is p99 up: from the incident to the queue, its replica, its GPU and what to change', async ({ page }) => {
  const problems = watch(page);
  execFileSync(process.execPath, [
    cli,
    'demo',
    '--scenario',
    'batching',
    '--minutes',
    '12',
    '--dir',
    join(folder, 'demo'),
  ]);
  await page.goto(await served.start(join(folder, 'demo', 'batching.faultline')));
  // The incident and its cause; the metric that the cause is about is among the first lanes.
  const causes = page.locator('.inspector, .view-causes').first();
  await expect(page.getByText(/Most likely cause: batching limit on llama-70b/).first()).toBeVisible();
  await expect(causes).toContainText(/p99 [\d\s\u202f,.]+ → /);
  await expect(
    page.locator('.lane-label, [data-testid="lane"]').filter({ hasText: 'request.waiting' }).first(),
  ).toBeVisible();
  // The rule, its arithmetic and what to do.
  await page.getByTestId('view-patterns').click();
  await page.getByText('Batches underfilled').first().click();
  await expect(page.getByText(/times the requests in as many batches/)).toBeVisible();
  await expect(page.getByText('Remediation')).toBeVisible();
  // The slowest request: it waited, as no request did before.
  await page.getByTestId('view-traces').click();
  await page.locator('.trace-found tbody tr').first().click();
  const resources = page.getByTestId('trace-resources');
  await expect(resources).toContainText('Measured where this trace ran');
  await expect(resources).toContainText('request waiting');
  await expect(resources.getByRole('button', { name: /^GPU/ }).first()).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('tab', { name: 'Stages' }).click();
  // Where its time went, prefill against decode, above the usual request.
  const trace = page.locator('.trace-detail-stages');
  const shares = trace.getByTestId('stage-shares').getByRole('img');
  await expect(shares.first()).toHaveAccessibleName(/queue .+\(\d+ %\), prefill .+\(\d+ %\), decode .+\(\d+ %\)/);
  expect(await shares.count()).toBeGreaterThanOrEqual(2);
  const queue = trace.getByTestId('stages-before').getByRole('row').filter({ hasText: 'queue' });
  await expect(queue).toContainText('▲');
  await expect(trace.getByTestId('stages-before').getByRole('row').filter({ hasText: 'prefill' })).not.toContainText(
    '▲',
  );
  expect(await violations(page)).toEqual([]);
  // From a lane to what else is known of the GPU.
  await page.getByRole('tab', { name: 'Waterfall' }).click();
  await resources.getByRole('button', { name: /^GPU/ }).first().click();
  await page.getByTestId('view-gpus').click();
  await expect(page.getByText(/no GPU differs from its peers/)).toBeVisible();
  expect(problems).toEqual([]);
});

test('the same from metrics alone: the stages of an incident, marked as means of all requests', async ({ page }) => {
  const problems = watch(page);
  // vLLM is asked each 15 s and answers two requests a second; for the last ten minutes they wait for 6 s.
  const labels = 'job="llm-api",model_name="llama-70b"';
  const lines = Array.from({ length: 121 }, (_, scrape) => {
    const [requests, slow] = [30 * scrape, 30 * Math.max(0, scrape - 80)];
    const of = (name: string, seconds: number, bounds: readonly (readonly [string, number])[]) => [
      ...[...bounds, ['+Inf', requests] as const].map(
        ([le, count]) => `vllm:${name}_bucket{${labels},le="${le}"} ${count}`,
      ),
      `vllm:${name}_sum{${labels}} ${seconds}`,
      `vllm:${name}_count{${labels}} ${requests}`,
    ];
    const fast = requests - slow;
    return [
      ...of('request_queue_time_seconds', 0.02 * fast + 6 * slow, []),
      ...of('request_prefill_time_seconds', 0.15 * requests, []),
      ...of('request_decode_time_seconds', 1.2 * requests, []),
      ...of('e2e_request_latency_seconds', 1.37 * fast + 7.35 * slow, [
        ['2', fast],
        ['8', requests],
      ]),
      `vllm:num_requests_waiting{${labels}} ${slow > 0 ? 34 : 0}`,
    ].map((line) => `${line} ${1_767_225_600_000 + 15_000 * scrape}`);
  });
  await writeFile(join(folder, 'vllm.prom'), `${lines.flat().join('\n')}\n`);
  const path = join(folder, 'metrics.faultline');
  execFileSync(process.execPath, [cli, 'import', path, join(folder, 'vllm.prom')]);
  await page.goto(await served.start(path));
  await page.getByTestId('view-causes').click();
  const stages = page.getByTestId('stages-before').first();
  await expect(stages).toContainText('llm-api (llama-70b). No span shows the stages');
  await expect(stages).toContainText('means of all requests, from metrics');
  const bars = stages.getByTestId('stage-shares').getByRole('img');
  await expect(bars.first()).toHaveAccessibleName(
    /^queue 6 s \(82 %\), prefill 150 ms \(2 %\), decode 1\.2 s \(16 %\)$/,
  );
  await expect(bars.nth(1)).toHaveAccessibleName(/^queue 20 ms \(1 %\), /);
  await expect(stages.getByRole('row').filter({ hasText: 'queue' })).toContainText('× 300');
  expect(await violations(page)).toEqual([]);
  expect(problems).toEqual([]);
});
