import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { prepare } from './site/prepare.ts';
import { PATIENCE, useBrowser, useRig } from './use-rig.ts';

const tests = useRig();
const { rig, admin, expectQuietLog } = tests;
const { openPage } = useBrowser(tests);

/** What a translator makes of some texts; the others stay as they are. */
const GERMAN: Record<string, string> = {
  'Optimize images': 'Bilder optimieren',
  'Optimize {images} for {credits}': '{images} für {credits} optimieren',
  '{n} image': '{n} Bild',
  '{n} credit': '{n} Guthaben',
  'Choose from the media library': 'Aus der Mediathek wählen',
  'Not optimized': 'Nicht optimiert',
  'Test the connection': 'Verbindung prüfen',
  'Drop images here to begin': 'Hierher damit',
};

/** Compiled translations, as WordPress reads them. */
function mo(texts: Record<string, string>): Uint8Array {
  const pairs = [['', 'Content-Type: text/plain; charset=UTF-8\n'] as const, ...Object.entries(texts)]
    .map((pair) => pair.map((text) => Buffer.from(text)))
    .sort(([a], [b]) => Buffer.compare(a as Buffer, b as Buffer));
  const head = 28;
  const tables = [0, 1].map(() => Buffer.alloc(8 * pairs.length));
  const strings: Buffer[] = [];
  const afterTables = head + 16 * pairs.length;
  let at = afterTables;
  for (const side of [0, 1]) {
    for (const [index, pair] of pairs.entries()) {
      const text = pair[side] as Buffer;
      tables[side]?.writeUInt32LE(text.length, 8 * index);
      tables[side]?.writeUInt32LE(at, 8 * index + 4);
      strings.push(text, Buffer.alloc(1));
      at += text.length + 1;
    }
  }
  const header = Buffer.alloc(head);
  const fields = [0x950412de, 0, pairs.length, head, head + 8 * pairs.length, 0, afterTables];
  for (const [index, field] of fields.entries()) header.writeUInt32LE(field, 4 * index);
  return new Uint8Array(Buffer.concat([header, ...tables, ...strings]));
}

it('speaks the language of the user where it is translated, in PHP, in the scripts and in the widget', {
  timeout: 120_000,
}, async () => {
  // Every text is one that the template for translators has.
  const { built } = await prepare();
  const template = await readFile(join(built.folder, 'languages/imagewright.pot'), 'utf8');
  for (const text of Object.keys(GERMAN)) expect(template).toContain(`msgid ${JSON.stringify(text)}\n`);
  const path = join(rig.site.uploadsDir, '../languages/plugins/imagewright-de_DE.mo');
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, mo(GERMAN));
  await rig.site.php('update_user_meta( 1, "locale", "de_DE" );');
  const id = await rig.site.php<number>(
    `$upload = wp_upload_bits( 'red.png', null, base64_decode( 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==' ) );
    $id = wp_insert_attachment( array( 'post_title' => 'red', 'post_mime_type' => 'image/png' ), $upload['file'] );
    wp_update_attachment_metadata( $id, wp_generate_attachment_metadata( $id, $upload['file'] ) );
    return $id;`,
  );

  const { page } = await openPage();
  await page.getByRole('heading', { name: 'Bilder optimieren' }).waitFor(PATIENCE);
  await page.getByRole('button', { name: '1 Bild für 1 Guthaben optimieren' }).waitFor(PATIENCE);
  await page.getByRole('button', { name: 'Aus der Mediathek wählen' }).waitFor(PATIENCE);
  const widget = page.locator('image-optimizer');
  await widget.getByText('Hierher damit').first().waitFor(PATIENCE);
  // Of the rest the widget has German of its own.
  await widget.getByRole('button', { name: 'Bilder hinzufügen' }).waitFor(PATIENCE);
  await page.goto(`${rig.site.url}/wp-admin/upload.php?mode=list`, PATIENCE);
  await page.locator(`[data-imagewright-id="${id}"]`, { hasText: 'Nicht optimiert' }).waitFor(PATIENCE);
  await page.goto(`${rig.site.url}/wp-admin/options-general.php?page=imagewright`, PATIENCE);
  await page.getByRole('button', { name: 'Verbindung prüfen' }).waitFor(PATIENCE);
  expect(await admin.json('GET', `/attachments/${id}`)).toMatchObject({ status: 'none' });
  await expectQuietLog();
});
