import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { weigh } from './pages/weigh.ts';
import { imageBlock, publish, urlOf } from './posts.ts';
import { photograph } from './rig.ts';
import { startBucket } from './stand-ins/bucket.ts';
import { useBrowser, useRig } from './use-rig.ts';

const tests = useRig({ delivery: 'beside' });
const { rig, admin, post, upload } = tests;
const { browser } = useBrowser(tests);
beforeAll(() => rig.site.addMuPlugin(fileURLToPath(new URL('stand-ins/offload-media.php', import.meta.url))));

const seenOn = async (id: number) => {
  const url = (await urlOf(rig, id, 'large')).replace(/^https?:\/\/[^/]+/, rig.site.url);
  const seen = await weigh(browser.browser, await publish(rig, imageBlock(id, url)), 'desktop');
  expect(seen).toMatchObject({ failed: [], blank: [] });
  return seen.images[0];
};

it('images in a bucket stay as they are for visitors, are left out and said so, and cost nothing', async () => {
  const early = await upload('early.jpg', await photograph(1100));
  expect((await post(`/attachments/${early.id}/optimize`, { preset: 'low' }))[0]).toBe(200);
  expect((await seenOn(early.id))?.path).toMatch(/\.iw\.webp$/);

  const bucket = await startBucket();
  await rig.define({ IMAGEWRIGHT_TEST_BUCKET: bucket.url });
  // The other plugin sends what is in the library, too.
  await rig.site.php('wp_update_attachment_metadata( $id, wp_get_attachment_metadata( $id, true ) );', {
    id: early.id,
  });
  const late = await upload('late.jpg', await photograph(1000));
  for (const { id } of [early, late]) {
    expect((await seenOn(id))?.naturalWidth).toBe(id === late.id ? 1000 : 1024);
    expect(await admin.json('GET', `/attachments/${id}`)).toMatchObject({
      status: 'offloaded',
      statusText: expect.stringMatching(/^Offloaded: .*127\.0\.0\.1/),
    });
  }
  expect(bucket.missed).toEqual([]);
  const balance = await rig.account.api.balance();
  expect(await admin.json('GET', '/run/preview')).toMatchObject({
    images: 0,
    cost: 0,
    leftOut: [{ count: 2, message: expect.stringContaining('another host') }],
  });
  expect(await post(`/attachments/${late.id}/optimize`)).toMatchObject([422, { code: 'imagewright_offloaded' }]);
  expect(await rig.account.api.balance()).toBe(balance);
  expect(await admin.json('GET', '/status')).toMatchObject({ optimized: 0, offloaded: 2 });
  const health = await rig.site.php<{ description: string }>(
    'return imagewright()->get( Imagewright_Statistics::class )->site_health();',
  );
  expect(health.description).toContain('Offloaded: 2.');

  expect(await post(`/attachments/${early.id}/restore`)).toMatchObject([200, { restored: true }]);
  expect(await rig.checksums()).toEqual(late.checksums && (await withoutMade(late.checksums)));
  await rig.define({});
  expect(await admin.json('GET', '/run/preview')).toMatchObject({ images: 2, cost: 2, leftOut: [] });
  expect((await post(`/attachments/${late.id}/optimize`, { preset: 'low' }))[0]).toBe(200);
  expect((await seenOn(late.id))?.path).toMatch(/\.iw\.webp$/);
});

/** The files without those of the plugin. */
async function withoutMade(files: Record<string, string>): Promise<Record<string, string>> {
  return Object.fromEntries(Object.entries(files).filter(([name]) => !name.includes('.iw.')));
}
