import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { faultline } from '../support/command-line.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { sharedData } from '../support/shared-data.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

const fixtures = join(import.meta.dirname, '../../fixtures');
let folder: string;
let served: Served;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-jobs-'));
  served = new Served(folder);
});
test.afterAll(() => removeFolder(folder));
test.afterEach(() => served.stop());

async function open(page: Page, made: string): Promise<string[]> {
  const complaints = watch(page);
  await page.goto(await served.start(made));
  await page.getByTestId('view-jobs').click();
  return complaints;
}

test('leads from a job that hangs to the rank that the others wait for, and to its lanes, by keyboard', async ({
  page,
}) => {
  const made = join(folder, 'hang.faultline');
  const hang = (name: string): string => sharedData(`defects/hang/${name}`);
  await faultline(
    'import',
    made,
    hang('topo.csv'),
    hang('ev5.json'),
    join(fixtures, 'flight-recorder/hang-rank5-protocol4'),
  );
  const complaints = await open(page, made);
  await expect(page.getByTestId('job-state')).toContainText(
    /hang-rank5-protocol4 stalled .*nothing shows that they went on/,
  );
  const waited = page.getByRole('table', { name: 'Ranks that others waited for' });
  const culprit = waited.getByRole('row').filter({ hasText: 'rank 5' });
  await expect(culprit).toContainText(/did not enter the operation .*2 ranks: 0, 7/);
  expect(await violations(page)).toEqual([]);
  await culprit.focus();
  await page.keyboard.press('Enter');
  const detail = page.getByRole('region', { name: 'Rank details' });
  await expect(detail).toContainText('node-5');

  const map = page.getByTestId('heat-map');
  await map.focus();
  await page.keyboard.press('Home');
  await expect(detail).toContainText('rank 0');
  await page.keyboard.press('ArrowDown');
  await expect(page.locator('.heat-map-words')).toContainText(/rank 1 .*machine not recorded/);
  await page.getByRole('tab', { name: 'Ranks' }).click();
  await expect(page.getByRole('table', { name: 'Ranks of the job' }).getByRole('row')).toHaveCount(9);
  await page.getByRole('tab', { name: 'Waited for' }).click();
  await culprit.focus();
  await page.keyboard.press('Enter');
  await detail.getByRole('button', { name: 'In the timeline' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('lane').filter({ hasText: 'GPU-0' }).first()).toBeVisible();
  expect(complaints).toEqual([]);
});

const BEGIN = Date.UTC(2026, 4, 1, 14);
const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });

/** Counters of the steps of two ranks of the service `llm`, collected for half an hour, which stand from minute 20 on. */
const steps = (): object => ({
  resourceMetrics: [0, 1].map((rank) => ({
    resource: {
      attributes: [
        ...[attribute('service.name', 'llm'), attribute('gen_ai.training.rank', String(rank))],
        ...[attribute('k8s.namespace.name', 'train'), attribute('k8s.pod.name', `llm-worker-${rank}`)],
      ],
    },
    scopeMetrics: [
      {
        metrics: [
          {
            name: 'train_global_step',
            gauge: {
              dataPoints: Array.from({ length: 120 }, (_, at) => ({
                ...{ timeUnixNano: `${BEGIN + 15_000 * at}000000`, asDouble: Math.min(Math.floor(7.5 * at), 600) },
              })),
            },
          },
        ],
      },
    ],
  })),
});
/** Its pods, as Kubernetes has them. */
const pods = (): object => ({
  ...{ apiVersion: 'v1', kind: 'List' },
  items: [0, 1].map((rank) => ({
    ...{ apiVersion: 'v1', kind: 'Pod', status: { phase: 'Running' } },
    metadata: {
      ...{ name: `llm-worker-${rank}`, namespace: 'train' },
      ownerReferences: [{ kind: 'PyTorchJob', name: 'llm', controller: true }],
    },
  })),
});

test('a job that Kubernetes and its own records name is one, and where its counter stands is no gap', async ({
  page,
}) => {
  const made = join(folder, 'names.faultline');
  const files = { 'steps.json': steps(), 'pods.json': pods() };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), JSON.stringify(content));
  await faultline('import', made, ...Object.keys(files).map((name) => join(folder, name)));
  const { out } = await faultline('jobs', made);
  expect(out).toMatch(/^STALLED {2}train\/llm \(job; service llm\)/);
  const complaints = await open(page, made);
  // The window of the incident, which the case opens with.
  await expect(page.getByTestId('headline')).toContainText('llm');
  await page.getByRole('button', { name: 'Fit all' }).click();
  const jobs = page.getByRole('table', { name: 'Jobs of the case' });
  await expect(jobs.getByRole('row')).toHaveCount(2);
  await expect(jobs.getByRole('row').last()).toContainText(/train\/llm service llm ?stalled/);
  const map = page.getByTestId('heat-map');
  await expect(map).toHaveAccessibleName(/Of 2 of them the counter of steps stands for a time: no step was completed/);
  const words = page.locator('.heat-map-words');
  await expect(words).toContainText('no step completednot recorded');
  const { width, height } = (await map.boundingBox())!;
  await map.hover({ position: { x: 0.9 * width, y: height / 4 } });
  await expect(words).toContainText(/rank 0 .*no step completed: its counter stood/);
  await map.hover({ position: { x: 0.3 * width, y: height / 4 } });
  // Its steps take two seconds; a counter that is sampled shows that within a tenth.
  await expect(words).toContainText(/rank 0 .*×1 the median of (?:1\.[89]|2(?:\.[01])?)\d* s/);
  expect(await violations(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test('a case without training jobs shows what to import', async ({ page }) => {
  const made = join(folder, 'none.faultline');
  await faultline('import', made, join(fixtures, 'aws-health/drive-degraded.json'));
  await open(page, made);
  await expect(page.getByRole('main')).toContainText(/No training job in this case/);
  expect(await violations(page)).toEqual([]);
});
