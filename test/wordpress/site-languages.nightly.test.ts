import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeVisionServer, GOOD_ANSWER, startFakeVisionServer } from '../support/fake-vision-server.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { publish } from './posts.ts';
import { photograph } from './rig.ts';
import { PATIENCE, useBrowser, useRig } from './use-rig.ts';

const tests = useRig({ delivery: 'beside' });
const { rig, admin, post, upload, remove } = tests;
const { browser } = useBrowser(tests);
let vision: FakeVisionServer;
let describing: TestService;
beforeAll(async () => {
  vision = await startFakeVisionServer();
  const model = { AI_PROVIDER: 'openai-compatible', AI_BASE_URL: vision.url, AI_MODEL: 'fake', AI_CANARY: 'off' };
  describing = await startTestService(model);
  await rig.site.addMuPlugin(fileURLToPath(new URL('stand-ins/languages.php', import.meta.url)));
});
afterAll(async () => {
  await describing?.close();
  await vision?.close();
});

const TRANSLATE = `
  $locales = array( $id => "en_US" );
  $file = get_post_meta( $id, "_wp_attached_file", true );
  $other = wp_insert_attachment( array( "post_title" => "Rad", "post_mime_type" => "image/jpeg" ), $file );
  update_post_meta( $other, "_wp_attachment_metadata", wp_get_attachment_metadata( $id ) );
  foreach ( array( $id => "en_US", $other => "de_DE" ) as $one => $locale ) {
    update_post_meta( $one, "_stand_in_locale", $locale );
    update_post_meta( $one, "_stand_in_picture", $id );
  }
  return $other;`;
/** Text, width and whether it is optimized, of images as a visitor's browser shows them on a page. */
async function seen(ids: number[]) {
  const tags = await Promise.all(
    ids.map((id) => rig.site.php<string>('return wp_get_attachment_image( $id, "full" );', { id })),
  );
  const tab = await browser.open();
  await tab.page.goto(await publish(rig, tags.join('\n')), PATIENCE);
  const images = await tab.page.locator('.entry-content img').evaluateAll((all) =>
    all.map((image) => {
      const { alt, naturalWidth, currentSrc } = image as HTMLImageElement;
      return [alt, naturalWidth, currentSrc.endsWith('.iw.webp')];
    }),
  );
  tab.expectQuiet();
  return images;
}
const own = (alt: string) => ({ alt, title: null, caption: null, tags: [] });

describe.each(['polylang', 'wpml'])('a site with %s', (plugin) => {
  it('gets the text of each attachment in its language, with one look of the model', async () => {
    const { apiKey } = await describing.createAccount({ credits: 50 });
    await rig.define({ IMAGEWRIGHT_URL: describing.url, IMAGEWRIGHT_API_KEY: apiKey });
    await rig.site.php('update_option( "stand_in_languages", $plugin );', { plugin });
    const { id } = await upload(`${plugin}.jpg`, await photograph(500));
    const other = await rig.site.php<number>(TRANSLATE, { id });
    // The list of texts to look at names the language of each.
    const { findings } = await admin.json<{ findings: object[] }>('GET', '/texts/audit');
    expect(findings).toMatchObject([
      { problem: 'missing', attachment: id, language: 'en-US' },
      { problem: 'missing', attachment: other, language: 'de-DE' },
    ]);
    vision.answer = { ...GOOD_ANSWER, texts: { 'en-US': own('A bicycle'), 'de-DE': own('Ein Rad') } };
    const questionsBefore = vision.questions().length;

    const [status, made] = await post(`/attachments/${other}/describe`);
    expect([status, made.alt, made.saved]).toEqual([200, 'Ein Rad', true]);
    expect(vision.questions().length - questionsBefore).toBe(1);
    expect(vision.questions().at(-1)?.words).toContain('(de-DE), American English (en-US)');
    expect((await rig.attachment(other)).alt).toBe('Ein Rad');
    expect((await rig.attachment(id)).alt).toBe('A bicycle');

    // A text that a person has confirmed stays.
    await post(`/attachments/${id}/confirm`, { alt: 'A bicycle' });
    vision.answer = { ...GOOD_ANSWER, texts: { 'en-US': own('Another bicycle'), 'de-DE': own('Ein anderes Rad') } };
    await post(`/attachments/${other}/describe`, { context: 'Spring' });
    expect((await rig.attachment(other)).alt).toBe('Ein anderes Rad');
    expect((await rig.attachment(id)).alt).toBe('A bicycle');

    // Visitors of both languages get the one optimized picture, each with its text; it is restored for both.
    const files = await rig.checksums();
    expect((await post(`/attachments/${id}/optimize`))[0]).toBe(200);
    expect(await seen([id, other])).toEqual([
      ['A bicycle', 500, true],
      ['Ein anderes Rad', 500, true],
    ]);
    expect((await post(`/attachments/${other}/restore`))[0]).toBe(200);
    expect(await rig.checksums()).toEqual(files);
    expect((await seen([id])).at(0)).toEqual(['A bicycle', 500, false]);
    await remove(other);
    await remove(id);
  });
});

it('an attachment without a language of its own is described in that of its post', async () => {
  const { apiKey } = await describing.createAccount({ credits: 50 });
  await rig.define({ IMAGEWRIGHT_URL: describing.url, IMAGEWRIGHT_API_KEY: apiKey });
  const { id } = await upload('parent.jpg', await photograph(500));
  const code = `$post = wp_insert_post( array( "post_title" => "Page" ) );
    update_post_meta( $post, "_stand_in_locale", "fr_FR" );
    wp_update_post( array( "ID" => $id, "post_parent" => $post ) );`;
  await rig.site.php(code, { id });
  vision.answer = GOOD_ANSWER;
  await post(`/attachments/${id}/describe`);
  expect(vision.questions().at(-1)?.words).toContain('(fr-FR)');
  await remove(id);
});
