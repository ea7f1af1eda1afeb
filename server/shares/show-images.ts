import { createHash } from 'node:crypto';
import { SAMPLE_SUFFIX, type SharedImage } from '#contract';
import type { ImageRecord, OutputFile, OutputRecord } from '../db/index.ts';

/** A whole-size file that was made of an image. */
interface Result {
  kind: 'sample' | 'export';
  file: OutputFile;
  at: Date;
}

/** Returns the newest whole-size file of records of one image, of those with a hash if it is given; undefined without one. */
export function newestResult(records: OutputRecord[], sha256?: string): Result | undefined {
  const isWanted = (file: OutputFile) => file.variant === 'full' && (sha256 === undefined || file.sha256 === sha256);
  const wanted = records.map((record) => ({ ...record, files: record.files.filter(isWanted) }));
  return [...newestResults(wanted).values()][0];
}

/** Returns the newest whole-size file of each image, by the image's id. */
export function newestResults(records: OutputRecord[]): Map<string, Result> {
  const newest = new Map<string, Result>();
  for (const { _id, namespace, files, updatedAt: at } of records) {
    const whole = files.filter(({ variant }) => variant === 'full');
    // Of several formats one that moves, if the image does.
    const file = whole.find(({ lacks }) => !lacks?.includes('animation')) ?? whole[0];
    const imageId = _id.split(':')[1] ?? '';
    const known = newest.get(imageId);
    if (!file || (known && known.at >= at)) continue;
    newest.set(imageId, { kind: namespace.endsWith(SAMPLE_SUFFIX) ? 'sample' : 'export', file, at });
  }
  return newest;
}

/** Converts an image to what a visitor sees, without texts' version and answer. */
export function showSharedImage(
  image: ImageRecord,
  result: Result | undefined,
): Omit<SharedImage, 'textsVersion' | 'answer'> {
  const { _id: id, originalFilename: name, format, size, width, height } = image;
  return {
    id,
    name,
    original: { format, size, width, height },
    result: result ? { kind: result.kind, ...factsOf(result.file) } : null,
    texts: textsOf(image),
  };
}

function factsOf({ filename, sha256, mimeType, size, width, height }: OutputFile) {
  return { filename, sha256, format: mimeType.replace('image/', ''), size, width, height };
}

/** Returns the texts that a visitor reads. */
function textsOf({ metadata }: Pick<ImageRecord, 'metadata'>): SharedImage['texts'] {
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
