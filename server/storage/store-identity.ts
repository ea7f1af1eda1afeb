import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { adminCommand } from '../admin-command.ts';
import { StartError } from '../errors.ts';
import { locateStore, type StorageConfig } from './config.ts';
import type { ObjectStore } from './object-store.ts';
import { createFolderStore, createScratch, type Scratch } from './object-store.ts';
import type { StoreLogger } from './trouble-log.ts';

/** Key of the file that names the store. */
export const STORE_ID_KEY = 'store-id';
/** Longest wait for another server that is about to name the store, in milliseconds. */
const NAMING_MS = 5000;
const POLL_MS = 100;

/** The id of the store that belongs to the database. */
interface Agreement {
  /** Stores an id unless there is one, and returns the stored one. */
  agree: (id: string) => Promise<string>;
  /** Removes this id, which the store could not take. */
  withdraw: (id: string) => Promise<void>;
}

/**
 * Checks that the files are those of the database: both hold the same id. The first start names them.
 * @throws StartError if the files belong to another database, or a folder is not the one that the other servers share
 */
export async function identifyStore(
  { store, scratch }: Files,
  { agree, withdraw }: Agreement,
  namingMs = NAMING_MS,
): Promise<void> {
  const found = await readId(store);
  const own = found ?? randomBytes(12).toString('hex');
  const agreed = await agree(own);
  if (agreed === found) return;
  if (found === null && agreed === own) {
    return writeId({ store, scratch }, own).catch(async (error: unknown) => {
      // Else the next start would look for a store that holds it.
      await withdraw(own);
      throw error;
    });
  }
  for (const givesUpAt = performance.now() + namingMs; performance.now() < givesUpAt; await sleep(POLL_MS))
    if ((await readId(store)) === agreed) return;
  const state = found === null ? 'it holds none' : `it holds those of another (${found})`;
  throw new StartError(
    `FILES_URL, DATA_DIR: expected the files of this database (store ${agreed}) in ${store.place}, but ${state}. Every server needs the same store: set the same FILES_URL, or share the folder. If the files are lost or were copied here, \`${adminCommand('files accept')}\` makes this the store of the database`,
  );
}

/** Makes these files those of the database, which `replace` tells. Returns their id. */
export async function acceptStore(files: Files, replace: (id: string) => Promise<void>): Promise<string> {
  const found = await readId(files.store);
  const id = found ?? randomBytes(12).toString('hex');
  if (found === null) await writeId(files, id);
  await replace(id);
  return id;
}

async function readId(store: Files['store']): Promise<string | null> {
  const opened = await store.open(STORE_ID_KEY);
  return opened && (await text(opened.stream)).trim();
}

async function writeId({ store, scratch }: Files, id: string): Promise<void> {
  const file = scratch.newFile();
  const content = `${id}\n`;
  await writeFile(file, content, { flush: true, mode: 0o600 });
  await store.putFile(STORE_ID_KEY, file, { size: content.length, contentType: 'text/plain' });
}

/** The files of the service, and the place of the ones that this server works on. */
export interface Files {
  store: ObjectStore;
  scratch: Scratch;
}

/** Opens the configured store of files: a folder, or an S3-compatible service. */
export async function openFiles(config: StorageConfig, logger: StoreLogger = UNHEARD): Promise<Files> {
  const directory = join(config.DATA_DIR, 'files');
  const scratch = createScratch({ directory: join(directory, 'incoming') });
  const s3 = locateStore(config);
  if (!s3) return { store: createFolderStore({ directory }), scratch };
  // Loaded only where it is used.
  const [{ createS3Store }, { chooseCredentials }] = await Promise.all([
    import('./s3-store.ts'),
    import('./s3-credentials.ts'),
  ]);
  const credentials = await chooseCredentials(config, s3.region);
  const stored = {
    StorageClass: config.FILES_STORAGE_CLASS as undefined,
    ServerSideEncryption: config.FILES_ENCRYPTION,
    SSEKMSKeyId: config.FILES_KMS_KEY_ID,
  };
  const copiesBytes = config.FILES_COPIES_MB * 1_000_000;
  return { store: createS3Store({ s3, credentials, stored, scratch, copiesBytes, logger }), scratch };
}

const UNHEARD: StoreLogger = { warn() {}, info() {} };
