import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { AwsClient } from 'aws4fetch';
import { removeFolder } from '../support/remove-folder.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

process.env['FAULTLINE_S3_KEY'] = 'S3RVER';
const begin_ms = Date.parse('2026-05-01T14:00:00Z');
const MINUTES = 60;

let folder: string;
let served: Served;
let server: ChildProcess;
let url: string;

test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-archive-'));
  served = new Served(folder);
  server = fork(join(import.meta.dirname, '../support/s3-server.mjs'), [join(folder, 's3')], {
    silent: true,
    execArgv: ['--openssl-legacy-provider'],
  });
  const port = await new Promise<string>((resolve) =>
    server.stdout!.once('data', (chunk) => resolve(`${chunk}`.trim())),
  );
  url = `http://127.0.0.1:${port}`;
  const client = new AwsClient({ accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER', service: 's3' });
  for (let minute = 0; minute < MINUTES; minute++) {
    const key = `otel/date=2026-05-01/hour=14/${String(minute).padStart(2, '0')}.json`;
    await client.fetch(`${url}/fleet/${key}`, { method: 'PUT', body: spans(minute) });
  }
});
test.afterEach(async () => {
  await served.stop();
  server.disconnect();
  await removeFolder(folder);
});

/** A service that answers in 80 ms, and from the 40th minute on in 900 ms and with errors. */
function spans(minute: number): string {
  const isSlow = minute >= 40;
  const records = Array.from({ length: 120 }, (_, at) => {
    const start = BigInt(begin_ms + minute * 60_000 + at * 500) * 1_000_000n;
    const took_ms = (isSlow ? 900 : 80) + ((at * 37) % 20);
    const id = (minute * 1000 + at + 1).toString(16);
    return {
      traceId: id.padStart(32, '0'),
      spanId: id.padStart(16, '0'),
      name: 'POST /v1/chat/completions',
      kind: 2,
      startTimeUnixNano: String(start),
      endTimeUnixNano: String(start + BigInt(took_ms) * 1_000_000n),
      status: isSlow && at % 3 === 0 ? { code: 2, message: 'upstream timed out' } : {},
    };
  });
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'chat-api' } }] };
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: records }] }] });
}

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

test('a window of a bucket is planned, tested and pulled in the window, and the case opens on its verdict', async ({
  page,
}) => {
  const consoleErrors = watch(page);
  await page.goto(await served.start('--send-secrets'));
  // A key on a button that is still disabled is lost.
  await expect(page.getByTestId('open-archive')).toBeEnabled();
  await page.getByTestId('open-archive').press('Enter');
  const dialog = page.getByTestId('open-archive-dialog');
  const button = (name: string) => dialog.getByRole('button', { name, exact: true });
  // The host looks at the plan before its buttons can be used.
  const enter = async (name: string) => {
    await expect(button(name)).toBeEnabled();
    await button(name).press('Enter');
  };
  await expect(dialog.getByRole('heading', { name: 'Select where the records are' })).toBeVisible();
  expect(await violations(page)).toEqual([]);

  // By keyboard: the kind, its fields, the window.
  await page.getByTestId('archive-bucket').press('Enter');
  await expect(field(page, 'url')).toHaveAttribute('aria-invalid', 'false');
  await expect(button('Test')).toBeDisabled();
  await field(page, 'url').press('Tab');
  await expect(field(page, 'url')).toHaveAttribute('aria-invalid', 'true');
  await field(page, 'url').fill(url);
  await field(page, 'bucket').fill('elsewhere');
  await field(page, 'prefixes').fill('otel/date=%Y-%m-%d/hour=%H/');
  await field(page, 'access key').fill('S3RVER');
  await expect(dialog.getByText('a login is access_key and secret_key')).toBeVisible();
  await field(page, 'secret key').fill('env:FAULTLINE_S3_KEY');
  await dialog.getByLabel('From, UTC').fill('2026-05-01T14:00:00');
  await dialog.getByLabel('To, UTC').fill('2026-05-01T15:00:00');
  await enter('Test');
  const steps = dialog.getByRole('list', { name: 'Steps of the test' });
  await expect(steps).toContainText('404: NoSuchBucket');
  await field(page, 'bucket').fill('fleet');
  await expect(steps).toHaveCount(0);
  await enter('Test');
  await expect(steps).toContainText('fleet has otel/date=2026-05-01/hour=14/00.json');

  // The plan file of the command line: edits of the text appear in the form, and of the form in the text.
  const text = dialog.getByLabel('The plan as the command line reads it');
  await expect(text).toHaveValue(/kind: bucket\n[\s\S]*bucket: fleet\n/);
  await text.fill(`${await text.inputValue()}parallel: 99\n`);
  await expect(field(page, 'parallel')).toHaveAttribute('aria-invalid', 'true');
  await field(page, 'parallel').fill('2');
  await expect(text).toHaveValue(/parallel: 2\n/);

  await enter('Plan');
  await expect(page.getByTestId('pull-plan')).toContainText('60 slices, rows unknown');
  await expect(page.getByTestId('pull-plan')).toContainText('and 10 more queries');
  expect(await violations(page)).toEqual([]);
  await page.screenshot({ path: test.info().outputPath('archive-form.png') });
  await page.keyboard.press('Control+Enter');
  await expect(dialog).toHaveCount(0);
  await expect(page.getByTestId('incident').first()).toContainText('chat-api');
  await expect(page.getByTestId('hypothesis').first()).toBeVisible();

  // What the case has is not pulled again.
  await page.keyboard.press('Control+K');
  await page.keyboard.type('>open from archive');
  await page.keyboard.press('Enter');
  await enter('Plan');
  await expect(page.getByTestId('pull-plan')).toContainText('The case has all of it already.');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  expect(consoleErrors).toEqual([]);
});

test('a pull that is cancelled keeps whole slices; what fails is named in words', async ({ page }) => {
  await page.goto(await served.start('--send-secrets'));
  await page.getByTestId('open-archive').click();
  const dialog = page.getByTestId('open-archive-dialog');
  const text = dialog.getByLabel('The plan as the command line reads it');
  const plan = `kind: bucket\nurl: ${url}\nbucket: fleet\nprefixes: ['otel/date=%Y-%m-%d/hour=%H/']\nparallel: 1\nrequests_per_s: 4\n`;
  await text.fill(plan);
  await dialog.getByLabel('From, UTC').fill('2026-05-01T14:00:00');
  await dialog.getByLabel('To, UTC').fill('2026-05-01T15:00:00');
  await dialog.getByRole('button', { name: /^Pull/ }).click();
  await expect(page.getByTestId('pull-progress')).toContainText(/[2-9] of 60 slices/);
  await dialog.getByRole('button', { name: 'Cancel the pull' }).click();
  await expect(dialog.getByRole('status')).toContainText(/Cancelled: [2-9]\d? whole slices are in the case/);
  await expect(dialog.getByRole('button', { name: /^Pull/ })).toBeEnabled();
  await text.fill(plan.replace('requests_per_s: 4', 'access_key: nobody\nsecret_key: env:FAULTLINE_S3_KEY'));
  await dialog.getByRole('button', { name: /^Pull/ }).click();
  await expect(dialog.getByRole('alert')).toContainText('403: InvalidAccessKeyId');
  await expect(dialog.getByRole('alert')).toContainText('check the login of the plan');
});
