import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, expect, it } from 'vitest';
import { photograph } from './rig.ts';
import { useRig } from './use-rig.ts';

const { rig, admin, emptyLibrary } = useRig({ delivery: 'beside' });
afterEach(emptyLibrary);

type Sizes = Record<string, { file: string; width: number; height: number }>;

/** A photograph with a red disc at its start, which attracts attention. */
async function withDisc(width: number, height: number): Promise<Uint8Array> {
  const disc = Buffer.from('<svg width="120" height="120"><circle cx="60" cy="60" r="60" fill="#f00"/></svg>');
  const image = sharp(await photograph(width, { height })).composite([{ input: disc, left: 10, top: 10 }]);
  return new Uint8Array(await image.jpeg({ quality: 95 }).toBuffer());
}

const pathOf = (name: string, file: string) => join(rig.site.uploadsDir, file, '..', name);

/** Mean difference of two softened pictures in levels, so that less than a pixel counts little, by the pixels that the second one is moved along an axis. */
async function differences(paths: readonly [string, string], isWide: boolean): Promise<Map<number, number>> {
  const [one, two] = await Promise.all(
    paths.map((path) => sharp(path).greyscale().blur(2).raw().toBuffer({ resolveWithObject: true })),
  );
  if (!one || !two) throw new Error('expected two pictures');
  expect([two.info.width, two.info.height]).toEqual([one.info.width, one.info.height]);
  const { width, height } = one.info;
  const found = new Map<number, number>();
  for (let move = -5; move <= 5; move += 1) {
    const [right, down] = isWide ? [move, 0] : [0, move];
    let sum = 0;
    for (let y = 5; y < height - 5; y += 1) {
      for (let x = 5; x < width - 5; x += 1) {
        sum += Math.abs((one.data[y * width + x] ?? 0) - (two.data[(y + down) * width + x + right] ?? 0));
      }
    }
    found.set(move, sum / ((width - 10) * (height - 10)));
  }
  return found;
}

it.each([
  ['wide', 901, 403],
  ['high', 403, 901],
])('a cropped size shows the part that WordPress shows, of a %s picture too', async (name, width, height) => {
  const id = await admin.upload(`${name}.jpg`, await withDisc(width, height), 'image/jpeg');
  await admin.json('POST', `/attachments/${id}/optimize`, { preset: 'medium' });
  const { file, metadata } = await rig.attachment(id);
  const { thumbnail } = (metadata as unknown as { sizes: Sizes }).sizes;
  const own = pathOf(thumbnail?.file ?? '', file);
  const found = await differences([own, `${own}.iw.webp`], width > height);
  const [nearest = 0] = [...found].sort(([, one], [, two]) => one - two)[0] ?? [];
  expect(Math.abs(nearest)).toBeLessThanOrEqual(1);
  expect(found.get(nearest)).toBeLessThan(4);
});

/** WordPress's own editor, applied to the thumbnail alone. */
const EDIT = `add_filter( 'image_edit_thumbnails_separately', '__return_true' );
$_REQUEST = array( 'target' => 'thumbnail', 'do' => 'save', 'history' => '[{"c":{"x":0,"y":0,"w":150,"h":150}}]' );
wp_save_image( $id );`;
/** The plugin Crop Thumbnails: it writes over the file and notes the cut. */
const CROP = `$metadata = wp_get_attachment_metadata( $id, true );
$path = dirname( get_attached_file( $id ) ) . '/' . $metadata['sizes']['thumbnail']['file'];
wp_crop_image( $id, 0, 0, 200, 200, 150, 150, false, $path );
$metadata['sizes']['thumbnail']['cpt_last_cropping_data'] = array( 'x' => 0, 'y' => 0, 'x2' => 200, 'y2' => 200 );
wp_update_attachment_metadata( $id, $metadata );`;

it.each([
  ['the editor of WordPress', EDIT],
  ['Crop Thumbnails', CROP],
])(
  'a thumbnail that a person cut with %s stays as it is, with files beside the originals or in their place',
  async (_, cut) => {
    const id = await admin.upload('cut.jpg', await withDisc(901, 403), 'image/jpeg');
    await rig.site.php(cut, { id });
    const before = await rig.attachment(id);
    const { thumbnail, medium } = (before.metadata as unknown as { sizes: Sizes }).sizes;
    const checksums = await rig.checksums();
    await admin.json('POST', `/attachments/${id}/optimize`, { preset: 'low' });
    const names = await rig.site.uploads();
    expect(names.filter((name) => name.includes('.iw.')).map((name) => name.split('/').at(-1))).toEqual(
      expect.arrayContaining([`${medium?.file}.iw.webp`]),
    );
    expect(names.some((name) => name.endsWith(`${thumbnail?.file}.iw.webp`))).toBe(false);

    await admin.json('POST', `/attachments/${id}/restore`, {});
    await rig.site.php(
      'update_option( "imagewright_settings", array( "delivery" => "replace" ) + get_option( "imagewright_settings" ) );',
    );
    await admin.json('POST', `/attachments/${id}/optimize`, { preset: 'low' });
    const after = await rig.attachment(id);
    const { sizes } = after.metadata as unknown as { sizes: Sizes };
    expect(sizes.medium?.file).toMatch(/\.webp$/);
    expect(sizes.thumbnail).toEqual(thumbnail);
    const path = join(before.file, '..', thumbnail?.file ?? '');
    expect((await rig.checksums())[path]).toBe(checksums[path]);
    await rig.site.php(
      'update_option( "imagewright_settings", array( "delivery" => "beside" ) + get_option( "imagewright_settings" ) );',
    );
  },
);
