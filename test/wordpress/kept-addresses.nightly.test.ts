import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { photograph } from './rig.ts';
import { useRig } from './use-rig.ts';

const { rig, admin, upload, expectAsBefore } = useRig();
let photo: Uint8Array;

beforeAll(async () => {
  photo = await photograph(1100);
});

const optimize = (id: number, body: unknown = { format: 'jpeg', preset: 'low' }) =>
  admin.json('POST', `/attachments/${id}/optimize`, body);
const restore = (id: number) => admin.json('POST', `/attachments/${id}/restore`);

/** Creates a post that shows an image by URL, as the block editor stores it, and by id, in a gallery. */
async function publish(id: number): Promise<{ post: number; url: string; content: string }> {
  return rig.site.php(
    `$content = '<!-- wp:image {"id":' . $id . '} --><figure class="wp-block-image"><img src="' . wp_get_attachment_image_url( $id, 'large' ) . '" class="wp-image-' . $id . '"/></figure><!-- /wp:image -->[gallery ids="' . $id . '" size="medium" link="file"]';
    $post = wp_insert_post( array( 'post_title' => "Shows $id", 'post_status' => 'publish', 'post_content' => wp_slash( $content ) ) );
    return array( 'post' => $post, 'url' => get_permalink( $post ), 'content' => get_post( $post )->post_content );`,
    { id },
  );
}

/** Returns the image URLs of a post and their versions. */
async function shown(url: string, name: string) {
  const html = await (await fetch(url)).text();
  const tags = [...html.matchAll(/<img[^>]+>/g)].map(([tag]) => tag).filter((tag) => tag.includes(`/${name}`));
  const addresses = tags.flatMap((tag) => [
    /\ssrc="([^"]+)"/.exec(tag)?.[1] ?? '',
    ...(/\ssrcset="([^"]+)"/.exec(tag)?.[1] ?? '').split(', ').flatMap((part) => part.split(' ')[0] || []),
  ]);
  const versions = new Set(addresses.map((address) => new URL(address).searchParams.get('imagewright')));
  return { tags, addresses, versions: [...versions] };
}

/** Expects URLs to serve the files on disk. */
async function expectServed(addresses: readonly string[]) {
  for (const address of new Set(addresses)) {
    const answer = await fetch(address);
    const path = new URL(address).pathname.replace('/wp-content/uploads/', '');
    const [sent, stored] = [
      new Uint8Array(await answer.arrayBuffer()),
      await readFile(join(rig.site.uploadsDir, path)),
    ];
    expect([answer.status, md5(sent)]).toEqual([200, md5(stored)]);
  }
}

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');

