import { beforeAll, expect, it } from 'vitest';
import { sharedBrowser } from '../support/browser.ts';
import { createBrowser, createPerson } from '../support/browser-client.ts';
import { expectError } from '../support/error-answers.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';

let test: SharedService;
beforeAll(async () => {
  test = await sharedService();
});

it('a visit tells who is logged in, and is no error for a visitor or with a cookie that has ended', async () => {
  const visitor = createBrowser(test.url);
  expect((await visitor.get('/account/visit')).body).toEqual({ profile: null });
  const { browser, email, accountId } = await createPerson(test);
  const { body, headers } = await browser.get('/account/visit');
  expect(body.profile).toEqual((await browser.get('/account/profile')).body);
  expect([body.profile.email, headers.get('Cache-Control')]).toEqual([email, expect.stringContaining('no-store')]);
  await test.service.accounts.setSuspended(accountId, true);
  expectError(await browser.get('/account/visit'), 'account_suspended');
  await test.service.accounts.setSuspended(accountId, false);
  const { cookie } = browser;
  await browser.post('/account/log-out');
  browser.cookie = cookie;
  expect((await browser.get('/account/visit')).body).toEqual({ profile: null });
  expectError(await browser.get('/account/visit', { 'Sec-Fetch-Site': 'cross-site' }), 'cross_site_request');
});

it('the pages of a visitor write nothing to the console', async () => {
  const { page, expectQuiet } = await (await sharedBrowser()).open();
  await page.goto(`${test.url}/dashboard`);
  await page.getByRole('heading', { level: 1, name: 'Log in' }).waitFor();
  await page.goto(`${test.url}/docs`);
  expectQuiet();
});
