import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { it } from 'vitest';
import { signAsCamera } from '../support/signed-files.ts';
import { expectFlipsFound } from './flipped-bytes.ts';
import { photo } from './processor-harness.ts';

const FORMATS = ['jpeg', 'png', 'webp', 'avif'] as const;

it.each(FORMATS)('a signed photograph with one flipped byte is found out: %s, 100 of 100 places', async (format) => {
  const small = sharp(await readFile(photo('photo-brushes.jpg'))).resize(480);
  const signed = await signAsCamera(await small[format]().toBuffer(), `image/${format}`);
  await expectFlipsFound(signed, format, 100);
});
