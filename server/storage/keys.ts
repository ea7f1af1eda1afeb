const SEGMENT = /^[0-9A-Za-z][0-9A-Za-z_-]{0,127}(\.[0-9a-z]{1,8})?$/;

/** Joins segments made by the service itself into a store key; a segment with any other character is a programming error. */
function storeKey(...segments: string[]): string {
  for (const segment of segments) {
    if (!SEGMENT.test(segment)) throw new TypeError(`not a store key segment: ${JSON.stringify(segment)}`);
  }
  return segments.join('/');
}

/** Folder of a namespace: a session's uploads and exports, or its samples. */
export const namespaceFolder = (namespace: string) => storeKey('sessions', namespace);

/** Key of an uploaded file; also the `uploadPath` that callers see. */
export const uploadKey = (sessionId: string, imageId: string, extension: string) =>
  storeKey('sessions', sessionId, `${imageId}.${extension}`);

/** Key of the review preview of an image. */
export const previewKey = (sessionId: string, imageId: string, width: number) =>
  storeKey('sessions', sessionId, 'previews', `${imageId}-${width}.webp`);

/** Key of an exported file; also the variant's `path` that callers see. */
export const exportKey = (namespace: string, name: string) => storeKey('sessions', namespace, 'exports', name);

/** Key of a cached variant, by the hash of everything that made it. */
export const variantCacheKey = (hash: string, extension: string) =>
  storeKey('variants', hash.slice(0, 2), `${hash}.${extension}`);
