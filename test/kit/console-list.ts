// What tests see of a page of the console.

import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** How many numbers the sample account has. */
export const TOTAL = 46;

/** Waits until the list says how many rows it has. */
export async function total(page: Page, expected: number): Promise<void> {
  await page
    .locator('.pager-range')
    .filter({ hasText: new RegExp(` of ${expected}$`) })
    .waitFor();
}

/** Shows the figures above the list, which are folded on a narrow screen. */
export async function unfold(page: Page): Promise<void> {
  const fold = page.locator('.glance-fold[aria-expanded=false]');
  if (await fold.isVisible()) await fold.click();
}

/** Opens filters of the sidebar that are folded. */
export async function openFilters(page: Page, ...names: readonly string[]): Promise<void> {
  for (const name of names)
    await page.locator('.sidebar').getByRole('button', { name, exact: true, expanded: false }).click();
}

/** The rows of the table. */
export const rows = (page: Page) => page.locator('tbody tr:has(.row-link)');

/** Changes what the system prefers, and waits until the page has followed. */
export async function inScheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' });
}

/** What WCAG 2.2 adds, which axe looks for only where it is named. */
const ALSO = { 'target-size': { enabled: true } };

/** What axe finds on the page, or on one part of it. */
export async function complaints(page: Page, part?: string, colourOnly = false): Promise<string[]> {
  const axe = new AxeBuilder({ page })
    .setLegacyMode(true)
    .options({ resultTypes: ['violations'], rules: ALSO });
  if (part !== undefined) axe.include(part);
  const { violations } = await (colourOnly ? axe.withRules('color-contrast') : axe).analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
