import type { Page } from 'playwright-core';
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
