// Owns files: where they are, their keys and their atomic changes. Must not know sessions, images or accounts, only keys.

export { createFolderStore } from './folder-store.ts';
export { closeDirectory, makeDirectory } from './make-directory.ts';
export {
  bareKey,
  namespaceFolder,
  newVariantKey,
  type ObjectStore,
  previewKey,
  uploadKey,
  VARIANTS,
  variantHashOf,
} from './object-store.ts';
export { createScratch, type Scratch } from './scratch.ts';
export { acceptStore, type Files, identifyStore, openFiles } from './store-identity.ts';
