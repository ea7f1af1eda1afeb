import { beforeAll, expect, it } from 'vitest';
import { plainImages } from '../support/small-images.ts';
import { type DashboardRig, expectHeading, openDashboardRig } from './dashboard-rig.ts';

let rig: DashboardRig;

beforeAll(async () => {
  rig = await openDashboardRig();
});

it('keeps the images of the playground while another page is shown, also those that are on their way', async () => {
  const tab = await rig.enter();
  const { page } = tab;
  await page.goto(rig.at('playground'));
  const images = await plainImages(8, { width: 64, height: 48 });
  const files = images.map(({ name, bytes }) => ({ name, mimeType: 'image/png', buffer: Buffer.from(bytes) }));
  const widget = page.locator('image-optimizer');
  const count = () =>
    widget.evaluate((element) => {
      const { items } = element as unknown as { items: { imageId: string | null }[] };
      return [items.length, items.filter(({ imageId }) => imageId).length];
    });
  // Uploads wait until the page was left and opened again.
  let release = () => {};
  const left = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/v1/sessions/*/images', async (route) => {
    await left;
    await route.continue();
  });
  await widget.locator('input[type=file]').first().setInputFiles(files);
  await expect.poll(async () => (await count())[1]).toBe(1);
  await page.getByRole('link', { name: 'Overview' }).click();
  await expectHeading(tab, 'Overview');
  await page.getByRole('link', { name: 'Playground', exact: true }).click();
  await expectHeading(tab, 'Playground');
  expect((await count())[0]).toBe(8);
  release();
  await expect.poll(count).toEqual([8, 8]);
  await page.reload();
  await expect.poll(count).toEqual([8, 8]);
});

it('says that nothing was described where no model is configured', async () => {
  const tab = await rig.enter();
  const { page } = tab;
  await page.goto(rig.at('playground'));
  const [image] = await plainImages(1, { width: 64, height: 48 });
  const widget = page.locator('image-optimizer');
  const file = { name: 'one.png', mimeType: 'image/png', buffer: Buffer.from(image?.bytes ?? []) };
  await widget.locator('input[type=file]').first().setInputFiles(file);
  await widget.getByRole('button', { name: 'Read texts from files' }).click();
  await widget.getByText('This service has no image model').waitFor();
  expect(await widget.getByText('image described').count()).toBe(0);
});
