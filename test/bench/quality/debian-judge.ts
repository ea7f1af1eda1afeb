// The independent judge of quality: `ssimulacra2` of Debian trixie (libjxl 0.11), by other people and in another language than ours.
// Run as a program, it fetches the judge and, given two files of the same size, prints their score:
//   npx tsx test/bench/quality/debian-judge.ts original.png changed.webp
import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import sharp from 'sharp';
import type { Pixels } from '../../../server/processing/worker/score/index.ts';
import { unpackDebianPackages } from '../../support/debian-suite.ts';

const cache = fileURLToPath(new URL('../../../node_modules/.cache/debian-ssimulacra2/', import.meta.url));
const root = join(cache, 'root');

/** A judge outside this project. */
export interface Judge {
  name: string;
  /** Scores a changed version of an original of the same size: 100 is identical. */
  score(original: Pixels, changed: Pixels): Promise<number>;
}

/**
 * Fetches the judge the first time, with apt-get and without installing anything: 25 packages, 110 MB unpacked. It brings its own
 * loader and libraries, so this machine may have another release. A score of a megapixel takes about half a second.
 * @returns null with the reason on the console where it cannot be had
 */
export function fetchDebianJudge(): Judge | null {
  try {
    if (!existsSync(join(cache, 'complete'))) {
      unpackDebianPackages('trixie', ['libjxl-devtools'], { folder: cache, dependencies: true });
      writeFileSync(join(cache, 'complete'), '');
    }
    return { name: 'ssimulacra2 of Debian trixie (libjxl 0.11)', score };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.warn(`NO NATIVE JUDGE: the package libjxl-devtools of Debian trixie cannot be had.\n${reason}`);
    return null;
  }
}

async function score(original: Pixels, changed: Pixels): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'imagewright-judge-'));
  try {
    const [first, second] = [join(folder, 'original.ppm'), join(folder, 'changed.ppm')];
    await Promise.all([writeFile(first, asPortablePixmap(original)), writeFile(second, asPortablePixmap(changed))]);
    const libraries = join(root, `usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`);
    const loader = join(libraries, process.arch === 'arm64' ? 'ld-linux-aarch64.so.1' : 'ld-linux-x86-64.so.2');
    const program = join(root, 'usr/bin/ssimulacra2');
    const { stdout } = await promisify(execFile)(loader, ['--library-path', libraries, program, first, second]);
    const value = Number.parseFloat(stdout);
    if (!Number.isFinite(value)) throw new Error(`Expected a score of ${program}, got "${stdout.trim()}"`);
    return value;
  } finally {
    await rm(folder, { recursive: true });
  }
}

function asPortablePixmap({ data, width, height }: Pixels): Buffer {
  return Buffer.concat([Buffer.from(`P6\n${width} ${height}\n255\n`), data]);
}

/** Decodes a file as the service sees it: upright, sRGB, on white. */
export async function readPixels(file: string): Promise<Pixels> {
  const image = sharp(file).rotate().toColourspace('srgb').flatten({ background: '#fff' });
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [original, changed] = process.argv.slice(2);
  const judge = fetchDebianJudge();
  if (judge && original && changed) {
    console.log(await judge.score(await readPixels(original), await readPixels(changed)));
  }
}
