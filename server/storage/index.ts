// Owns files: where they are, their keys and their atomic changes. Must not know sessions, images or accounts, only keys.
export { closeDirectory } from './make-directory.ts';
export { createFolderStore } from './folder-store.ts';
export { bareKey, namespaceFolder, newVariantKey, previewKey, uploadKey, VARIANTS, variantHashOf } from './object-store.ts';
export { makeDirectory } from './make-directory.ts';
export type { ObjectStore } from './object-store.ts';
export { type Files, openFiles } from './store-identity.ts';
export { createScratch, type Scratch } from './scratch.ts';
export { acceptStore, identifyStore } from './store-identity.ts';
