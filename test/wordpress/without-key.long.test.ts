import { expect, it } from 'vitest';
import { photograph } from './rig.ts';
import { LIBRARY_TAB, PATIENCE, useBrowser, useRig } from './use-rig.ts';

const tests = useRig({ delivery: 'replace' });
const { rig, post, upload, expectAsBefore } = tests;
const { openPage } = useBrowser(tests);

it('the owner who has removed the key gets all originals back on the page, while the service is away', async () => {
  const first = await upload('first.jpg', await photograph(600));
  const second = await upload('second.jpg', await photograph(610));
  for (const { id } of [first, second])
    expect((await post(`/attachments/${id}/optimize`, { preset: 'low' }))[0]).toBe(200);
  await rig.define({ IMAGEWRIGHT_API_KEY: '' });
  await rig.site.php(
    'update_option( "imagewright_pause", array( "until" => time() + 900, "tries" => 9, "code" => "x", "message" => "Away." ), false );',
  );
  const { page, context } = await openPage(LIBRARY_TAB);
  await page.locator('.notice-warning').getByText('not set up yet').waitFor(PATIENCE);
  expect(await page.locator('[data-imagewright-tab]').allTextContents()).toEqual(['Whole library', 'Report']);
  expect(await page.getByRole('button', { name: /^Optimize/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'Restore all originals' }).click(PATIENCE);
  await page.getByRole('dialog').getByRole('button', { name: 'Restore all originals' }).click(PATIENCE);
  await page.getByText('Done: 2 of 2.').first().waitFor(PATIENCE);
  await expectAsBefore({ ...second, id: first.id, before: first.before });
  await expectAsBefore(second);
  // The service has not responded: its pause goes on.
  expect(await rig.site.php('return imagewright()->get( Imagewright_Queue::class )->paused()["message"];')).toBe(
    'Away.',
  );
  await context.close();
});
