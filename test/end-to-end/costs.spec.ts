import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { faultline } from '../support/command-line.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

const BEGIN = Date.UTC(2026, 4, 1, 14);
const REQUEST_S = 30;
const EVERY_S = 60;
/** Of each GPU and second, in EUR. */
const PRICE = 3.6 / 3600;
const prices =
  'version: 1\ncurrency: EUR\nrates:\n  - {gpu: "*", per_gpu_hour: 3.6, as_of: 2026-01-02, source: contract}\n';

let folder: string;
let served: Served;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-costs-'));
  served = new Served(folder);
});
test.afterAll(() => removeFolder(folder));
test.afterEach(() => served.stop());

const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });
const nanos = (second: number): string => `${BEGIN + 1000 * second}000000`;

/** Ten requests of 30 s in ten minutes, one after the other, six of them of one model, on a machine of two GPUs. */
function requests(): string {
  const spans = Array.from({ length: 10 }, (_, at) => ({
    traceId: (at + 1).toString(16).padStart(32, '0'),
    spanId: (at + 1).toString(16).padStart(16, '0'),
    name: 'POST /v1/chat/completions',
    kind: 2,
    startTimeUnixNano: nanos(EVERY_S * at),
    endTimeUnixNano: nanos(EVERY_S * at + REQUEST_S),
    attributes: [
      attribute('gen_ai.request.model', at < 6 ? 'large' : 'small'),
      { key: 'gen_ai.usage.input_tokens', value: { intValue: '900' } },
      { key: 'gen_ai.usage.output_tokens', value: { intValue: '100' } },
    ],
  }));
  const machine = [attribute('host.name', 'node-1')];
  const dataPoints = [{ timeUnixNano: nanos(0), asDouble: 0.5 }];
  const gpus = [0, 1].map((index) => ({
    resource: {
      attributes: [...machine, attribute('gpu.uuid', `GPU-0000000${index}-1111-2222-3333-444444444444`)],
    },
    scopeMetrics: [{ metrics: [{ name: 'gpu.utilization', gauge: { dataPoints } }] }],
  }));
  return [
    {
      resourceSpans: [
        { resource: { attributes: [attribute('service.name', 'chat'), ...machine] }, scopeSpans: [{ spans }] },
      ],
    },
    { resourceMetrics: gpus },
  ]
    .map((one) => `${JSON.stringify(one)}\n`)
    .join('');
}

/** The cells of a row of the costs of requests. */
const cellsOf = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Costs of requests' }).getByRole('row').filter({ hasText: name }).getByRole('cell');

test('the costs of requests are those of the command, with the catalog that is chosen in the window', async ({
  page,
}) => {
  const made = join(folder, 'chat.faultline');
  const [file, catalog] = [join(folder, 'requests.jsonl'), join(folder, 'prices.yaml')];
  await writeFile(file, requests());
  await writeFile(catalog, prices);
  await faultline('import', made, file);
  const { out } = await faultline('costs', made, '--rates', catalog, '--by', 'model', '--json');
  const { lines } = JSON.parse(out) as {
    lines: { value: string; requests: number; cost: { low: number; high: number } }[];
  };
  const seconds = 2 * REQUEST_S;
  const expected = [
    ['large', 6, 6 * seconds * PRICE],
    ['small', 4, 4 * seconds * PRICE],
  ] as const;
  for (const [value, count, cost] of expected) {
    const line = lines.find((one) => one.value === value);
    expect(line).toMatchObject({ requests: count });
    expect(line!.cost.low).toBeCloseTo(cost, 9);
    expect(line!.cost.high).toBeCloseTo(cost, 9);
  }

  const complaints = watch(page);
  await page.goto(await served.start(made));
  await page.getByTestId('view-costs').click();
  await page.getByRole('button', { name: 'Fit all' }).click();
  const costs = page.getByTestId('costs');
  await expect(costs).toContainText('No GPU prices are set');
  await expect(cellsOf(page, 'large')).toHaveText([
    'chat',
    'large',
    '6',
    '360 s',
    'unknown',
    'unknown',
    'unknown',
    /^5.?400 \/ 600$/,
  ]);
  const transfer = await page.evaluateHandle((text) => {
    const carried = new DataTransfer();
    carried.items.add(new File([text], 'prices.yaml', { type: 'text/yaml' }));
    return carried;
  }, prices);
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
  await page.getByTestId('view-costs').click();
  await expect(costs).toContainText('contract (2026-01-02)');
  await expect(cellsOf(page, 'large')).toHaveText([
    'chat',
    'large',
    '6',
    '360 s',
    '0.36 EUR',
    '0.06 EUR',
    '0.06 EUR',
    /./,
  ]);
  await expect(cellsOf(page, 'small')).toHaveText([
    'chat',
    'small',
    '4',
    '240 s',
    '0.24 EUR',
    '0.06 EUR',
    '0.06 EUR',
    /./,
  ]);
  await page.getByRole('button', { name: 'Service', exact: true }).click();
  await expect(cellsOf(page, 'chat')).toHaveText(['chat', '10', '600 s', '0.6 EUR', '0.06 EUR', '0.06 EUR', /./]);
  expect(await violations(page)).toEqual([]);
  expect(complaints).toEqual([]);
});
