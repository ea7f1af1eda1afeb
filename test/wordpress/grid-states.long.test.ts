import { expect, it } from 'vitest';
import { photograph } from './rig.ts';
import { PATIENCE, useBrowser, useRig } from './use-rig.ts';

const tests = useRig({ delivery: 'beside', auto: true });
const { rig, admin } = tests;
const { openPage } = useBrowser(tests);

it('the media grid shows how the state of a new upload changes', async () => {
  const id = await admin.upload('grid.jpg', await photograph(700), 'image/jpeg');
  const before = await rig.account.api.balance();
  const { page, expectQuiet } = await openPage('upload.php?mode=grid');
  const tile = page.locator(`.attachment[data-id="${id}"]`);
  await tile.waitFor(PATIENCE);
  const state = () => tile.getAttribute('data-imagewright-state');
  await expect.poll(state).toMatch(/^(queued|working|optimized)$/);
  // The open page works on the queue.
  await expect.poll(state).toBe('optimized');
  await expect.poll(() => tile.getAttribute('title')).toMatch(/^Optimized: .*% smaller$/);
  const drawn = (pseudo: string) => tile.evaluate((one, name) => getComputedStyle(one, name).content, pseudo);
  expect(await drawn('::before')).toBe('"✓"');
  // WordPress 7.1 writes the name of the image there.
  expect(await drawn('::after')).toBe('none');
  expect(before - (await rig.account.api.balance())).toBe(1);
  expectQuiet();
});
