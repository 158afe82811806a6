import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { faultline } from '../support/command-line.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

const START_S = 1_773_453_600;
const LENGTH_S = 3600;

/** A cooling unit that warms up towards its limit for the last twenty minutes. */
const warming = {
  resourceMetrics: [
    {
      resource: {
        attributes: [
          { key: 'faultline.entity.kind', value: { stringValue: 'cooling' } },
          { key: 'faultline.entity.id', value: { stringValue: 'CDU-3' } },
        ],
      },
      scopeMetrics: [
        {
          metrics: [
            {
              name: 'hw.temperature',
              unit: 'Cel',
              gauge: {
                dataPoints: Array.from({ length: LENGTH_S / 5 }, (_, i) => ({
                  timeUnixNano: String(BigInt(START_S + 5 * i) * 1_000_000_000n),
                  asDouble: 30 + Math.max(0, 5 * i - 2400) / 180 + (i % 3) / 20,
                  attributes: [{ key: 'upper_critical', value: { doubleValue: 40 } }],
                })),
              },
            },
          ],
        },
      ],
    },
  ],
};

let folder: string;
let served: Served;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-notices-'));
  served = new Served(folder);
  await writeFile(join(folder, 'warming.json'), JSON.stringify(warming));
  await faultline('import', join(folder, 'warming.faultline'), join(folder, 'warming.json'));
});
test.afterAll(() => removeFolder(folder));
test.afterEach(() => served.stop());

test('a metric that approaches its limit is listed in Causes, and leads to its lane', async ({ page }) => {
  const consoleErrors = watch(page);
  await page.goto(await served.start(join(folder, 'warming.faultline')));
  const notices = page.getByRole('region', { name: 'Approaching a limit' });
  const notice = notices.getByRole('button');
  await expect(notice).toHaveText(
    /^CDU-3: temperature 36\.\d+ °C reaches its upper critical limit \(40 °C\) in \d+(\.\d)? min/,
  );
  expect(await violations(page)).toEqual([]);
  await notice.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'Timeline' })).toBeVisible();
  await expect(page.getByText('02:49:55')).toBeVisible();
  expect(consoleErrors).toEqual([]);
});
