import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { beforeAll, expect, it } from 'vitest';
import { visibleDifference } from '#contract/constants';
import { fixture, openWidgetRig, text, type WidgetRig } from '../../support/widget-rig.ts';
import { textOf } from '../read-page.ts';

let rig: WidgetRig;
beforeAll(async () => {
  rig = await openWidgetRig({ QUALITY_SEARCH: 'on' });
});

/** A photograph that is quickly encoded. */
async function photo(name: string) {
  const bytes = await sharp(await readFile(fixture(`photos/${name}.jpg`)))
    .resize(1000)
    .png()
    .toBuffer();
  return { name: `${name}.png`, bytes };
}

it('other presets are tried inside the comparison, free, each with its bytes and quality, and one of them is taken', async () => {
  const tab = await rig.open({ credits: 3 });
  await tab.pick(await photo('photo-dogs-portrait'), await photo('photo-nuthatch'));
  await tab.untilState('ready');
  await tab.button(text('export.sample')).click();
  const compare = tab.widget.locator('io-compare');
  await expect.poll(() => compare.getByRole('slider').isEnabled()).toBe(true);
  const shown = () =>
    compare.evaluate(async (element) => {
      const { pair } = element as unknown as {
        pair: { result: { size: number; score: number; blob(): Promise<Blob> } };
      };
      const { size, score, blob } = pair.result;
      return { size, score, bytes: (await blob()).size };
    });
  const high = await shown();
  expect(high.bytes).toBe(high.size);
  const button = (name: string) => tab.button(new RegExp(`^${name}`));
  const words = (score: number) => text(`quality.${visibleDifference(score)}`);
  await expect.poll(() => button('High').getAttribute('aria-pressed')).toBe('true');

  await button('Low').click();
  await expect.poll(async () => (await shown()).size).toBeLessThan(high.size);
  const low = await shown();
  expect(low.bytes).toBe(low.size);
  expect(low.score).toBeLessThan(high.score);
  await expect.poll(() => textOf(button('Low'))).toMatch(new RegExp(`\\d+ kB · \\d+% smaller ${words(low.score)}$`));
  expect(await textOf(button('High'))).toMatch(new RegExp(`\\d+ kB · \\d+% smaller ${words(high.score)}$`));
  // The first file comes back from memory: at the service its sample has been replaced.
  await button('High').click();
  await expect.poll(() => shown()).toEqual(high);
  await button('Low').click();
  await expect.poll(() => shown()).toEqual(low);

  // The next image is sampled with the chosen preset too.
  await tab.button(text('compare.next')).click();
  await expect.poll(() => textOf(button('Low'))).toMatch(/\d+ kB/);
  // All others follow by themselves, for the image in sight.
  for (const name of ['Minimum', 'Medium', 'High', 'Very high', 'Maximum'])
    await expect.poll(() => textOf(button(name))).toMatch(/\d+ kB/);
  await tab.button(text('trial.use', { preset: 'Low' })).click();
  // Nothing is left to use; the focus is at the choice.
  await expect.poll(() => tab.button(text('trial.use', { preset: 'Low' })).count()).toBe(0);
  expect(await button('Low').evaluate((each) => each.matches(':focus'))).toBe(true);
  expect(await tab.widget.evaluate((element) => (element as unknown as { preset: string }).preset)).toBe('low');

  // Another format has samples of its own.
  await tab.widget.evaluate((element) => Object.assign(element, { format: 'jpeg' }));
  rig.proxy.inject(
    { kind: 'answer', status: 503, json: { error: 'busy', code: 'overloaded' } },
    { method: 'POST', path: /\/sample$/, times: 9 },
  );
  await button('Minimum').click();
  await expect.poll(() => tab.widget.locator('.choose .error').count()).toBe(1);
  rig.proxy.reset();
  await button('Minimum').click();
  await expect.poll(() => textOf(button('Minimum'))).toMatch(/\d+ kB/);
  expect(await tab.ledger()).toMatchObject({ charged: 0 });
});
