import type { BrowserContextOptions } from 'playwright-core';
import { expect } from 'vitest';
import type { AccountRole } from '#contract';
import { type SharedBrowser, sharedBrowser, type Tab } from '../support/browser.ts';
import { keptInProcess } from '../support/kept-in-process.ts';
import { startTestService } from '../support/service.ts';
import type { SharedService } from '../support/shared-service.ts';

/** Long enough, and nobody's. */
export const PASSWORD = 'nine photographs of rain';

/** Browsers report each refused request. */
export const REFUSED = /the server responded with a status of (400|401|403|409|429)/;

/** A person who is logged in. */
export interface Person extends Tab {
  accountId: string;
  email: string;
}

/** The real service and a real browser. */
export interface DashboardRig {
  test: SharedService;
  browser: SharedBrowser;
  /** The address of a page. */
  at(page?: string): string;
  /** Makes an account without keys, opens its one-time link and chooses a password. */
  enter(options?: NewPerson): Promise<Person>;
}

let people = 0;

/** The service that the dashboard's test files share: anyone may make an account. */
const running = keptInProcess(
  () => startTestService({ SIGN_UP: 'open' }),
  (service) => service.close(),
);

/** Returns the service and the browser that this process shares. */
export async function openDashboardRig(): Promise<DashboardRig> {
  const [test, browser] = await Promise.all([running(), sharedBrowser()]);
  const at = (page = '') => `${test.url}/dashboard${page && '/'}${page}`;
  return {
    test,
    browser,
    at,
    enter: (options) => enterAccount(test, browser, options),
  };
}

interface NewPerson {
  plan?: string;
  role?: AccountRole;
  context?: BrowserContextOptions;
}

/** Makes an account of a service without keys, opens its one-time link and chooses a password. */
export async function enterAccount(
  test: Pick<SharedService, 'service' | 'url'>,
  browser: SharedBrowser,
  { plan = 'free', role = 'user', context }: NewPerson = {},
): Promise<Person> {
  people += 1;
  const { accounts, signIn } = test.service;
  const { id: accountId, email } = await accounts.create({ email: `person-${people}@example.com`, plan });
  if (role !== 'user') await accounts.setRole(accountId, role);
  const tab = await browser.open(context);
  const link = new URL(await signIn.claims.createLink(accountId));
  await tab.page.goto(`${test.url}${link.pathname}${link.hash}`);
  await tab.page.locator('input[name=password]').fill(PASSWORD);
  await tab.page.keyboard.press('Enter');
  await tab.page.locator('#balance').waitFor();
  return { ...tab, accountId, email };
}

/** Waits for a page by its heading; the window has the same title. */
export async function expectHeading({ page }: Pick<Tab, 'page'>, title: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
  expect(await page.title()).toBe(`${title} – Imagewright`);
}
