import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { mo } from 'gettext-parser';
import { beforeAll, expect, it } from 'vitest';
import { photograph, tinyPicture } from './rig.ts';
import { openMenu, PATIENCE, useBrowser, useRig } from './use-rig.ts';

const tests = useRig();
const { rig, admin, expectQuietLog } = tests;
const { openPage } = useBrowser(tests);
let id: number;
beforeAll(async () => {
  id = await admin.upload('tiny.webp', await tinyPicture(120), 'image/webp');
});

const speak = (locale: string) => rig.site.php('update_user_meta( 1, "locale", $locale );', { locale });

it('translates PHP pages, scripts, the widget and responses into the language of the user', async () => {
  await speak('de_DE');
  const { page } = await openPage();
  const go = (path: string) => page.goto(`${rig.site.url}/wp-admin/${path}`, PATIENCE);
  await page.getByRole('heading', { name: 'Bilder optimieren' }).waitFor(PATIENCE);
  await page.getByRole('link', { name: 'Ganze Mediathek' }).click();
  await page.getByRole('button', { name: '1 Bild für 1 Credit optimieren' }).waitFor(PATIENCE);
  await page.getByRole('link', { name: 'Prüfen' }).click();
  await page.getByRole('button', { name: 'Aus der Mediathek wählen' }).waitFor(PATIENCE);
  // The widget has its own German texts.
  await page.locator('image-optimizer').getByRole('button', { name: 'Bilder hinzufügen' }).waitFor(PATIENCE);

  await go('upload.php?mode=list');
  const status = await openMenu(page, id);
  await status.locator('.imagewright-pill', { hasText: 'Nicht optimiert' }).waitFor(PATIENCE);
  await status.getByRole('button', { name: /^Optimieren \(1 Credit\)/ }).click(PATIENCE);
  await status
    .getByText('Die optimierte Datei wäre nicht kleiner, deshalb bleibt das Bild, wie es ist.')
    .waitFor(PATIENCE);
  await go('options-general.php?page=imagewright');
  await page.getByRole('button', { name: 'Verbindung testen' }).click(PATIENCE);
  await page.getByText(/^Verbunden\. Noch \d+ Credits, Tarif: free\.$/).waitFor(PATIENCE);
  await go('plugins.php');
  await page.getByText('Optimiert die Bilder der Mediathek mit einem Imagewright-Dienst').waitFor(PATIENCE);

  await go(`upload.php?page=imagewright-optimize&imagewright_ids=${id}`);
  const widget = page.locator('image-optimizer');
  await widget.getByRole('button', { name: '1 Bild exportieren' }).click(PATIENCE);
  await widget
    .getByRole('dialog')
    .getByRole('button', { name: /^Für 1 Credit exportieren/ })
    .click();
  await widget.getByText('Keine Datei würde kleiner, darum wurde nichts berechnet.').first().waitFor(PATIENCE);
  // A message of the service, which speaks English.
  const poor = await rig.service.createAccount({ credits: 0 });
  await rig.define({ IMAGEWRIGHT_API_KEY: poor.apiKey });
  const large = await admin.upload('gross.jpg', await photograph(700), 'image/jpeg');
  const path = `/attachments/${large}/optimize?_locale=user`;
  const refused = await admin.call('POST', path, {}, { Accept: 'application/json' });
  expect([refused.status, (await refused.json()).message]).toEqual([
    402,
    'Die Credits reichen nicht. Es wurde nichts berechnet.',
  ]);
  await expectQuietLog();
});

it('passes all six Arabic plural forms to the scripts', async () => {
  await speak('ar');
  const { page } = await openPage();
  await page.getByRole('heading', { name: 'تحسين الصور' }).waitFor(PATIENCE);
  const nouns = await page.evaluate(() => window.imagewrightConfig?.nouns.images);
  expect(nouns).toEqual({
    zero: 'لا صور',
    one: 'صورة واحدة',
    two: 'صورتان',
    few: '{n} صور',
    many: '{n} صورة',
    other: '{n} صورة',
  });
  await expectQuietLog();
});

/** A text of the plugin in the language of the user. */
async function said(): Promise<string> {
  const answer = await admin.call('GET', '/service/v1/unknown?_locale=user', undefined, { Accept: 'application/json' });
  return ((await answer.json()) as { error: string }).error;
}

it('falls back to another region of the language, else to English', async () => {
  const wanted = {
    de_AT: 'Diesen Pfad des Bilddienstes gibt diese Website nicht frei.',
    de_DE_formal: 'Diesen Pfad des Bilddienstes gibt diese Website nicht frei.',
    fr_CA: 'Ce chemin du service d’images n’est pas ouvert par ce site.',
    es_MX: 'Esta no es una ruta del servicio de imágenes que este sitio abra.',
    ja: 'これは、このサイトが公開している画像サービスのパスではありません。',
    ary: 'This site does not allow this path of the image service.',
    sv_SE: 'This site does not allow this path of the image service.',
  };
  const found: Record<string, string> = {};
  for (const locale of Object.keys(wanted)) {
    await speak(locale);
    found[locale] = await said();
  }
  expect(found).toEqual(wanted);
});

it('prefers translations of the site, also for the widget', async () => {
  const own = { 'Optimize images': { msgid: 'Optimize images', msgstr: ['Bilder kleiner machen'] } };
  const begin = { msgctxt: 'element', msgid: 'Drop images here to begin', msgstr: ['Hierher damit'] };
  const path = join(rig.site.uploadsDir, '../languages/plugins/imagewright-de_DE.mo');
  await mkdir(dirname(path), { recursive: true });
  const headers = { 'Content-Type': 'text/plain; charset=UTF-8' };
  await writeFile(
    path,
    mo.compile({ charset: 'utf-8', headers, translations: { '': own, element: { [begin.msgid]: begin } } }),
  );
  await speak('de_DE');
  const { page } = await openPage();
  await page.getByRole('heading', { name: 'Bilder kleiner machen' }).waitFor(PATIENCE);
  await page.locator('image-optimizer').getByText('Hierher damit').first().waitFor(PATIENCE);
  await expectQuietLog();
});

it('uses a site translation that exists as PHP only', async () => {
  const nearest = (locale: string) =>
    rig.site.php<string>(
      'return apply_filters( "load_textdomain_mofile", WP_LANG_DIR . "/plugins/imagewright-$locale.mo", "imagewright" );',
      { locale },
    );
  const folder = join(rig.site.uploadsDir, '../languages/plugins');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'imagewright-fr_BE.l10n.php'), "<?php\nreturn array( 'messages' => array() );\n");
  expect(await nearest('fr_BE')).toMatch(/languages\/plugins\/imagewright-fr_BE\.mo$/);
  const plugin = await rig.site.php<string>('return IMAGEWRIGHT_DIR;');
  expect(await nearest('fr_CA')).toBe(`${plugin}languages/imagewright-fr_FR.mo`);
});
