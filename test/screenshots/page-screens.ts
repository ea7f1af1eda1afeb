import type { Page } from 'playwright-core';
import { createShoot } from './screens.ts';
import type { Stage } from './stage.ts';

const PASSWORD = 'nine photographs of rain';
const OTHERS = ['mara@harbour-gazette.example', 'studio@north-pier.example', 'archive@old-town.example'];

/** Fills an account with sessions in all states, and other accounts with credits; returns the first account's one-time link. */
async function fillAccounts({ test, thirty, describe }: Stage): Promise<string> {
  const { accounts, signIn } = test.service;
  const { api, accountId } = await test.createAccount({ credits: 300, plan: 'free' });
  await accounts.setRole(accountId, 'operator');
  const pictures = await thirty();
  for (const [from, to] of [
    [22, 30],
    [12, 16],
    [0, 12],
  ] as const) {
    const uploaded = await api.upload(pictures.slice(from, to));
    if (from > 20) continue;
    await describe(api, uploaded);
    if (from > 0) continue;
    await api.run('export', uploaded);
  }
  for (const [place, email] of OTHERS.entries()) {
    const { id } = await accounts.create({ email, plan: place === 0 ? 'agency' : 'free' });
    const note = 'Order 2026-114';
    await accounts.ledger.grant({ accountId: id, ref: `order-${place}`, amount: 250 * (place + 1), note });
    if (place === 2) await accounts.setSuspended(id, true);
  }
  const { email } = (await accounts.find(accountId)) as { email: string };
  await accounts.claim({ id: accountId, email }, { email: 'you@example.com', passwordHash: 'of a password' });
  return signIn.claims.createLink(accountId);
}

/** Takes pictures of the log-in, the pages of the dashboard, as an operator sees them, and the documentation. */
export async function pageScreens(stage: Stage, page: Page): Promise<void> {
  const { pathname, hash } = new URL(await fillAccounts(stage));
  const { url } = stage.test;
  const shoot = await createShoot(page, async (locale) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.locator('select.languages').selectOption(locale);
  });
  const go = (path: string) => page.goto(`${url}/dashboard${path}`);
  await go('/log-in');
  await shoot('log-in', 'phone');
  await page.goto(url + pathname + hash);
  await page.getByLabel('New password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.locator('#balance').waitFor();
  await shoot('overview', 'light', 'dark', 'phone', 'arabic');
  await go('/credits');
  await shoot('credits', 'phone');
  await go('/settings/keys');
  await shoot('keys', 'light');
  await go('/operator');
  await shoot('accounts', 'light');
  await page.getByRole('link', { name: `Manage ${OTHERS[0]}` }).click();
  await page.getByRole('button', { name: 'Give credits' }).waitFor();
  await shoot('manage', 'light');
  await go('/operator/service');
  await page.locator('table').waitFor();
  await shoot('service', 'dark');
  await page.goto(`${url}/docs`);
  await shoot('docs', 'light', 'phone');
  await page.goto(`${url}/docs/try#/Export/exportImages`);
  await page.locator('.opblock-body').waitFor();
  await page.locator('.opblock.is-open').evaluate((request) => request.scrollIntoView());
  await shoot('docs-try', 'light');
}
