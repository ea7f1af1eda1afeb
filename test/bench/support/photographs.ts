import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { FIXTURES } from '../../support/api-client.ts';

const MAX_PIXELS = 12_000_000;
const MEGAPIXELS = [12, 8, 5, 3, 2, 1];

/** A folder with 40 photographs of mixed sizes up to 12 megapixels, no two alike; made once and kept. */
export async function photographFolder(): Promise<string> {
  const folder = join(tmpdir(), 'imagewright-bench-photographs-1');
  if (existsSync(folder)) return folder;
  const making = `${folder}-${process.pid}`;
  await mkdir(making, { recursive: true });
  const photos = (await readdir(join(FIXTURES, 'photos'))).filter((name) =>
    /^(photo-.*\.jpg|render-.*\.webp)$/.test(name),
  );
  const facts = await Promise.all(
    photos.map(async (name) => {
      const { width = 0, height = 0 } = await sharp(join(FIXTURES, 'photos', name)).metadata();
      return { name, width, height };
    }),
  );
  let count = 0;
  for (const { name, width, height } of facts) {
    if (width * height > MAX_PIXELS) continue;
    await copyFile(join(FIXTURES, 'photos', name), join(making, name));
    count += 1;
  }
  for (let round = 0; count < 40; round += 1) {
    for (const { name, width, height } of facts) {
      const pixels = Math.min((MEGAPIXELS[round % MEGAPIXELS.length] ?? 1) * 1e6, width * height * 0.9);
      if (count === 40) break;
      const target = Math.round(width * Math.sqrt(pixels / (width * height))) - round;
      const image = sharp(join(FIXTURES, 'photos', name))
        .resize({ width: target })
        .jpeg({ quality: 90 });
      await image.toFile(join(making, `${name.replace(/\.\w+$/, '')}-${round}.jpg`));
      count += 1;
    }
  }
  await rename(making, folder).catch(() => {});
  return folder;
}

/** A folder with a version of each of {@link photographFolder} that is 64 pixels wide; made once and kept. */
export async function smallImageFolder(): Promise<string> {
  const folder = join(tmpdir(), 'imagewright-bench-small-images-1');
  if (existsSync(folder)) return folder;
  const photographs = await photographFolder();
  const making = `${folder}-${process.pid}`;
  await mkdir(making, { recursive: true });
  for (const name of await readdir(photographs)) {
    await sharp(join(photographs, name))
      .resize({ width: 64 })
      .jpeg()
      .toFile(join(making, `${name}.jpg`));
  }
  await rename(making, folder).catch(() => {});
  return folder;
}
