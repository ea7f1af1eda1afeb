import { createHash } from 'node:crypto';
import type { SharedImage } from '#contract';
import type { ImageRecord } from '../db/index.ts';

/** Returns the texts that a visitor reads. */
export function textsOf({ metadata }: Pick<ImageRecord, 'metadata'>): SharedImage['texts'] {
  const { filename = null, title = null, alt = null, caption = null, decorative = false } = metadata ?? {};
  return { filename, title, alt, caption, decorative };
}

/** Returns the version of an image's texts: 16 hexadecimal digits of a hash, equal for equal texts. */
export function textsVersionOf(image: Pick<ImageRecord, 'metadata'>): string {
  return createHash('sha256')
    .update(JSON.stringify(textsOf(image)))
    .digest('hex')
    .slice(0, 16);
}
