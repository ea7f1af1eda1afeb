import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { mo } from 'gettext-parser';
import { expect, it, onTestFinished } from 'vitest';
import { photograph } from './rig.ts';
import { PATIENCE, useBrowser, useRig } from './use-rig.ts';

const tests = useRig();
const { rig, admin } = tests;
const { openPage } = useBrowser(tests);

const SIZES = [
  ...[0, 1, 512, 999, 1000, 1023, 1024, 1025, 10_239, 892_928, 999_949, 1_000_000, 1_047_552, 1_048_575, 1_048_576],
  ...[1_100_000, 9_960_000, 123_456_789, 1_073_741_823, 1_073_741_824, 5_000_000_000, 1_099_511_627_775, 2 ** 40],
  ...[2 ** 40 * 1.5, 2 ** 50 - 1],
];

/** Words of WordPress's own translations, which are not part of it: numbers of German, bytes of French. */
const WORDS = {
  '': { number_format_thousands_sep: '.', number_format_decimal_point: ',' },
  'unit symbol': { B: 'o', KB: 'Ko', MB: 'Mo', GB: 'Go', TB: 'To' },
};

async function speakGerman() {
  const path = join(rig.site.uploadsDir, '../languages/de_DE.mo');
  const translations = Object.fromEntries(
    Object.entries(WORDS).map(([msgctxt, words]) => [
      msgctxt,
      Object.fromEntries(Object.entries(words).map(([msgid, word]) => [msgid, { msgctxt, msgid, msgstr: [word] }])),
    ]),
  );
  await mkdir(dirname(path), { recursive: true });
  await writeFile(
    path,
    mo.compile({ charset: 'utf-8', headers: { 'Content-Type': 'text/plain; charset=UTF-8' }, translations }),
  );
  await rig.site.php('update_user_meta( 1, "locale", "de_DE" );');
  onTestFinished(async () => {
    await rm(path);
    await rig.site.php('delete_user_meta( 1, "locale" );');
  });
}

/** Sizes as WordPress writes them for the administrator. */
const written = (sizes: number[]) =>
  rig.site.php<string[]>(
    `switch_to_locale( get_user_locale( 1 ) );
    $written = array_map( static function ( $size ) { return size_format( $size, 1 ); }, $sizes );
    restore_previous_locale();
    return $written;`,
    { sizes },
  );

it.each(['English', 'German'])('the element and the scripts write each size as WordPress does, in %s', async (name) => {
  if (name === 'German') await speakGerman();
  const bytes = await photograph(900);
  const id = await admin.upload('photo.jpg', bytes, 'image/jpeg');
  const { page, expectQuiet } = await openPage(`upload.php?page=imagewright-optimize&imagewright_ids=${id}`);
  const element = page.locator('image-optimizer');
  const expected = await written(SIZES);
  expect(expected.slice(9, 10)).toEqual([name === 'German' ? '872,0 Ko' : '872.0 KB']);
  await element.waitFor(PATIENCE);
  await expect
    .poll(() => element.evaluate((one: HTMLElement) => 'formatBytes' in one && typeof one.formatBytes))
    .toBe('function');
  type Element = HTMLElement & { formatBytes(bytes: number): string };
  expect(await element.evaluate((one: Element, sizes) => sizes.map(one.formatBytes), SIZES)).toEqual(expected);
  // The row of the image, and the line that sums up the images.
  const [own = ''] = await written([bytes.length]);
  await element.getByText(own).first().waitFor(PATIENCE);
  expect(await element.getByText(/\d\s(kB|byte)/).count()).toBe(0);
  expectQuiet();
});
