import { beforeAll, expect, it } from 'vitest';
import { comparePage, publishImages } from './scale/front-end.ts';
import { prepareMeasuring } from './scale/measure.ts';
import { useRig } from './use-rig.ts';

const { rig, admin } = useRig({ delivery: 'beside' });
beforeAll(() => prepareMeasuring(rig.site));

it('a page for visitors needs no query more, before images are optimized and with both ways of delivery', async () => {
  const { url, ids } = await publishImages(rig.site, admin, 6);
  const { with: fresh, without } = await comparePage(url, 2);
  expect(without.queries).toBeGreaterThan(5);
  expect(fresh).toMatchObject({ queries: without.queries, optimized: 0 });
  for (const id of ids.slice(0, 3)) await admin.json('POST', `/attachments/${id}/optimize`, {});
  expect((await comparePage(url, 2)).with).toMatchObject({ queries: without.queries, optimized: 3 });
  await rig.site.php(
    'update_option( "imagewright_settings", array( "delivery" => "replace" ) + get_option( "imagewright_settings" ) );',
  );
  for (const id of ids.slice(3)) await admin.json('POST', `/attachments/${id}/optimize`, {});
  expect((await comparePage(url, 2)).with).toMatchObject({ queries: without.queries, optimized: 6 });
});
