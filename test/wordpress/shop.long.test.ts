import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { photograph } from './rig.ts';
import { useBrowser, useRig } from './use-rig.ts';

const tests = useRig({ delivery: 'beside' });
const { rig, admin } = tests;
const { browser } = useBrowser(tests);
beforeAll(() => rig.site.addMuPlugin(fileURLToPath(new URL('pages/stand-in-variations.php', import.meta.url))));

const PRODUCT = `wp_set_current_user( 1 );
$post = wp_insert_post( array( 'post_title' => 'Product', 'post_status' => 'publish', 'post_content' => 'A product.' ) );
update_post_meta( $post, '_stand_in_variations', implode( ',', $ids ) );
return get_permalink( $post );`;

it('a shop shows the optimized files of the variation that a visitor chooses, and its own file if it has none', async () => {
  const ids: number[] = [];
  for (const name of ['main', 'red', 'plain']) {
    ids.push(await admin.upload(`${name}.jpg`, await photograph(700 + 10 * ids.length), 'image/jpeg'));
  }
  for (const id of ids.slice(0, 2)) await admin.json('POST', `/attachments/${id}/optimize`, { preset: 'low' });
  const url = await rig.site.php<string>(PRODUCT, { ids });
  const { page, expectQuiet } = await browser.open();
  await page.goto(url);
  const image = page.locator('.wp-post-image');
  // The file that the browser shows, and the one of browsers that do not know the format.
  const shown = () =>
    image.evaluate((img: HTMLImageElement) => [img.currentSrc, img.src].map((address) => address.split('/').at(-1)));
  const choose = (value: string) => page.locator('.variations_form select').selectOption(value);
  const optimized = (name: string) => [
    expect.stringMatching(new RegExp(`^${name}-.*\\.jpg\\.iw\\.webp$`)),
    expect.stringMatching(new RegExp(`^${name}-\\d+x\\d+\\.jpg$`)),
  ];
  await expect.poll(shown).toEqual(optimized('main'));
  await choose('colour-0');
  await expect.poll(shown).toEqual(optimized('red'));
  await choose('colour-1');
  await expect
    .poll(shown)
    .toEqual([expect.stringMatching(/^plain-.*\.jpg$/), expect.stringMatching(/^plain-.*\.jpg$/)]);
  await choose('');
  await expect.poll(shown).toEqual(optimized('main'));
  expectQuiet();
});
