import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectCleanBooks } from '../support/aftermath.ts';
import { createPerson } from '../support/browser-client.ts';
import { startTestService, type TestService } from '../support/service.ts';

let test: TestService;
beforeAll(async () => {
  test = await startTestService();
});
afterAll(() => test.close());

it('the ledger is exported as a whole, however long it is', async () => {
  const { accountId, browser } = await createPerson(test);
  for (let index = 0; index < 505; index += 1) {
    await test.service.accounts.ledger.grant({ accountId, amount: 1, ref: `bulk-${accountId}-${index}` });
  }
  const rows = (await browser.get('/account/ledger.csv')).text.trim().split('\r\n').slice(1);
  expect(new Set(rows).size).toBe(506);
  expect(rows.reduce((sum, row) => sum + Number(row.split(',')[2]), 0)).toBe(530);
  await expectCleanBooks(test);
});
