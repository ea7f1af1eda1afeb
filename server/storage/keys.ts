import { randomBytes } from 'node:crypto';

const SEGMENT = /^[0-9A-Za-z][0-9A-Za-z_-]{0,127}(\.[0-9a-z]{1,8})?$/;

/** Joins segments made by the service itself into a store key; a segment with any other character is a programming error. */
function storeKey(...segments: string[]): string {
  for (const segment of segments) {
    if (!SEGMENT.test(segment)) throw new TypeError(`not a store key segment: ${JSON.stringify(segment)}`);
  }
  return segments.join('/');
}

/** Folder of a namespace: a session's uploads and previews, or its samples. */
export const namespaceFolder = (namespace: string) => storeKey('sessions', namespace);

/** Key of an uploaded file; also the `uploadPath` that callers see. */
export const uploadKey = (sessionId: string, imageId: string, extension: string) =>
  storeKey('sessions', sessionId, `${imageId}.${extension}`);

/** Key of the review preview of an image. */
export const previewKey = (sessionId: string, imageId: string, width: number) =>
  storeKey('sessions', sessionId, 'previews', `${imageId}-${width}.webp`);

/** Key of a copy of an uploaded file without private metadata. */
export const bareKey = (sessionId: string, imageId: string, extension: string) =>
  storeKey('sessions', sessionId, 'previews', `${imageId}-bare.${extension}`);

/** Folder of all variants. */
export const VARIANTS = 'variants';

/**
 * Returns a new key for a variant, by the hash of everything that made it. No two are equal, so that the removal of one file never removes one that was made later.
 */
export const newVariantKey = (hash: string, extension: string) =>
  storeKey(VARIANTS, hash.slice(0, 2), `${hash}-${randomBytes(4).toString('hex')}.${extension}`);

/** Returns the hash in the key of a variant. */
export const variantHashOf = (key: string) => key.split('/').at(-1)?.split(/[-.]/)[0] ?? '';
