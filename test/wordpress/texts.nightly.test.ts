import { expect, it } from 'vitest';
import { photograph } from './rig.ts';
import { useBrowser, useRig } from './use-rig.ts';

const tests = useRig({ delivery: 'beside' });
const { rig, admin, post, emptyLibrary } = tests;
const { openPage } = useBrowser(tests);

const NOTE = `wp_set_current_user( 1 ); update_post_meta( $id, '_wp_attachment_image_alt', wp_slash( $text ) ); imagewright()->get( Imagewright_Texts::class )->note( $id, $text, $by );`;
const write = (id: number, text: string, by: string) => rig.site.php(NOTE, { id, text, by });
const textsOf = (id: number) => admin.json<{ alt: string; texts: unknown[] }>('GET', `/attachments/${id}`);
const unconfirmed = () => admin.json<{ items: { alt: string }[]; total: number }>('GET', '/texts/unconfirmed');

it('texts of AI are accepted, changed and rejected by keyboard', async () => {
  const ids: number[] = [];
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    ids.push(await admin.upload(`${name}.jpg`, await photograph(320), 'image/jpeg'));
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = ids;
  await write(a, 'A "quoted" valley', 'ai');
  await write(b, 'A river', 'ai');
  await write(c, 'A mountain', 'ai');
  await write(d, 'By hand', 'user');
  await write(e, 'Of a model', 'ai');
  // Another user has changed this one since.
  await rig.site.php('update_post_meta( $id, "_wp_attachment_image_alt", "Of a person" );', { id: e });
  expect(await unconfirmed()).toMatchObject({
    total: 3,
    more: false,
    items: [{ alt: 'A "quoted" valley' }, { alt: 'A river' }, { alt: 'A mountain' }],
  });
  expect(await post(`/attachments/${b}/text`, { was: 'Another', alt: 'A river' })).toMatchObject([
    409,
    { code: 'imagewright_text_changed' },
  ]);

  const { page, context } = await openPage('upload.php?page=imagewright-texts');
  const field = page.getByRole('textbox', { name: /^Alternative text of/ });
  await field.focus();
  await page.keyboard.press('Enter');
  await page.getByText('Accepted. 2 left.').waitFor();
  await expect.poll(() => field.inputValue()).toBe('A river');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('A wide river');
  await page.keyboard.press('Enter');
  await page.getByText('Changed. 1 left.').waitFor();
  await page.keyboard.press('Control+Delete');
  await page.getByText('Rejected: the image has no text now. 0 left.').waitFor();
  await page.getByText('There are no such texts.').waitFor();
  await context.close();
  const confirmed = { confirmed: true, user: 'admin' };
  expect(await textsOf(a)).toMatchObject({ alt: 'A "quoted" valley', texts: [{ by: 'ai', ...confirmed }] });
  expect(await textsOf(b)).toMatchObject({ alt: 'A wide river', texts: [{}, { by: 'user', ...confirmed }] });
  expect(await textsOf(c)).toMatchObject({ alt: '', texts: [] });
  expect(await unconfirmed()).toMatchObject({ total: 0, items: [] });
  await emptyLibrary();
});

it('of more than 1,000 texts the number is not counted to its end', async () => {
  const ids: number[] = [];
  for (const name of ['first', 'second'])
    ids.push(await admin.upload(`${name}.jpg`, await photograph(320), 'image/jpeg'));
  for (const id of ids) await write(id, 'A river', 'ai');
  // Of images that this user may not change: rows without their posts are counted, and not shown.
  await rig.site.php(
    'global $wpdb; foreach ( array( "_wp_attachment_image_alt", Imagewright_Texts::META ) as $key ) { $value = maybe_serialize( get_post_meta( $id, $key, true ) ); for ( $n = 0; $n < 1000; $n++ ) { $wpdb->insert( $wpdb->postmeta, array( "post_id" => 900000 + $n, "meta_key" => $key, "meta_value" => $value ) ); } }',
    { id: ids[0] },
  );
  expect(await unconfirmed()).toMatchObject({
    total: 1000,
    more: true,
    items: [{ alt: 'A river' }, { alt: 'A river' }],
  });

  const { page, context } = await openPage('upload.php?page=imagewright-texts');
  await page.getByRole('textbox', { name: /^Alternative text of/ }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Accepted. 999+ left.').waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('There are no such texts.').waitFor();
  await context.close();
  await rig.site.php('global $wpdb; $wpdb->query( "DELETE FROM $wpdb->postmeta WHERE post_id >= 900000" );');
  await emptyLibrary();
});

it('an audit finds texts that are missing, file names, shared, and links without any', async () => {
  const texts = ['', 'IMG_4711', 'Summer', 'Summer', 'A dog at the lake', 'view from_the-hill 3.jpg'];
  const ids: number[] = [];
  for (const [at, text] of texts.entries()) {
    const id = await admin.upload(`photo-${at}.jpg`, await photograph(300 + at), 'image/jpeg');
    if (text) await rig.site.php('update_post_meta( $id, "_wp_attachment_image_alt", $text );', { id, text });
    ids.push(id);
  }
  const content = `<p><a href="/x"><img src="/a.jpg" alt=""></a> <a href="/y"><img src="/b.jpg" alt=""> Words</a></p>
    <p><a href="/z" aria-label="Named"><img src="/c.jpg" alt=""></a><img src="/d.jpg"><img src="/e.jpg" alt="DSC00012.JPG" class="wp-image-${ids[0]}"></p>`;
  const postId = await rig.site.php<number>(
    'wp_set_current_user( 1 ); kses_remove_filters(); return wp_insert_post( wp_slash( array( "post_title" => "Links", "post_status" => "draft", "post_content" => $content ) ) );',
    { content },
  );
  const findings: { problem: string; attachment: number; post: number; file: string }[] = [];
  for (let cursor = '', first = true; first || cursor; first = false) {
    const part = await admin.json<{ findings: typeof findings; cursor: string }>(
      'GET',
      `/texts/audit?cursor=${cursor}`,
    );
    findings.push(...part.findings);
    cursor = part.cursor;
  }
  const reported = findings
    .filter((one) => one.post === 0 || one.post === postId)
    .map((one) => [one.problem, one.post > 0 ? one.file : ids.indexOf(one.attachment)]);
  expect(reported).toEqual([
    ['missing', 0],
    ['file_name', 1],
    ['duplicate', 2],
    ['duplicate', 3],
    ['file_name', 5],
    ['missing', 'd.jpg'],
    ['file_name', 'e.jpg'],
    ['linked_empty', 'a.jpg'],
  ]);
  await rig.site.createUser('writer', 'author');
  const writer = await rig.site.logIn('writer', 'writer');
  expect(await writer.json('GET', '/texts/audit')).toMatchObject({ findings: [] });

  const { page, context } = await openPage('upload.php?page=imagewright-texts');
  await page.getByRole('button', { name: 'Check all texts' }).click();
  await page.getByText(/^Found: \d+$/).waitFor();
  await page.getByText('Same text as other images: 2').click();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download as CSV' }).click();
  expect((await download).suggestedFilename()).toBe('alternative-texts.csv');
  await context.close();
});
