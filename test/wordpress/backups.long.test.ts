import { expect, it } from 'vitest';
import { photograph } from './rig.ts';
import { keepsBytesOfHeaders } from './site/php.ts';
import { useRig } from './use-rig.ts';

const { rig, admin, post, upload, remove, emptyLibrary } = useRig({ delivery: 'replace' });

const setFormat = (format: string) =>
  rig.site.php(
    'update_option( "imagewright_settings", array( "format" => $format ) + get_option( "imagewright_settings" ) );',
    { format },
  );
interface Run {
  run: { state: string; total: number; done: number; failedCount: number };
}
async function run(kind: string) {
  await admin.json('POST', '/run', { kind });
  const read = async () => (await admin.json<Run>('POST', '/run/work', {})).run;
  await expect.poll(async () => (await read()).state).toBe('done');
  return read();
}

/** Paths of the files that pages show. */
async function shown(id: number): Promise<string[]> {
  const { file, metadata } = await rig.attachment(id);
  const folder = file.replace(/[^/]+$/, '');
  return [file, ...Object.values(metadata.sizes).map((size) => folder + size.file)];
}

it('originals are deleted on demand, except files that anything names, and then nothing is restored', async () => {
  const none = await rig.site.uploads();
  const free = await upload('free.jpg', await photograph(900));
  const named = await upload('named.jpg', await photograph(910));
  const meta = await upload('in meta.jpg', await photograph(930));
  await setFormat('original');
  const same = await upload('same.jpg', await photograph(920));
  expect((await post(`/attachments/${same.id}/optimize`))[0]).toBe(200);
  await setFormat('webp');
  for (const { id } of [free, named, meta]) expect((await post(`/attachments/${id}/optimize`))[0]).toBe(200);
  const old = (uploaded: typeof free) =>
    Object.keys(uploaded.checksums).filter((path) => path.includes(uploaded.before.file.replace(/\.jpg$/, '')));
  // As a page builder stores addresses: with escaped slashes.
  await rig.site.php(
    `wp_insert_post( array( 'post_status' => 'publish', 'post_title' => 'Names it', 'post_content' => '<img src="/wp-content/uploads/' . $file . '">' ) );
    update_post_meta( wp_insert_post( array( 'post_title' => 'Builds it', 'post_status' => 'draft' ) ), '_elementor_data', wp_slash( wp_json_encode( array( 'url' => 'https://x.test/wp-content/uploads/' . $in_meta ) ) ) );`,
    { file: named.before.file, in_meta: meta.before.file },
  );
  await rig.site.createUser('author', 'author');
  const author = await rig.site.logIn('author', 'author');
  expect(await author.answer('POST', '/run', { kind: 'discard' })).toMatchObject([
    403,
    { code: 'imagewright_may_not_change' },
  ]);
  expect(await admin.json('GET', '/status')).toMatchObject({ replaced: 4 });

  expect(await run('discard')).toMatchObject({ total: 4, done: 4, failedCount: 0 });
  const left = await rig.site.uploads();
  // A size that did not get smaller is still in use.
  const used = await shown(free.id);
  expect(left.filter((path) => old(free).includes(path) && !used.includes(path))).toEqual([]);
  expect(old(free).filter((path) => !left.includes(path)).length).toBeGreaterThan(1);
  expect(left.filter((path) => old(named).includes(path))).toEqual(old(named));
  expect(left.filter((path) => old(meta).includes(path))).toEqual(old(meta));
  expect(left.filter((path) => path.includes('-before'))).toEqual([]);
  // Every file in use is there.
  for (const { id } of [free, named, meta, same]) {
    expect((await shown(id)).filter((path) => !left.includes(path))).toEqual([]);
  }
  expect(await post(`/attachments/${free.id}/restore`, { force: true })).toMatchObject([
    409,
    { code: 'imagewright_originals_deleted' },
  ]);
  expect(await post(`/attachments/${free.id}/optimize`, { again: true })).toMatchObject([409, {}]);
  expect(await admin.json('GET', '/status')).toMatchObject({ replaced: 0 });
  expect(await run('restore')).toMatchObject({ total: 0 });
  for (const { id } of [free, named, meta, same]) await remove(id);
  expect(await rig.site.uploads()).toEqual(none);
  await emptyLibrary();
});

it.runIf(await keepsBytesOfHeaders())(
  'originals are kept whose address stands in JSON with letters as numbers, or with a term, a comment or a user',
  async () => {
    await setFormat('webp');
    const places = {
      // HTTP headers are bytes; this one has those of UTF-8.
      json: Buffer.from('фото.jpg').toString('latin1'),
      slashed: Buffer.from('写真.jpg').toString('latin1'),
      excerpt: 'excerpt.jpg',
      description: 'description.jpg',
      term: 'term.jpg',
      comment: 'comment.jpg',
      commentmeta: 'commentmeta.jpg',
      user: 'user.jpg',
      nowhere: Buffer.from('фон.jpg').toString('latin1'),
    };
    const files: Record<string, string> = {};
    for (const [place, name] of Object.entries(places)) {
      const { id, before } = await upload(name, await photograph(460));
      files[place] = before.file;
      expect((await post(`/attachments/${id}/optimize`, { preset: 'low' }))[0]).toBe(200);
    }
    expect([files.json, files.slashed]).toEqual([expect.stringContaining('фото'), expect.stringContaining('写真')]);
    await rig.site.php(
      `$of   = function ( $place ) use ( $files ) { return content_url( 'uploads/' . $files[ $place ] ); };
    $post  = wp_insert_post( array( 'post_title' => 'Post', 'post_status' => 'publish', 'post_content' => 'x', 'post_excerpt' => $of( 'excerpt' ) ) );
    $json  = wp_json_encode( array( 'url' => $of( 'json' ) ) );
    update_post_meta( $post, '_elementor_data', wp_slash( $json ) );
    update_post_meta( $post, 'slashed', wp_slash( addslashes( wp_json_encode( array( 'url' => $of( 'slashed' ) ) ) ) ) );
    $term  = wp_insert_term( 'Term', 'category', array( 'description' => $of( 'description' ) ) )['term_id'];
    update_term_meta( $term, 'thumbnail', $of( 'term' ) );
    $made  = wp_insert_comment( array( 'comment_post_ID' => $post, 'comment_content' => $of( 'comment' ) ) );
    update_comment_meta( $made, 'photo', $of( 'commentmeta' ) );
    update_user_meta( 1, 'simple_local_avatar', array( 'full' => $of( 'user' ) ) );`,
      { files },
    );
    expect(await run('discard')).toMatchObject({ done: Object.keys(files).length, failedCount: 0 });
    const left = await rig.site.uploads();
    expect(Object.keys(files).filter((place) => !left.includes(files[place] as string))).toEqual(['nowhere']);
    await emptyLibrary();
  },
);
