import { basename } from 'node:path';
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { photographs } from '../../plugin-bridge/host/photographs.ts';
import { type SharedBrowser, sharedBrowser, type Tab } from '../../support/browser.ts';
import type { TestAccount } from '../../support/service.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

/** The demo page of a real service in a real browser. */
export interface DemoRig {
  test: SharedService;
  browser: SharedBrowser;
  /** Opens the page for a new account, with or without the key typed in. */
  open(options?: { search?: string; credits?: number; connect?: boolean; setUp?: string }): Promise<DemoTab>;
}

/** Tab with the page, and its operations. */
export interface DemoTab extends Tab {
  account: TestAccount;
  /** The visible element. */
  widget: Locator;
  connect(): Promise<void>;
  /** Loads the page again, as in a new tab. */
  visit(search?: string): Promise<void>;
  /** Small photographs, as a file dialog gives them. */
  pick(count: number): Promise<void>;
  untilState(state: string): Promise<void>;
}

/** Returns the service and the browser that this process shares; the page has been built before all tests. */
export async function openDemoRig(): Promise<DemoRig> {
  const [test, browser] = await Promise.all([sharedService(), sharedBrowser()]);
  return {
    test,
    browser,
    async open({ search = '', credits = 25, connect = true, setUp } = {}) {
      const account = await test.createAccount({ credits });
      const tab = await browser.open();
      const { page } = tab;
      if (setUp) await page.addInitScript({ content: setUp });
      const widget = page.locator('image-optimizer:visible').first();
      const demo: DemoTab = {
        ...tab,
        account,
        widget,
        async connect() {
          await page.getByLabel('API key').fill(account.apiKey);
          await page.getByRole('button', { name: 'Connect' }).click();
          await page.locator('#connect').waitFor({ state: 'hidden' });
        },
        visit: async (again = search) => {
          await page.goto(`${test.url}/demo/${again}`);
          await page.locator('#connect, #account:has(strong)').first().waitFor();
        },
        async pick(count) {
          const files = (await photographs(count)).map(({ name, bytes }) => ({
            name: basename(name),
            mimeType: 'image/jpeg',
            buffer: Buffer.from(bytes),
          }));
          await widget.locator('input[type=file]').first().setInputFiles(files);
        },
        async untilState(state) {
          const read = () => widget.evaluate((element) => (element as unknown as { state: string }).state);
          await expect.poll(read).toBe(state);
        },
      };
      await demo.visit();
      if (connect) await demo.connect();
      return demo;
    },
  };
}

/** Response to the probe for a signed-in user, which the browser logs to its console. */
export const PROBE = /Failed to load resource: the server responded with a status of 401/;
