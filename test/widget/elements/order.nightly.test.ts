import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CreatedShare, Session } from '#contract';
import { plainImages } from '../../support/small-images.ts';
import { openWidgetRig, text, type WidgetRig, type WidgetTab } from '../../support/widget-rig.ts';

const NAMES = [0, 1, 2, 3].map((number) => `picture-${number}.png`);
/** Removes the dialog that asks where to save. */
const NO_DIALOG = 'delete window.showSaveFilePicker;';

describe('images whose uploads end in another order', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  /** Uploads four images; the second one arrives last. */
  async function uploadCrossed(): Promise<WidgetTab> {
    const tab = await rig.open({ script: NO_DIALOG, elements: [{ remember: 'order' }] });
    let held: (() => void) | undefined;
    await tab.page.route(/\/images$/, async (route) => {
      if (!held) {
        await new Promise<void>((resolve) => {
          held = resolve;
        });
      }
      await route.continue();
    });
    await tab.pick(...(await plainImages(4)));
    await expect.poll(async () => (await tab.events('io-upload')).length).toBe(3);
    held?.();
    await tab.untilState('ready');
    return tab;
  }

  const listed = (tab: WidgetTab) => tab.widget.locator('io-row .name').allTextContents();
  const sessionOf = (tab: WidgetTab) =>
    tab.widget.evaluate((element) => (element as unknown as { sessionId: string }).sessionId);

  it('keep the order in which they were chosen: at the service, for the owner and after a reload', async () => {
    const tab = await uploadCrossed();
    expect(await listed(tab)).toEqual(NAMES);
    const path = `/v1/sessions/${await sessionOf(tab)}`;
    const { images } = await tab.account.api.readJson<Session>(path);
    expect(images.map(({ originalFilename }) => originalFilename)).toEqual(NAMES);

    const { url } = await tab.account.api.readJson<CreatedShare>(`${path}/shares`, { json: {} });
    const visitor = await rig.browser.open({ locale: 'en' });
    await visitor.page.goto(url);
    await visitor.page.locator('share-image').nth(3).waitFor();
    const shown = visitor.page
      .locator('share-image')
      .evaluateAll((all) => all.map((each) => (each as unknown as { image: { name: string } }).image.name));
    expect(await shown).toEqual(NAMES);

    await tab.page.unroute(/\/images$/);
    await tab.page.reload();
    await expect.poll(() => listed(tab)).toEqual(NAMES);
    // Another image goes to the end.
    await tab.pick(...(await plainImages(1, { from: 4 })));
    await expect.poll(async () => (await tab.account.api.readJson<Session>(path)).images.length).toBe(5);
    const later = await tab.account.api.readJson<Session>(path);
    expect(later.images.map(({ originalFilename }) => originalFilename)).toEqual([...NAMES, 'picture-4.png']);
  });

  it('are reviewed, exported and taken away in that order', async () => {
    const tab = await uploadCrossed();
    await tab.button(text('reviewing.title')).click();
    const reviewed: (string | null)[] = [];
    for (const name of NAMES) {
      const shown = tab.widget.locator('io-review .about .name');
      await expect.poll(() => shown.textContent()).toBe(name);
      reviewed.push(await shown.textContent());
      await tab.page.keyboard.press('PageDown');
    }
    await tab.page.keyboard.press('Escape');
    expect(reviewed).toEqual(NAMES);

    await tab.exportAll();
    await tab.untilState('done');
    const [exported] = await tab.events('io-export');
    const results = exported?.detail.results as { originalFilename: string; filename: string }[];
    expect(results.map(({ originalFilename }) => originalFilename)).toEqual(NAMES);

    await tab.button(text('take.title')).click();
    const take = async (name: string) => {
      const saved = tab.page.waitForEvent('download');
      await tab.widget.locator('io-take-away').getByRole('button', { name, exact: true }).click();
      return (await saved).path();
    };
    const csv = await readFile(await take('CSV'), 'utf8');
    expect(
      csv
        .split('\r\n')
        .slice(1, 5)
        .map((line) => line.split(',')[0]),
    ).toEqual(NAMES);
    const script = 'import sys,zipfile,json; print(json.dumps(zipfile.ZipFile(sys.argv[1]).namelist()))';
    const names = JSON.parse(execFileSync('python3', ['-c', script, await take(text('take.zip'))]).toString());
    expect(names.slice(0, 4)).toEqual(NAMES.map((name) => name.replace('.png', '.webp')));
  });
});
