import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { FIXTURES } from '../support/api-client.ts';
import type { JudgedFile } from './patches.ts';

const FORMATS: Record<string, JudgedFile['format']> = {
  '.avif': 'avif',
  '.gif': 'gif',
  '.jpg': 'jpeg',
  '.png': 'png',
  '.tif': 'tiff',
  '.webp': 'webp',
};
/** A warning that has to name what is lost. */
const WARNINGS: Record<string, string> = {
  'a-hlg.avif': 'hdr_dropped',
  'a-pq10.avif': 'hdr_dropped',
  'cicp-pq.png': 'hdr_dropped',
};
/** Inks, of which each program makes other colours, and floating point, which ImageMagick does not take as linear light. */
const VAGUE: Record<string, string> = {
  'jpeg-cmyk.jpg': 'cmyk_converted',
  'jpeg-cmyk-no-profile.jpg': 'cmyk_converted',
  'tiff-float32.tif': 'depth_reduced',
};
/** Refused at the upload (animated AVIF without a still, YCbCr), or shown by no browser: arithmetic coding, a missing end of file. */
const UNSEEN = new Set(['a-anim.avif', 't-ycbcr.tif', 'jpeg-arithmetic.jpg', 'j-noeoi.jpg']);

/** The files from the field, and those hostile ones that are pictures. */
export async function fixtureFiles(): Promise<JudgedFile[]> {
  const field = await readdir(join(FIXTURES, 'field'));
  const manifest = JSON.parse(await readFile(join(FIXTURES, 'nasty/manifest.json'), 'utf8')) as {
    file: string;
    expect: string;
  }[];
  const nasty = manifest.filter((entry) => entry.expect === 'accept').map(({ file }) => file);
  const files = [...field.map((file) => read('field', file)), ...nasty.map((file) => read('nasty', file))];
  return (await Promise.all(files)).flat();
}

async function read(folder: string, file: string): Promise<JudgedFile[]> {
  const format = FORMATS[extname(file)];
  if (!format || UNSEEN.has(file)) return [];
  const vague = VAGUE[file];
  const warning = vague ?? WARNINGS[file];
  return [
    {
      name: `${folder}/${file}`,
      format,
      bytes: await readFile(join(FIXTURES, folder, file)),
      ...(warning ? { warning } : {}),
      ...(vague ? { isVague: true } : {}),
    },
  ];
}
