import type { Page } from '@playwright/test';
import axe from 'axe-core';

/** The violations that axe finds on the current page, with their elements. */
export async function violations(page: Page): Promise<string[]> {
  // Evaluated by the debugger: the content security policy of the page allows no script.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const runner = (window as unknown as { axe: Pick<typeof import('axe-core'), 'run'> }).axe;
    // Every rule runs; of what it finds in order, only the first element is described.
    const { violations: found } = await runner.run({ resultTypes: ['violations'] });
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
  });
}
