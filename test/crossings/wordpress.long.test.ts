import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChromiumEye, openChromiumEye } from '../judge/chromium-eye.ts';
import { type SharedBrowser, sharedBrowser } from '../support/browser.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { useRig } from '../wordpress/use-rig.ts';
import { createJudge, type Judge, TEXTS } from './judge-cell.ts';
import { SERVICE, SETTINGS } from './settings.ts';
import { type Cell, cellsOf, type Kind, type Setting } from './table.ts';
import { type Upload, uploadsOfKinds } from './uploads.ts';

/** Pixels of the longer side of the size that pages show, and of the setting "Largest width or height". */
const [MEDIUM, EDGE] = [300, 60];

let service: TestService;
let browser: SharedBrowser;
let eye: ChromiumEye;
let judge: Judge;
let uploads: Record<Kind, Upload>;
beforeAll(async () => {
  service = await startTestService(SERVICE);
  browser = await sharedBrowser();
  eye = await openChromiumEye(browser);
  judge = await createJudge(eye);
  uploads = await uploadsOfKinds();
});
afterAll(async () => {
  await eye?.close();
  await service?.close();
});

describe.each(['beside', 'replace'] as const)('WordPress, %s', (delivery) => {
  const site = useRig({ delivery });
  const { rig } = site;

  /** Uploads an image with its text, and exports it as the element does. */
  async function optimize(upload: Upload, setting: Setting) {
    const { apiKey } = await service.createAccount({ credits: 5 });
    await rig.define({ IMAGEWRIGHT_URL: service.url, IMAGEWRIGHT_API_KEY: apiKey });
    const edge = setting === 'limits' ? EDGE : 0;
    const change =
      'update_option( "imagewright_settings", array( "max_edge" => $edge ) + get_option( "imagewright_settings" ) );';
    await rig.site.php(change, { edge });
    const image = await site.upload(upload.name, upload.bytes, upload.type);
    const alt = setting === 'languages' ? TEXTS.german : TEXTS.alt;
    await rig.site.php('update_post_meta( $id, "_wp_attachment_image_alt", $alt );', { id: image.id, alt });
    // Sizes and limits are those of the site.
    const isOfSite = setting === 'sizes' || setting === 'limits';
    const exported = await site.exported(image.id, 'export', isOfSite ? {} : SETTINGS[setting]);
    expect(await site.post(`/attachments/${image.id}/replace`, exported)).toMatchObject([200, { status: 'optimized' }]);
    const made = Object.keys(await rig.checksums()).filter((name) => !(name in image.checksums));
    const all = await Promise.all(made.map((name) => readFile(join(rig.site.uploadsDir, name))));
    const { state } = (await rig.attachment(image.id)) as { state: { quality?: { score: number | null } } };
    return { id: image.id, all, score: state.quality?.score };
  }

  /** Returns the file that Chromium takes on a page with an image block, and what it is behind. */
  async function chosenOn(id: number, size: 'full' | 'medium') {
    const url = await rig.site.php<string>(
      `$src = wp_get_attachment_image_url( $id, $size );
      $block = "<!-- wp:image {\\"id\\":$id,\\"sizeSlug\\":\\"$size\\"} --><figure class=\\"wp-block-image size-$size\\"><img src=\\"$src\\" class=\\"wp-image-$id\\"/></figure><!-- /wp:image -->";
      return get_permalink( wp_insert_post( array( "post_title" => "Page", "post_status" => "publish", "post_content" => wp_slash( $block ) ) ) );`,
      { id, size },
    );
    const { page, context } = await browser.open({ viewport: { width: 1280, height: 900 } });
    await page.goto(url);
    const address = await page.locator(`img.wp-image-${id}`).evaluate(async (element) => {
      await (element as HTMLImageElement).decode();
      return (element as HTMLImageElement).currentSrc;
    });
    await context.close();
    const answer = await fetch(address);
    return { bytes: Buffer.from(await answer.arrayBuffer()), type: answer.headers.get('content-type') ?? '', address };
  }

  it.each(cellsOf(`WordPress ${delivery}`))('$kind with $setting: $line', async ({ kind, setting }: Cell) => {
    const upload = uploads[kind];
    const { id, all, score } = await optimize(upload, setting);
    const shown = await chosenOn(id, setting === 'sizes' ? 'medium' : 'full');
    const [before] = await eye.frames(upload.bytes, upload.type);
    const { width = 0, height = 0 } = before ?? {};
    // WordPress makes no smaller copy of a PNG.
    const limit = kind === '16 bits' && delivery === 'beside' ? width : EDGE;
    const longest = setting === 'sizes' ? MEDIUM : limit;
    const expected = Math.round((width * longest) / Math.max(width, height));
    if (delivery === 'beside') expect(shown.address).toContain('.iw.');
    await judge.expectRight({ kind, setting }, upload, { shown, all, told: { score } }, expected);
    await site.remove(id);
  });
});

describe('WordPress and HEIC', () => {
  const site = useRig({ delivery: 'replace' });
  it('is not offered; what WordPress has made of it stays', async () => {
    const { name, bytes, type } = uploads.HEIC;
    const image = await site.upload(name, bytes, type);
    const refusal = await site.post(`/attachments/${image.id}/optimize`);
    expect(refusal).toMatchObject([422, { code: 'imagewright_no_sizes' }]);
    await site.expectAsBefore(image);
  });
});
