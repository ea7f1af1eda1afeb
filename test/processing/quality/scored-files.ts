import { readFile } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import type { Scorer } from '../../../server/processing/worker/score/index.ts';
import { type Harness, only, photo, type RenderChoice } from '../processor-harness.ts';

/** Renders a width alone. */
export async function renderWidth(harness: Harness, file: string, width: number, choice: RenderChoice) {
  return only(await harness.render(file, { ...choice, variants: [{ name: `${width}w`, width }] }));
}

/** Pixels on a background. */
async function shown(image: Sharp, background = '#fff') {
  const flat = image.flatten({ background }).toColourspace('srgb').removeAlpha().raw();
  const { data, info } = await flat.toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** Stores a smaller version of a picture as PNG, the pixels that its files are scored against. */
export async function storeSmall(harness: Harness, picture: string, width: number): Promise<string> {
  return harness.store(`${width}.png`, await sharp(photo(picture)).resize({ width }).png().toBuffer());
}

/** Scores a file against its source. */
export async function scoreOf(scorer: Scorer, file: string, source: string, background?: string): Promise<number> {
  const [original, version] = [await readFile(source), await readFile(file)];
  return scorer.prepare(await shown(sharp(original), background)).score(await shown(sharp(version), background));
}
