import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import sharp from 'sharp';
import { findSources } from '../quality/corpus.ts';

const SIZE = { width: 1200, height: 800 };
const COUNT = 200;
const SEED = 35;
/** Of a quick run each so many crops give one. */
const QUICK_STEP = 10;

/**
 * Makes a folder with crops of 1,200 x 800 pixels of the corpus' sources: PNG where the source is one, else JPEG; made once and kept.
 * Sources take turns, and the places are the same in every run.
 * @param quick true for 20 of the 200 crops
 */
export async function cropFolder(quick: boolean): Promise<string> {
  const sources = (await findSources()).filter(({ width, height }) => width >= SIZE.width && height >= SIZE.height);
  const numbers = Array.from({ length: COUNT }, (_, index) => index).filter(
    (index) => !quick || index % QUICK_STEP === 0,
  );
  const folder = join(tmpdir(), `imagewright-bench-crops-${SEED}-${sources.length}-${numbers.length}`);
  if (existsSync(folder) && (await readdir(folder)).length === numbers.length) return folder;
  const making = `${folder}-${process.pid}`;
  await mkdir(making, { recursive: true });
  for (const number of numbers) {
    const source = sources[number % sources.length];
    if (!source) throw new Error(`expected sources of at least ${SIZE.width} x ${SIZE.height} pixels`);
    const [left, top] = placeOf(number, source.width - SIZE.width, source.height - SIZE.height);
    const crop = sharp(source.file)
      .autoOrient()
      .extract({ left, top, ...SIZE });
    const target = join(making, `${source.name}-${number}`);
    if (extname(source.file) === '.png') await crop.png().toFile(`${target}.png`);
    else await crop.jpeg({ quality: 92 }).toFile(`${target}.jpg`);
  }
  await rename(making, folder);
  return folder;
}

/** Returns a place of a crop by its number, from 0 up to what is given for each direction. */
function placeOf(number: number, mostLeft: number, mostTop: number): [left: number, top: number] {
  const random = createHash('sha256').update(`${SEED}:${number}`).digest();
  const share = (offset: number) => random.readUInt16BE(offset) / 65_535;
  return [Math.round(share(0) * mostLeft), Math.round(share(2) * mostTop)];
}