describe('a file that keeps its name', () => {
  it('gets a new version in its URLs with each change only', async () => {
    const id = await admin.upload('kept.jpg', photo, 'image/jpeg');
    const { post, url, content } = await publish(id);
    const untouched = await shown(url, 'kept');
    expect(untouched.tags).toHaveLength(2);
    expect(untouched.versions).toEqual([null]);

    const seen = new Set<string>();
    for (const change of [() => optimize(id), () => restore(id), () => optimize(id)]) {
      await change();
      const now = await shown(url, 'kept');
      expect(now.tags).toHaveLength(2);
      // The same files, all with one new version.
      expect(now.addresses.map((address) => address.replace(/\?.*/, '')).sort()).toEqual(untouched.addresses.sort());
      expect(now.versions).toEqual([expect.stringMatching(/^[0-9a-z]{6}$/)]);
      expect(seen).not.toContain(now.versions[0]);
      seen.add(now.versions[0] ?? '');
      expect((await shown(url, 'kept')).addresses).toEqual(now.addresses);
      await expectServed([...now.addresses, ...untouched.addresses]);
    }
    expect(await rig.site.php('return get_post( $post )->post_content;', { post })).toBe(content);

    // A new name needs no version.
    await optimize(id, { format: 'webp', again: true });
    const renamed = (await shown(url, 'kept')).addresses.filter((address) => address.includes('.webp'));
    expect(renamed.length).toBeGreaterThan(0);
    expect(renamed.filter((address) => address.includes('?'))).toEqual([]);
  });

  it('has its plain URL in sources of stored content and in lookups', async () => {
    const id = await admin.upload('stored.jpg', photo, 'image/jpeg');
    await optimize(id);
    const headers = { Cookie: admin.cookie, 'X-WP-Nonce': admin.nonce };
    const media = await fetch(`${rig.site.url}/wp-json/wp/v2/media/${id}?context=edit`, { headers });
    const { source_url, media_details } = (await media.json()) as {
      source_url: string;
      media_details: { sizes: Record<string, { source_url: string }> };
    };
    const sizes = Object.values(media_details.sizes).map((size) => size.source_url);
    expect(sizes.length).toBeGreaterThan(3);
    expect([source_url, ...sizes].filter((address) => address.includes('?'))).toEqual([]);

    const inLibrary = async (screen: string) => {
      const answer = await fetch(`${rig.site.url}/wp-admin/admin-ajax.php`, {
        method: 'POST',
        headers: { Cookie: admin.cookie, Referer: `${rig.site.url}/wp-admin/${screen}` },
        body: new URLSearchParams({ action: 'query-attachments', 'query[post__in][]': String(id) }),
      });
      const { data } = (await answer.json()) as { data: { url: string; sizes: Record<string, { url: string }> }[] };
      // Users copy the URL of the file.
      expect(data[0]?.url).toBe(source_url);
      return Object.values(data[0]?.sizes ?? {}).map((size) => size.url);
    };
    const versioned = await inLibrary('upload.php?mode=grid');
    expect(versioned.length).toBeGreaterThan(3);
    for (const address of versioned) expect(address).toMatch(/\.jpg\?imagewright=[0-9a-z]{6}$/);
    for (const address of await inLibrary('post-new.php')) expect(address).toMatch(/\.jpg$/);

    const plain = await rig.site.php('return wp_get_attachment_url( $id );', { id });
    expect(plain).toBe(source_url);
    const image = await rig.site.php<string>('return wp_get_attachment_image_url( $id, "full" );', { id });
    expect(versioned).toContain(image);
    expect(await rig.site.php('return attachment_url_to_postid( $image );', { image })).toBe(id);
  });

  it('is restored byte for byte if WordPress makes sizes that the service cannot make', async () => {
    await rig.define({ IMAGEWRIGHT_TEST_CORNER: true });
    const image = await upload('corner.jpg', photo);
    const { id, before } = image;
    expect(before.metadata.sizes.corner).toMatchObject({ width: 310, height: 290 });
    await optimize(id);
    expect(await rig.attachment(id)).toMatchObject({ missing: {}, mime: 'image/jpeg' });
    await restore(id);
    await expectAsBefore(image);
  });
});

describe('a lock', () => {
  const locks = () =>
    rig.site.php<string[]>(
      'global $wpdb; return $wpdb->get_col( "SELECT option_name FROM $wpdb->options WHERE option_name LIKE \'imagewright%.lock\' ORDER BY option_name" );',
    );
  const lock = (id: number, age: number) =>
    rig.site.php('return add_option( "imagewright_$id.lock", time() - $age, "", false );', { id, age });

  it('expires after 15 minutes and is removed by a later request for any image', async () => {
    const id = await admin.upload('locked.jpg', photo, 'image/jpeg');
    await lock(id, 800);
    await lock(4711, 1000);
    await lock(4712, 800);
    expect((await admin.call('POST', `/attachments/${id}/optimize`, {})).status).toBe(409);
    await rig.site.php('delete_option( "imagewright_$id.lock" );', { id });
    await lock(id, 1000);
    expect(await optimize(id)).toMatchObject({ status: 'optimized' });
    expect(await locks()).toEqual(['imagewright_4712.lock']);
  });
});
