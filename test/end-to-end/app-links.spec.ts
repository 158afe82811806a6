import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ElectronApplication, expect, type Page, test } from '@playwright/test';
import { removeFolder } from '../support/remove-folder.ts';
import { executable, launch, root, watchTrouble } from './desktop-app.ts';

/** As a second start of the app with this link, which the system makes of a click in a browser. */
const click = (app: ElectronApplication, link: string): Promise<void> =>
  app.evaluate(
    ({ app: running }, url) => void running.emit('second-instance', {}, ['faultline-desktop', url], '/'),
    link,
  );

const place = (parts: Record<string, string>) => `faultline://open?${new URLSearchParams(parts)}`;
const sag = { entity: 'pdu:PDU-B-rack-22', time: '2026-03-14T02:18:02Z' };

async function isAtTheSag(page: Page): Promise<void> {
  await expect(page.getByTestId('playhead-time')).toContainText('02:18:02');
  await expect(page.getByRole('region', { name: 'Details' })).toContainText('PDU-B-rack-22');
}

async function closeCase(page: Page): Promise<void> {
  await page.getByTestId('case-name').click();
  await page.getByRole('menuitem', { name: 'Close case' }).click();
  await expect(page.getByTestId('open-demo')).toBeVisible();
}

test(`a link of the system opens a recent case at a time and an entity, on ${executable.name}`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'faultline-app-links-'));
  const app = await launch(root, { FAULTLINE_HOME: join(folder, 'home') });
  try {
    const page = await app.firstWindow();
    const trouble = watchTrouble(page);
    await expect(page.getByTestId('open-demo')).toBeVisible();
    await click(app, place({ case: 'demo-incident', ...sag }));
    await expect(page.getByText('demo-incident, which was not opened here before')).toBeVisible();
    await page.getByTestId('open-demo').click();
    await expect(page.getByTestId('incident').first()).toContainText('llama-70b');

    // Of the case that is open.
    await click(app, place({ case: 'demo-incident', view: 'topology', ...sag }));
    await isAtTheSag(page);
    await expect(page.getByTestId('view-topology')).toHaveAttribute('aria-current', 'page');

    // Of a recent case while none is open.
    await closeCase(page);
    await click(app, place({ case: 'demo-incident', ...sag }));
    await isAtTheSag(page);

    // While another is open it is offered, and the open one stays.
    await closeCase(page);
    await page.locator('[data-testid^="open-demo-"]').first().click();
    await expect(page.getByTestId('case-name')).toBeVisible({ timeout: 60_000 });
    const other = (await page.getByTestId('case-name').textContent()) ?? '';
    await click(app, place({ case: 'demo-incident', ...sag }));
    const offer = page.getByRole('button', { name: 'Open demo-incident' });
    await expect(offer).toBeVisible();
    await expect(page.getByTestId('case-name')).toHaveText(other);
    await offer.click();
    await isAtTheSag(page);

    // What names no place is refused in one line, and changes nothing.
    for (const hostile of [
      'faultline://open?case=../../etc/passwd',
      'faultline://run?sql=select',
      'faultline:///etc/x',
    ]) {
      await click(app, hostile);
      await expect(page.getByText('a link was refused: it names no place in a case').last()).toBeVisible();
    }
    await click(app, place({ view: 'nowhere' }));
    await isAtTheSag(page);
    expect(trouble).toEqual([]);
  } finally {
    await app.close();
    await removeFolder(folder);
  }
});
