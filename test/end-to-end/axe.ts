import type { Page } from '@playwright/test';
import axe from 'axe-core';

/** The violations that axe finds on the current page, with their elements. */
export async function violations(page: Page): Promise<string[]> {
  // Evaluated by the debugger: the content security policy of the page allows no script.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const runner = (window as unknown as { axe: { run(): Promise<import('axe-core').AxeResults> } }).axe;
    const { violations: found } = await runner.run();
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
  });
}
