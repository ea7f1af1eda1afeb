// Owns files on disk: their paths and their atomic changes. Must not know sessions, images or accounts, only keys.
export { closeDirectory } from './close-directory.ts';
export { exportKey, namespaceFolder, previewKey, uploadKey, variantCacheKey } from './keys.ts';
export { createLocalStore, type FileStore, type StoredFile } from './local-store.ts';
export { makeDirectory } from './make-directory.ts';
