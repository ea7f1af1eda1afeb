import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { findSmallTargets } from './small-targets.ts';

/** Rules of WCAG 2.2 A and AA, and those of good practice. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Returns what axe finds wrong on a page, shadow roots included: one line per element. `off` are rules that do not apply.
 * @param open includes what axe cannot decide by itself. @default false
 */
export async function findAccessibilityProblems(
  page: Page,
  { off = [] as string[], open = false } = {},
): Promise<string[]> {
  // By the debugging protocol: a policy that allows no foreign script does not stop it.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(
    async ({ tags, off, open }) => {
      interface Finding {
        id: string;
        help: string;
        nodes: { target: unknown[]; failureSummary?: string }[];
      }
      const { axe: found } = window as unknown as {
        axe: { run(context: Document, options: unknown): Promise<{ violations: Finding[]; incomplete: Finding[] }> };
      };
      const rules = Object.fromEntries(off.map((id) => [id, { enabled: false }]));
      // Of other results axe would describe every element.
      const resultTypes = open ? ['violations', 'incomplete'] : ['violations'];
      const { violations, incomplete } = await found.run(document, { runOnly: tags, rules, resultTypes });
      return [...violations, ...(open ? incomplete : [])].flatMap(({ id, help, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${help} at ${JSON.stringify(target)} (${failureSummary})`),
      );
    },
    { tags: TAGS, off, open },
  );
}

/** Holds that axe finds nothing wrong, and that every target is large enough with any font. */
export async function expectAccessible(page: Page, options?: { off?: string[] }): Promise<void> {
  expect([...(await findAccessibilityProblems(page, options)), ...(await findSmallTargets(page))]).toEqual([]);
}
