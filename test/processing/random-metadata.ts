import sharp from 'sharp';
import { type InformationKind, METADATA_LEVELS, type MetadataLevel } from '#contract/constants';
import { expectLedger } from './expect-ledger.ts';
import { ladenJpeg, ladenWith, METADATA_KINDS } from './laden-file.ts';
import { type Harness, photo } from './processor-harness.ts';

const FORMATS = ['jpeg', 'png', 'webp', 'avif', 'original'] as const;

/** Exports JPEGs with random sets of metadata in random blocks and compares each file with the ledger. */
export async function checkRandomFiles(harness: Harness, count: number): Promise<void> {
  const random = createRandom(count);
  const plain = await sharp(photo('photo-brushes.jpg')).resize(24).jpeg({ quality: 20 }).toBuffer();
  for (let index = 0; index < count; index += 1) {
    const kinds = METADATA_KINDS.filter((): boolean => random() < 0.4) as InformationKind[];
    const blocks = ['exif', 'xmp', 'iptc'].filter(() => random() < 0.7);
    const laden = ladenWith(kinds, blocks);
    const source = await harness.store(`random-${index}.jpg`, ladenJpeg(plain, laden));
    const format = pick(FORMATS, random);
    const metadata = pick(METADATA_LEVELS as readonly MetadataLevel[], random);
    const widths = random() < 0.5 ? [16] : [];
    for (const variant of await harness.render(source, { format, metadata, preset: 'low', widths }))
      await expectLedger(variant, laden, metadata);
  }
}

function pick<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)] as T;
}

/** Creates a generator of numbers from 0 to 1 (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
