import { join } from 'node:path';
import { readPlace, type StorageConfig } from './config.ts';
import { createFolderStore } from './folder-store.ts';
import type { ObjectStore } from './object-store.ts';
import { createScratch, type Scratch } from './scratch.ts';

/** The files of the service, and the place of those that this server works on. */
export interface Files {
  store: ObjectStore;
  scratch: Scratch;
}

/** Opens the configured store of files: a folder, or an S3-compatible service. */
export async function openFiles(config: StorageConfig): Promise<Files> {
  const directory = join(config.DATA_DIR, 'files');
  const scratch = createScratch({ directory: join(directory, 'incoming') });
  const place = config.FILES_URL === undefined ? null : readPlace(config.FILES_URL);
  if (!place) return { store: createFolderStore({ directory }), scratch };
  // Loaded only where it is used.
  const { createS3Store } = await import('./s3-store.ts');
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', FILES_COPIES_MB } = config;
  const s3 = { ...place, accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
  return { store: createS3Store({ s3, scratch, copiesBytes: FILES_COPIES_MB * 1_000_000 }), scratch };
}
