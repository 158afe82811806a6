import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { demoCase } from '../support/demo-case.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

let folder: string;
let served: Served;
let address: string;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-what-if-'));
  served = new Served(folder);
  await demoCase(folder);
});
test.afterAll(async () => {
  await served.stop();
  await removeFolder(folder);
});
test.beforeEach(async () => {
  address = await served.reuse(join(folder, 'demo.faultline'));
});

const panel = (page: Page) => page.getByTestId('what-if');
const chips = (page: Page) => page.getByTestId('supposition');
const sentence = (page: Page) => page.getByTestId('what-if-sentence');

async function openCauses(page: Page): Promise<void> {
  await page.goto(address);
  await expect(page.getByTestId('hypothesis').first()).toContainText('PDU-B-rack-22');
  await page.keyboard.press('2');
}

test('a layer is ignored, undone, redone and removed by keyboard; the recorded verdict stays visible', async ({
  page,
}) => {
  const consoleErrors = watch(page);
  await openCauses(page);
  await page.keyboard.press('q');
  await expect(panel(page).getByRole('button', { name: 'power', exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(chips(page)).toHaveText([/without the power layer/]);
  // The keyboard focus stays in the panel.
  await expect(panel(page).getByRole('button', { name: /a layer had not been recorded/ })).toBeFocused();
  await expect(sentence(page)).toContainText('Then the verdict changes to unobserved fault on PDU-');
  await expect(sentence(page)).toContainText('from voltage sag on PDU-B-rack-22 at 0.98');
  await expect(page.getByTestId('move').first()).toContainText('voltage sag on PDU-B-rack-22');
  await expect(page.getByTestId('move').first()).toContainText('not listed');
  await expect(panel(page)).toContainText('psu failover on gpu-node-05 is known to start incidents');
  // The recorded verdict does not change, and the two look different.
  await expect(page.getByRole('heading', { name: /^Most likely cause: voltage sag/ })).toBeVisible();
  await expect(page.getByTestId('hypothesis').first()).toContainText('0.98');
  await expect(panel(page)).toContainText('assumed, not recorded');
  await expect(panel(page)).toContainText('The recorded verdict, chain and report do not change');
  expect(await violations(page)).toEqual([]);
  // At 200 % zoom of a small screen nothing is cut off: the second column moves below.
  await page.setViewportSize({ width: 640, height: 400 });
  const cutOff = () =>
    page.locator('.middle-view').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  expect(await cutOff()).toBeLessThanOrEqual(0);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.keyboard.press('Control+z');
  await expect(chips(page)).toHaveCount(0);
  await page.keyboard.press('Control+Shift+z');
  await expect(chips(page)).toHaveCount(1);
  await chips(page).first().focus();
  await page.keyboard.press('Escape');
  await expect(chips(page)).toHaveCount(0);
  await expect(sentence(page)).toBeHidden();
  expect(consoleErrors).toEqual([]);
});

test('events are excluded from a chain step and from a line of evidence, and removed one by one', async ({ page }) => {
  await openCauses(page);
  await page.getByTestId('chain-step').first().focus();
  await page.keyboard.press('x');
  await expect(chips(page)).toHaveText([/without voltage sag on PDU-B-rack-22/]);
  // The samples of the PDU show the sag, too.
  await expect(sentence(page)).toContainText(
    'the verdict stays: voltage sag on PDU-B-rack-22, still at 0.98, on other evidence',
  );
  await expect(panel(page)).toContainText('reported as high');
  await page.getByRole('button', { name: /^explains psu failover on .*, 0\.7 s later/ }).focus();
  await page.keyboard.press('.');
  const menu = page.getByRole('menu', { name: /^Actions for explains psu failover/ });
  await expect(menu.getByRole('menuitem', { name: /^Show details/ })).toBeFocused();
  await expect(menu).toContainText('What if: ignore these 3 events');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('x');
  await expect(menu).toBeHidden();
  await expect(chips(page)).toHaveCount(2);
  await expect(chips(page).nth(1)).toContainText('and 2 more');
  await chips(page).first().focus();
  await page.keyboard.press('Enter');
  await expect(chips(page)).toHaveText([/and 2 more/]);
  await expect(panel(page).getByRole('button', { name: /a layer had not been recorded/ })).toBeFocused();
  await panel(page).getByRole('button', { name: 'Reset' }).focus();
  await page.keyboard.press('Enter');
  await expect(chips(page)).toHaveCount(0);
});

test('a clock is shifted and a supply is replaced, in common notations', async ({ page }) => {
  await openCauses(page);
  await page.keyboard.press('q');
  await panel(page)
    .getByRole('button', { name: /clock.* had been set differently/ })
    .focus();
  await page.keyboard.press('Enter');
  const form = page.getByRole('form', { name: /clock.* had been set differently/ });
  await expect(form.getByLabel('Clock of')).toBeFocused();
  await form.getByLabel('Clock of').selectOption('physical-events.json');
  await form.getByLabel('Shift by').fill('soon');
  await expect(form).toContainText('Enter a duration');
  await expect(form.getByRole('button', { name: 'Apply' })).toBeDisabled();
  await form.getByLabel('Shift by').fill('-1 h');
  await expect(form).toContainText('Events move 1 h earlier');
  await page.keyboard.press('Enter');
  await expect(chips(page)).toHaveText([/physical-events\.json 1 h earlier/]);
  await expect(sentence(page)).toContainText('the verdict changes to');
  // Another shift of the same clock replaces the first.
  await page.keyboard.press('q');
  await panel(page)
    .getByRole('button', { name: /clock.* had been set differently/ })
    .press('Enter');
  await form.getByLabel('Clock of').selectOption('physical-events.json');
  await form.getByLabel('Shift by').fill('0.5');
  await page.keyboard.press('Enter');
  await expect(chips(page)).toHaveText([/500 ms later/]);
  await expect(sentence(page)).toContainText('the verdict stays');
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await page.keyboard.press('q');
  await panel(page)
    .getByRole('button', { name: /feed of an entity/ })
    .press('Enter');
  const feed = page.getByRole('form', { name: /entity had another supply/ });
  await expect(feed.getByLabel('Entity')).toBeFocused();
  await page.keyboard.type('server:gpu-node-05');
  await feed.getByLabel('Instead of').selectOption('pdu:PDU-B-rack-22');
  await feed.getByLabel('Fed by', { exact: true }).fill('pdu:PDU-A-rack-21');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await expect(chips(page)).toHaveText([/gpu-node-05 fed by PDU-A-rack-21 instead of PDU-B-rack-22/]);
  await expect(sentence(page)).toContainText('Then ');
});

test('an unknown name is reported in place, with a way back', async ({ page }) => {
  await openCauses(page);
  await page.keyboard.press('q');
  await panel(page)
    .getByRole('button', { name: /feed of an entity/ })
    .press('Enter');
  const feed = page.getByRole('form', { name: /entity had another supply/ });
  await feed.getByLabel('Entity').fill('server:nowhere');
  await feed.getByLabel('Fed by', { exact: true }).fill('pdu:PDU-A-rack-21');
  await page.keyboard.press('Enter');
  await expect(panel(page).getByRole('alert')).toContainText('there is no "server:nowhere" in this case');
  await panel(page).getByRole('button', { name: 'Undo the last change' }).press('Enter');
  await expect(chips(page)).toHaveCount(0);
  await expect(panel(page).getByRole('alert')).toBeHidden();
});

test('two hypotheses are compared line by line, and Escape leaves the comparison', async ({ page }) => {
  await openCauses(page);
  await page.getByTestId('hypothesis').first().getByRole('button').first().focus();
  await page.keyboard.press('v');
  const cap = page.getByTestId('hypothesis').nth(2);
  await cap.getByRole('button').first().focus();
  await page.keyboard.press('v');
  const comparison = page.getByTestId('comparison');
  await expect(comparison.getByRole('columnheader').first()).toContainText('PDU-B-rack-22 voltage sag');
  await expect(comparison.getByRole('columnheader').nth(2)).toContainText('cpu power cap');
  const lines = page.getByTestId('compared');
  const explained = lines.filter({ hasText: 'itself explained by psu failover' });
  await expect(explained.getByRole('cell').first()).toHaveText('none');
  await expect(explained.getByRole('cell').nth(1)).toHaveText(/^◂ \d\.\d$/);
  const caps = lines.filter({ hasText: 'explains power cap applied' });
  await expect(caps).toHaveCount(1);
  await expect(caps.getByRole('cell').first()).toContainText(/(gpu-node-0[5-8]\/GPU-[01](, )?){3} and \d more/);
  await expect(caps.getByRole('cell').nth(2)).toContainText(/explains power cap applied on gpu-node-0\d\/GPU-/);
  await expect(lines.filter({ hasText: 'prior:' }).getByRole('cell').nth(1)).toHaveText('0');
  await expect(comparison.getByRole('row', { name: /Total/ }).getByRole('cell').nth(1)).toContainText('◂');
  // Each shows the part of the chain that starts with it.
  const chains = comparison.getByRole('list', { name: /^Causal chain/ });
  await expect(chains.first().getByTestId('chain-step')).toHaveCount(6);
  await expect(chains.nth(1).getByTestId('chain-step')).toHaveCount(3);
  await expect(chains.nth(1)).not.toContainText('gpu-node-06');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(comparison).toBeHidden();
  await expect(page.getByTestId('hypothesis').first()).toBeVisible();
});
