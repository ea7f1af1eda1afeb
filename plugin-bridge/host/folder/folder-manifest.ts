import { HostError } from '../host-error.ts';
import { sha256 } from '../sha256.ts';
import type { FolderFiles } from './folder-files.ts';

/** Folder of the originals, each under its own path. */
const BACKUP_FOLDER = '.imagewright-backup';
const PATH = `${BACKUP_FOLDER}/manifest.json`;

/** A file with its size and checksum at the time it was written or backed up. */
export interface KnownFile {
  path: string;
  size: number;
  sha256: string;
}

/** A replaced image. */
export interface ReplacedEntry {
  /** The original; its backup is `BACKUP_FOLDER/<path>`. */
  original: KnownFile;
  /** Files that replace it, `full` first. Includes planned files of an interrupted replacement. */
  files: KnownFile[];
  title: string | null;
  alt: string | null;
  /** ISO 8601. */
  replacedAt: string;
}

/** Replaced images by id, which is the original's path. */
export type Manifest = Map<string, ReplacedEntry>;

/** Reads the list of replaced images; empty if there is none. @throws HostError `no_backup` if it is damaged */
export async function readManifest(files: FolderFiles): Promise<Manifest> {
  const file = await files.read(PATH);
  // An empty one is all that an interrupted first write leaves.
  if (!file?.size) return new Map();
  try {
    const { images } = JSON.parse(await file.text()) as { images: { [id: string]: ReplacedEntry } };
    return new Map(Object.entries(images));
  } catch (error) {
    throw new HostError('no_backup', `${PATH} is damaged: the originals are in the same folder.`, { cause: error });
  }
}

/** Writes the list of replaced images, or removes it if it is empty. */
export async function writeManifest(files: FolderFiles, manifest: Manifest): Promise<void> {
  if (manifest.size === 0) return files.remove(PATH);
  const text = JSON.stringify({ version: 1, images: Object.fromEntries(manifest) }, null, 2);
  await files.write(PATH, new Blob([text]));
}

/** Returns the path of an image's backup. */
export function backupPath(path: string): string {
  return `${BACKUP_FOLDER}/${path}`;
}

/** Returns size and checksum of a file. */
export async function describeFile(path: string, content: Blob): Promise<KnownFile> {
  return { path, size: content.size, sha256: await sha256(content) };
}

/** Tests whether a file has the known size and checksum. */
export async function isUnchanged(file: Blob, known: KnownFile): Promise<boolean> {
  return file.size === known.size && (await sha256(file)) === known.sha256;
}
