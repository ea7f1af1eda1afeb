import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { weigh } from './pages/weigh.ts';
import { imageBlock, publish, urlOf } from './posts.ts';
import { photograph } from './rig.ts';
import { seesFilesOfOthers } from './site/php.ts';
import { useBrowser, useRig } from './use-rig.ts';

const native = await seesFilesOfOthers();
const tests = useRig({ delivery: 'beside' });
const { rig, admin, post, remove, upload, emptyLibrary } = tests;
const { browser } = useBrowser(tests);
const standIn = fileURLToPath(new URL('stand-ins/polylang.php', import.meta.url));
beforeAll(() => rig.site.addMuPlugin(standIn));

const settings = (values: object) =>
  rig.site.php('update_option( "imagewright_settings", $values + get_option( "imagewright_settings" ) );', { values });
const translate = (id: number) => rig.site.php<number>('return stand_in_translate( $id, "Berge" );', { id });
const preview = () => admin.json<{ images: number; cost: number; leftOut: { count: number }[] }>('GET', '/run/preview');
const status = () => admin.json<Record<string, number>>('GET', '/status');

/** Runs over the library until it is done. */
async function run(kind: 'optimize' | 'restore') {
  await admin.json('POST', '/run', { kind });
  const read = async () => (await admin.json<{ run: { state: string } }>('POST', '/run/work', {})).run;
  await expect.poll(async () => (await read()).state).toBe('done');
  return read();
}

/** Expects that a visitor sees an attachment, and returns the path of the file. */
async function shown(id: number): Promise<string> {
  const page = await publish(rig, imageBlock(id, await urlOf(rig, id, 'large')));
  const seen = await weigh(browser.browser, page, 'desktop');
  expect(seen).toMatchObject({ failed: [], blank: [] });
  expect(seen.images[0]?.naturalWidth).toBeGreaterThan(400);
  return seen.images[0]?.path ?? '';
}

const WAYS = [
  ['beside', 'webp'],
  ['replace', 'webp'],
  ['replace', 'original'],
] as const;

describe.runIf(native).each(WAYS)('two attachments of one file (%s, %s)', (delivery, format) => {
  it('are one picture: priced, optimized, shown, restored and deleted once', async () => {
    await settings({ delivery, format, preset: 'low' });
    const first = await upload(`berge-${delivery}-${format}.jpg`, await photograph(900));
    const second = await translate(first.id);
    const other = await rig.attachment(second);
    const balance = await rig.account.api.balance();
    expect(await preview()).toMatchObject({ images: 1, cost: 1, leftOut: [{ count: 1 }] });
    expect(await run('optimize')).toMatchObject({ total: 1, done: 1, failedCount: 0 });
    expect(balance - (await rig.account.api.balance())).toBe(1);
    expect(await status()).toMatchObject({ total: 1, optimized: 1, shared: 1 });
    for (const [id, shares, own] of [
      [first.id, [second], 'optimized'],
      [second, [first.id], 'shared'],
    ] as const) {
      const state = await admin.json('GET', `/attachments/${id}`);
      expect(state).toMatchObject({ status: own, picture: 'optimized', shares });
      expect(await shown(id)).toMatch(delivery === 'beside' ? /\.iw\.webp$/ : /\.(webp|jpg\?imagewright=\w+)$/);
    }
    // The other one restores both, each with its own texts.
    expect(await post(`/attachments/${second}/restore`)).toMatchObject([
      200,
      { restored: true, status: 'shared', picture: 'none' },
    ]);
    expect(await rig.attachment(first.id)).toEqual(first.before);
    expect(await rig.attachment(second)).toEqual(other);
    expect(await rig.checksums()).toEqual(first.checksums);

    expect((await post(`/attachments/${second}/optimize`))[0]).toBe(200);
    expect(balance - (await rig.account.api.balance())).toBeLessThanOrEqual(2);
    await remove(first.id);
    expect(await shown(second)).toMatch(delivery === 'beside' ? /\.iw\.webp$/ : /\.(webp|jpg\?imagewright=\w+)$/);
    expect(await status()).toMatchObject({ total: 1, optimized: 1, shared: 0 });
    expect(await post(`/attachments/${second}/restore`)).toMatchObject([200, { restored: true, shares: [] }]);
    expect(await rig.attachment(second)).toEqual(other);
    expect(await rig.checksums()).toEqual(first.checksums);
    await remove(second);
    expect(await rig.site.uploads()).toEqual([]);
    await emptyLibrary();
  });
});

it.runIf(native)(
  'an attachment that is added later joins the picture, and keeps its files without the other plugin',
  async () => {
    await settings({ delivery: 'replace', format: 'webp', preset: 'low' });
    const first = await upload('later.jpg', await photograph(800));
    // A translation that the other plugin does not keep alike, made before: its file is the original.
    const apart = await rig.site.php<number>(
      '$new = stand_in_translate( $id, "Apart" ); delete_post_meta( $new, "_stand_in_group" ); return $new;',
      { id: first.id },
    );
    await rig.site.php('wp_delete_attachment( $apart, true );', { apart });
    expect(await rig.checksums()).toEqual(first.checksums);
    await post(`/attachments/${first.id}/optimize`);
    const later = await translate(first.id);
    expect(await admin.json('GET', `/attachments/${later}`)).toMatchObject({
      ...{ status: 'shared', picture: 'optimized', shares: [first.id] },
    });
    await rig.site.php('remove_all_filters( "wp_delete_file", 10 ); wp_delete_attachment( $id, true );', {
      id: first.id,
    });
    expect(await shown(later)).toMatch(/\.webp$/);
    expect(await post(`/attachments/${later}/restore`)).toMatchObject([200, { restored: true }]);
    expect(await rig.checksums()).toEqual(first.checksums);
    await remove(later);
    expect(await rig.site.uploads()).toEqual([]);
  },
);
