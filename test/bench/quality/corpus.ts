import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp, { type Sharp } from 'sharp';

/** A file that images of the corpus are made of; all of them belong to one fold. */
export interface Source {
  name: string;
  file: string;
  width: number;
  height: number;
}

/** One image of the corpus: a source, or a part or a smaller version of it. */
export interface CorpusImage {
  name: string;
  source: Source;
  width: number;
  height: number;
  open: () => Sharp;
}

const FOLDERS = ['../../fixtures/photos/', '../../../../shared/images/public/', '../../../../shared/images/corpus/'];
const SIZE = 60;
/** Sources above are taken as they are. */
const LARGE_PIXELS = 8_000_000;
const FOLDS = 5;

/** Lists the sources that are there: the fixtures, and larger collections beside the project. */
export async function findSources(): Promise<Source[]> {
  const sources = new Map<string, Source>();
  for (const folder of FOLDERS.map((path) => fileURLToPath(new URL(path, import.meta.url))).filter(existsSync)) {
    for (const file of (await readdir(folder)).filter((name) => /\.(jpg|png|webp)$/.test(name))) {
      const name = basename(file).replace(/\.\w+$/, '');
      const { autoOrient } = await sharp(join(folder, file)).metadata();
      if (!sources.has(name)) sources.set(name, { name, file: join(folder, file), ...autoOrient });
    }
  }
  return [...sources.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Number of the fold of a source; sources of a fold are judged with what was learnt of the others. */
export function foldOf(source: string): number {
  return (createHash('sha256').update(source).digest()[0] ?? 0) % FOLDS;
}

/** Assembles the images: large sources whole, then crops and widths of all sources in turn. */
export function assembleCorpus(sources: Source[], size = SIZE): CorpusImage[] {
  const fullSize = sources.filter(({ width, height }) => width * height > LARGE_PIXELS).map((source) => asIs(source));
  const smaller = [asWidth(1100), asCrop(900, 700), asWidth(480), asCrop(500, 500), asWidth(300)];
  const derived = smaller.flatMap((derive) => sources.map(derive));
  return [...fullSize, ...derived].slice(0, size);
}

function asIs(source: Source): CorpusImage {
  const { name, file, width, height } = source;
  return { name, source, width, height, open: () => sharp(file).autoOrient() };
}

function asWidth(most: number): (source: Source) => CorpusImage {
  return (source) => {
    const width = Math.min(most, source.width);
    const height = Math.round((source.height * width) / source.width);
    const open = () => sharp(source.file).autoOrient().resize({ width, height, fit: 'fill' });
    return { name: `${source.name}-${width}w`, source, width, height, open };
  };
}

/** A part from below and left of the middle. */
function asCrop(width: number, height: number): (source: Source) => CorpusImage {
  return (source) => {
    const size = { width: Math.min(width, source.width), height: Math.min(height, source.height) };
    const left = Math.floor((source.width - size.width) * 0.4);
    const top = Math.floor((source.height - size.height) * 0.6);
    const open = () =>
      sharp(source.file)
        .autoOrient()
        .extract({ left, top, ...size });
    return { name: `${source.name}-crop${width}`, source, ...size, open };
  };
}
