import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { newGate } from './gate.ts';

/** Holds the answer to the first request to `address` back until it is released. `status`: that of an error in its place. */
export async function holdFirst(page: Page, address: string | RegExp, status = 200) {
  const gate = newGate();
  let first = true;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  await page.route(address, async (route) => {
    const held = first;
    first = false;
    if (!held) return route.continue();
    const response = await route.fetch();
    await gate.pass();
    await route.fulfill(status === 200 ? { response } : { status, body: '{}' });
    end();
  });
  return {
    reached: gate.reached,
    /** Resolves when the page has its answer. */
    async release() {
      gate.open();
      await ended;
      await page.waitForLoadState('networkidle');
    },
  };
}

/** Chooses two languages while the first one's texts are held, and expects the page to speak the second one after both have arrived. */
export async function expectLastLanguage(page: Page): Promise<void> {
  const held = await holdFirst(page, /\/de-?\w*[^/]*\.js/);
  const language = page.getByRole('combobox', { name: 'Language' });
  const spoken = () => page.evaluate(() => document.documentElement.lang);
  await language.selectOption('de');
  await held.reached;
  await language.selectOption('fr');
  await expect.poll(spoken).toBe('fr');
  await held.release();
  await page.evaluate(() => new Promise((done) => setTimeout(done)));
  expect(await spoken()).toBe('fr');
}
