import type { Page } from '@playwright/test';
import axe from 'axe-core';

/** What axe finds wrong with the page as it stands, each with the elements; [] is what is wanted. */
export async function violations(page: Page): Promise<string[]> {
  // Evaluated by the debugger: the page's own policy lets no script in.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const runner = (window as unknown as { axe: { run(): Promise<import('axe-core').AxeResults> } }).axe;
    const { violations: found } = await runner.run();
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
  });
}
