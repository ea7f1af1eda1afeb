// Owns files: where they are, their keys and their atomic changes. Must not know sessions, images or accounts, only keys.

export { closeDirectory, makeDirectory } from './make-directory.ts';
export {
  bareKey,
  createFolderStore,
  createScratch,
  namespaceFolder,
  newVariantKey,
  type ObjectStore,
  previewKey,
  type Scratch,
  uploadKey,
  VARIANTS,
  variantHashOf,
} from './object-store.ts';
export { acceptStore, type Files, identifyStore, openFiles } from './store-identity.ts';
export { createVerifier } from './verify-files.ts';
export { createWriteProbe, type WriteProbe } from './write-probe.ts';
