import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { expect } from 'vitest';
import type { MetadataLevel } from '#contract/constants';
import type { RenderedVariant } from '../../server/processing/index.ts';
import { fateOf, rowOf } from '../../server/processing/shared/ledger.ts';
import type { Laden } from './laden-file.ts';

/** Compares what a file says with the ledger: each text of the source is kept, or is nowhere in its bytes. */
export async function expectLedger(variant: RenderedVariant, laden: Laden, level: MetadataLevel): Promise<void> {
  const bytes = await readFile(variant.file);
  const { exif, xmpAsString = '' } = await sharp(bytes).metadata();
  for (const { kind, block, text } of laden.marks) {
    const place = `${text} (${kind}, ${level}, ${variant.format})`;
    if (fateOf(kind, variant.format, level) !== 'kept') {
      expect(bytes.includes(text), `removed: ${place}`).toBe(false);
      continue;
    }
    if (block === 'exif') expect(exif?.includes(text), `kept: ${place}`).toBe(true);
    if (block === 'xmp') expect(xmpAsString.includes(text), `kept: ${place}`).toBe(true);
    // IPTC counts where XMP is silent.
    const isFirst = block === 'iptc' && !laden.marks.some((mark) => mark.kind === kind && mark.block === 'xmp');
    const name = isFirst ? rowOf(kind).iptc?.[Number(/-(\d+)\.$/.exec(text)?.[1])] : null;
    if (name) expect(xmpAsString.includes(text), `kept: ${place}`).toBe(true);
  }
  expect(bytes.includes('Private')).toBe(false);
}
