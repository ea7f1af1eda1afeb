import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import type { Session } from '#contract';
import { GOOD_ANSWER } from '../support/fake-vision-server.ts';
import { openWidgetRig, text, type WidgetRig } from '../support/widget-rig.ts';

let rig: WidgetRig;
beforeAll(async () => {
  rig = await openWidgetRig();
});

it('texts in several languages are shown, edited and taken away by language', async () => {
  const own = (alt: string) => ({ alt, title: null, caption: null, tags: [] });
  rig.vision.answer = { ...GOOD_ANSWER, texts: { en: own('A bicycle'), de: own('Ein Rad') } };
  const tab = await rig.open({ script: 'delete window.showSaveFilePicker;' });
  await tab.widget.evaluate((element) => {
    (element as unknown as { analyzeOptions: object }).analyzeOptions = { languages: ['en', 'de', 'fr'] };
  });
  await tab.upload(1);
  await tab.widget.locator('button.analyze').click();
  const alt = tab.widget.locator('io-row #alt');
  const choice = tab.widget.getByRole('combobox', { name: text('settings.language') }).first();
  await choice.waitFor();
  await expect.poll(() => alt.inputValue()).toBe('A bicycle');
  expect(await choice.locator('option').allTextContents()).toEqual(['English', 'German', 'French']);

  await choice.selectOption('fr');
  await tab.widget.getByText(text('review.missing')).waitFor();
  await expect.poll(() => alt.inputValue()).toBe('');
  await choice.selectOption('de');
  await expect.poll(() => alt.inputValue()).toBe('Ein Rad');
  await alt.fill('Ein rotes Rad');
  await alt.blur();
  const stored = async () => {
    const sessionId = await tab.widget.evaluate((element) => (element as unknown as { sessionId: string }).sessionId);
    const { images } = await tab.account.api.readJson<Session>(`/v1/sessions/${sessionId}`);
    return images[0];
  };
  await expect.poll(async () => (await stored())?.texts?.de?.alt).toBe('Ein rotes Rad');
  expect((await stored())?.metadata?.alt).toBe('A bicycle');

  await tab.choose(text('take.title'));
  const saved = tab.page.waitForEvent('download');
  await tab.widget.locator('io-take-away').getByRole('button', { name: 'CSV', exact: true }).click();
  const csv = await readFile(await (await saved).path(), 'utf8');
  expect(csv.split('\r\n')[0]).toContain('title (en),alt (en),title (de),alt (de),title (fr),alt (fr)');
  expect(csv).toContain(',A bicycle,,Ein rotes Rad,,');
  tab.expectQuiet();
});
