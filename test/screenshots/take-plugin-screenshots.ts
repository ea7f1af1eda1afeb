// Takes the screenshots of the WordPress plugin for wordpress.org again: `npm run screenshots:wordpress`, with the WordPress 7.1 of Debian.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { startFakeVisionServer } from '../support/fake-vision-server.ts';
import { launchAnyBrowser } from '../support/find-browser.ts';
import { startTestService } from '../support/service.ts';
import { photograph } from '../wordpress/rig.ts';
import { startSite } from '../wordpress/site/site.ts';
import { describePhotos } from './describe-photos.ts';

const FOLDER = fileURLToPath(new URL('../../plugin-bridge/wordpress/.wordpress-org/', import.meta.url));
const PHOTOGRAPHS = ['mountains', 'stream', 'dandelion', 'nuthatch', 'brushes'];
const POST = `wp_set_current_user( 1 ); kses_remove_filters();
$block = static function ( $id ) { return '<!-- wp:image {"id":' . $id . ',"sizeSlug":"large"} --><figure class="wp-block-image size-large"><img src="' . wp_get_attachment_image_url( $id, 'large' ) . '" alt="" class="wp-image-' . $id . '"/></figure><!-- /wp:image -->'; };
$post = wp_insert_post( wp_slash( array( 'post_title' => 'A week in the mountains', 'post_status' => 'publish', 'post_content' => implode( "\\n\\n", array_map( $block, $ids ) ) ) ) );
return get_permalink( $post );`;

const vision = await startFakeVisionServer();
describePhotos(vision);
const model = { AI_PROVIDER: 'openai-compatible', AI_BASE_URL: vision.url, AI_MODEL: 'fake', AI_CANARY: 'off' };
const service = await startTestService(model);
const site = await startSite({ version: '7.1', host: 'localhost' });
const browser = await launchAnyBrowser({ headless: true, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
try {
  const { apiKey } = await service.createAccount({ credits: 500 });
  await site.define({ IMAGEWRIGHT_URL: service.url, IMAGEWRIGHT_API_KEY: apiKey });
  await site.php(
    'activate_plugin( "imagewright/imagewright.php" ); update_option( "imagewright_settings", array( "auto" => false ) );',
  );
  const admin = await site.logIn();
  const ids: number[] = [];
  for (const name of PHOTOGRAPHS) {
    const bytes = await photograph(2000, { name: `photo-${name}.jpg` });
    ids.push(await admin.upload(`${name}.jpg`, bytes, 'image/jpeg'));
  }
  for (const id of ids.slice(0, 3)) {
    await admin.json('POST', `/attachments/${id}/optimize`);
    await admin.json('POST', `/attachments/${id}/describe`, { context: 'A week in the mountains' });
  }
  const address = await site.php<string>(POST, { ids: ids.slice(0, 3) });
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  await context.addCookies(admin.cookies);
  const page = await context.newPage();
  const go = (path: string) => page.goto(`${site.url}/wp-admin/${path}`, { timeout: 60_000 });
  const keep = async (number: number) => {
    await page.waitForTimeout(500);
    await page.screenshot({ path: `${FOLDER}screenshot-${number}.png` });
  };
  await go('upload.php?page=imagewright-optimize&tab=weigh');
  await page.getByLabel('Address of the page').fill(address);
  await page.getByRole('button', { name: 'Weigh this page' }).click();
  await page.getByText(/^Phone: /).waitFor();
  await keep(1);
  await go('upload.php?page=imagewright-texts');
  await page.getByRole('textbox').first().focus();
  await page.getByRole('button', { name: 'Check all texts' }).click();
  await page.getByText(/^Found: /).waitFor();
  await keep(2);
  await go('options-general.php?page=imagewright');
  await keep(3);
  const sizes = await Promise.all([1, 2, 3].map(async (n) => (await readFile(`${FOLDER}screenshot-${n}.png`)).length));
  console.log(`screenshots: ${sizes.map((size) => `${Math.round(size / 1000)} kB`).join(', ')}`);
} finally {
  await browser.close();
  await site.stop();
  await service.close();
  await vision.close();
}
