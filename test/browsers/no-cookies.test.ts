import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { launchBrowser, type TestBrowser } from '../support/browser.ts';
import { createPerson, PASSWORD } from '../support/browser-client.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';

const WORDS = /Your browser does not keep cookies of this page/;
/** Setting of Firefox that refuses all cookies. */
const REFUSE_ALL = { 'network.cookie.cookieBehavior': 2 };

let test: SharedService;
let browser: TestBrowser;
beforeAll(async () => {
  test = await sharedService();
  browser = await launchBrowser({ firefoxUserPrefs: REFUSE_ALL });
});
afterAll(() => browser.close());

/** Chromium without a window has no such setting. */
const inFirefox = it.runIf(process.env.TEST_BROWSER === 'firefox');

const open = async () => (await browser.open()).page;

inFirefox('is told so in words at the first link, which is not used up', async () => {
  const { accounts, signIn } = test.service;
  const { id } = await accounts.create({ email: `claim-${randomUUID()}@example.com` });
  const { pathname, hash } = new URL(await signIn.claims.createLink(id));
  const choose = async (page: Page) => {
    await page.goto(test.url + pathname + hash);
    await page.locator('input[name=password]').fill(PASSWORD);
    await page.keyboard.press('Enter');
  };
  const page = await open();
  await choose(page);
  await page.getByText(WORDS).waitFor();
  const other = await launchBrowser();
  onTestFinished(other.close);
  const { page: keeping } = await other.open();
  await choose(keeping);
  await keeping.locator('#balance').waitFor();
});

inFirefox('is told so in words after the password', async () => {
  const { email } = await createPerson(test);
  const page = await open();
  await page.goto(`${test.url}/dashboard/log-in`);
  await page.locator('input[name=email]').fill(email);
  await page.locator('input[name=password]').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText(WORDS).waitFor();
  expect(await page.getByText('You were logged out').count()).toBe(0);
});
