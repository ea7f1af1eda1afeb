// Owns files: where they are, their keys and their atomic changes. Must not know sessions, images or accounts, only keys.

export { locateStore } from './config.ts';
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
export { prepareFiles } from './prepare-files.ts';
export { createRemovalQueue } from './removal-queue.ts';
export { acceptStore, type Files, identifyStore, openFiles, STORE_ID_KEY } from './store-identity.ts';
export { requireUsable, type StoreReport, type StoreTrial, tryStore } from './try-store.ts';
export { createVerifier } from './verify-files.ts';
export { createWriteProbe, type WriteProbe } from './write-probe.ts';
