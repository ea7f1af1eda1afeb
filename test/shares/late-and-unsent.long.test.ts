import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CreatedShare, ShareList } from '#contract';
import type { ApiClient } from '../support/api-client.ts';
import { type SharedBrowser, sharedBrowser } from '../support/browser.ts';
import { expectLastLanguage, holdFirst } from '../support/hold-first.ts';
import { sharedService } from '../support/shared-service.ts';
import { plainImages } from '../support/small-images.ts';

const PHONE = { width: 390, height: 800 };

let api: ApiClient;
let browser: SharedBrowser;
beforeAll(async () => {
  ({ api } = await sharedService());
  browser = await sharedBrowser();
});

/** Opens a link to three images. */
async function visit(viewport?: typeof PHONE) {
  const { sessionId } = await api.upload(await plainImages(3));
  const path = `/v1/sessions/${sessionId}/shares`;
  const { url } = await api.readJson<CreatedShare>(path, { json: {} });
  const tab = await browser.open({ locale: 'en', ...(viewport && { viewport }) });
  await tab.page.goto(url);
  const card = (place: number) => tab.page.locator('share-image').nth(place);
  await card(0).getByRole('button', { name: 'Approve' }).waitFor();
  return {
    ...tab,
    card,
    answers: async () => (await api.readJson<ShareList>(path)).shares.flatMap((share) => share.answers),
  };
}

/** Types a comment that is not sent yet. */
async function comment(page: Page, card: ReturnType<Page['locator']>, text: string): Promise<void> {
  await card.getByRole('button', { name: 'Please change' }).click();
  await card.getByRole('textbox').waitFor();
  await page.keyboard.type(text);
}

describe('a comment that is not sent yet', () => {
  it('is still there when its image is folded and opened again', async () => {
    const { page, card, expectQuiet } = await visit(PHONE);
    await comment(page, card(0), 'Brighter, please');
    await card(1).locator('.whole').click();
    await card(0).locator('.whole').click();
    await expect.poll(() => card(0).getByRole('textbox').inputValue()).toBe('Brighter, please');
    expectQuiet();
  });

  it('is not approved with the rest', async () => {
    const { page, card, answers, expectQuiet } = await visit();
    await comment(page, card(1), 'Crop the left edge');
    await page.getByRole('button', { name: /^Approve the rest/ }).click();
    await page.getByRole('button', { name: /^Yes, approve all/ }).click();
    await page.getByText('2 of 3 answered').waitFor();
    await card(1).locator('h2:focus').waitFor();
    expect(await page.getByRole('button', { name: /^Approve the rest/ }).count()).toBe(0);
    expect(await card(1).getByRole('textbox').inputValue()).toBe('Crop the left edge');
    await card(1).getByRole('button', { name: 'Send' }).click();
    await page.locator('.end').waitFor();
    expect((await answers()).map(({ verdict }) => verdict).sort()).toEqual(['approved', 'approved', 'change']);
    expectQuiet();
  });
});

describe('an answer that takes its time', () => {
  it.each([
    ['a desktop', undefined],
    ['a phone', PHONE],
  ])('leaves whoever went on to another image alone, on %s', async (_name, viewport) => {
    const { page, card, expectQuiet } = await visit(viewport);
    const held = await holdFirst(page, '**/answer');
    await card(0).getByRole('button', { name: 'Approve' }).click();
    await held.reached;
    if (viewport) await card(2).locator('.whole').click();
    await comment(page, card(2), 'Darker');
    await held.release();
    await page.getByText('1 of 3 answered').waitFor();
    await page.keyboard.type(', please');
    expect(await card(2).getByRole('textbox').inputValue()).toBe('Darker, please');
    expectQuiet();
  });
});

it('the page speaks the language that was chosen last', async () => {
  const { page, expectQuiet } = await visit();
  await expectLastLanguage(page);
  expectQuiet();
});
