import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser, type TestBrowser } from '../../support/browser.ts';
import { EDITOR_NOISE, ISOLATING, openEditor } from '../editor/open-editor.ts';
import { photograph } from '../rig.ts';
import { type Site, startSite } from '../site/site.ts';
import type { SiteUser } from '../site/site-user.ts';

let site: Site;
let admin: SiteUser;
let browser: TestBrowser;

beforeAll(async () => {
  site = await startSite({
    ...{ server: 'nginx', database: 'mariadb', version: '7.1', memoryLimit: '128M', host: 'localhost' },
  });
  [admin, browser] = await Promise.all([site.logIn(), launchBrowser({ args: ISOLATING })]);
  await site.php('return activate_plugin( "imagewright/imagewright.php" );');
});
afterAll(() => Promise.all([site?.stop(), browser?.close()]));

it('uploads of the block editor are scaled by the browser, and WordPress has every size', async () => {
  const editor = await openEditor(browser, site, admin);
  expect(await editor.page.evaluate(() => crossOriginIsolated)).toBe(true);
  const bytes = await photograph(2800);
  const id = await editor.insertImage({ name: 'mountains.jpg', bytes, type: 'image/jpeg' });
  const again = await editor.insertImage({ name: 'small.jpg', bytes: await photograph(500), type: 'image/jpeg' });

  // The upload, a request for each size and the scaled image, and the end.
  const sizes = ['thumbnail', 'medium', 'medium_large', 'large', '1536x1536', '2048x2048'];
  const posts = editor.requests.filter((request) => request.startsWith('POST'));
  expect(posts.slice(0, 9)).toEqual([
    'POST ',
    ...Array.from({ length: sizes.length + 1 }, () => `POST /${id}/sideload`),
    `POST /${id}/finalize`,
  ]);
  const metadata = await site.php<{ file: string; original_image: string; sizes: object }[]>(
    'return array_map( "wp_get_attachment_metadata", $ids );',
    { ids: [id, again] },
  );
  expect(metadata[0]?.file).toMatch(/mountains-scaled\.jpg$/);
  expect(metadata[0]?.original_image).toBe('mountains.jpg');
  expect(Object.keys(metadata[0]?.sizes ?? {}).sort()).toEqual(sizes.sort());
  expect(Object.keys(metadata[1]?.sizes ?? {}).sort()).toEqual(['medium', 'thumbnail']);

  await site.php('foreach ( $ids as $id ) { wp_delete_attachment( $id, true ); }', { ids: [id, again] });
  expect(await site.uploads()).toEqual([]);
  editor.expectQuiet(EDITOR_NOISE);
  expect(await site.debugLog()).toBe('');
});
