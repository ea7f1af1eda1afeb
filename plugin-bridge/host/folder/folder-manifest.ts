import { HostError } from '../host-error.ts';
import { sha256 } from '../sha256.ts';
import type { FolderFiles } from './folder-files.ts';

/** Where originals are kept, each under its own path. */
const BACKUP_FOLDER = '.imagewright-backup';
const PATH = `${BACKUP_FOLDER}/manifest.json`;

/** A file and what it was when we wrote or kept it. */
export interface KnownFile {
  path: string;
  size: number;
  sha256: string;
}

/** A replaced image. */
export interface ReplacedEntry {
  /** As it was; kept at `BACKUP_FOLDER/<path>`. */
  original: KnownFile;
  /** What stands in its place: `full` first. Planned ones of an interrupted replacement are in it too. */
  files: KnownFile[];
  title: string | null;
  alt: string | null;
  /** ISO 8601. */
  replacedAt: string;
}

/** Replaced images by id, which is the original's path. */
export type Manifest = Map<string, ReplacedEntry>;

/** Reads the list of replaced images; without one, nothing is replaced. @throws HostError `no_backup` when it is damaged */
export async function readManifest(files: FolderFiles): Promise<Manifest> {
  const file = await files.read(PATH);
  if (!file) return new Map();
  try {
    const { images } = JSON.parse(await file.text()) as { images: { [id: string]: ReplacedEntry } };
    return new Map(Object.entries(images));
  } catch (error) {
    throw new HostError('no_backup', `${PATH} is damaged: the originals lie beside it.`, { cause: error });
  }
}

/** Writes the list of replaced images; an empty one is removed. */
export async function writeManifest(files: FolderFiles, manifest: Manifest): Promise<void> {
  if (manifest.size === 0) return files.remove(PATH);
  const text = JSON.stringify({ version: 1, images: Object.fromEntries(manifest) }, null, 2);
  await files.write(PATH, new Blob([text]));
}

/** Where the original of an image is kept. */
export function backupPath(path: string): string {
  return `${BACKUP_FOLDER}/${path}`;
}

/** What a file is now. */
export async function describeFile(path: string, content: Blob): Promise<KnownFile> {
  return { path, size: content.size, sha256: await sha256(content) };
}

/** Whether a file is still what it was. */
export async function isUnchanged(file: Blob, known: KnownFile): Promise<boolean> {
  return file.size === known.size && (await sha256(file)) === known.sha256;
}
