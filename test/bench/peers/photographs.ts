import { existsSync } from 'node:fs';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { findSources } from '../quality/corpus.ts';

const WIDTH = 1600;

/**
 * Makes a folder with photographs as pages show them, 1,600 pixels wide, as JPEGs; made once and kept.
 * @param most how many, at most
 */
export async function pagePhotographs(most: number): Promise<string> {
  const sources = (await findSources()).filter(({ name, file }) => name.startsWith('photo-') && file.endsWith('.jpg'));
  const chosen = sources.slice(0, most);
  const folder = join(tmpdir(), `imagewright-bench-peers-${chosen.length}`);
  if (existsSync(folder) && (await readdir(folder)).length === chosen.length) return folder;
  const making = `${folder}-${process.pid}`;
  await mkdir(making, { recursive: true });
  for (const { name, file } of chosen) {
    const image = sharp(file).autoOrient().resize({ width: WIDTH, withoutEnlargement: true });
    await image.jpeg({ quality: 92 }).toFile(join(making, `${name}.jpg`));
  }
  await rename(making, folder);
  return folder;
}
