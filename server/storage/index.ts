// Owns files on disk: where they lie and how they change atomically. Knows nothing of sessions, images or accounts but their keys.
export { exportKey, namespaceFolder, previewKey, uploadKey, variantCacheKey } from './keys.ts';
export { createLocalStore, type FileStore, type StoredFile } from './local-store.ts';
export { makeDirectory } from './make-directory.ts';
