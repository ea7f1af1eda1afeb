import { expect, it } from 'vitest';
import { photograph } from './rig.ts';
import { PATIENCE, useBrowser, useRig } from './use-rig.ts';

const tests = useRig();
const { rig, admin } = tests;
const { openPage } = useBrowser(tests);

it('optimises and restores from the attachment’s details and the media modal', async () => {
  const id = await admin.upload('details.jpg', await photograph(420), 'image/jpeg');
  const mime = async () => (await rig.attachment(id)).mime;
  const { page } = await openPage(`upload.php?item=${id}&mode=grid`);
  const field = page.locator(`[data-imagewright-id="${id}"]`);
  await field.getByRole('button', { name: /Optimize \(1 credit\)/ }).click(PATIENCE);
  await field.getByText(/Optimized: .* smaller/).waitFor(PATIENCE);
  expect(await mime()).toBe('image/webp');
  await page.goto(`${rig.site.url}/wp-admin/post.php?post=${id}&action=edit`, PATIENCE);
  await field.getByRole('button', { name: /Restore the original/ }).click(PATIENCE);
  await field.getByText('Not optimized').waitFor(PATIENCE);
  expect(await mime()).toBe('image/jpeg');
});
