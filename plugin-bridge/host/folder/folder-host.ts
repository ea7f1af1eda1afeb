import type {
  CmsHost,
  HostImage,
  HostPage,
  HostQuery,
  Replaced,
  Replacement,
  Restored,
  Uploaded,
} from '../cms-host.ts';
import { HostError } from '../host-error.ts';
import { typeOf } from '../image-types.ts';
import { type Folder, type FolderFiles, openFolder, splitPath } from './folder-files.ts';
import {
  backupPath,
  describeFile,
  isUnchanged,
  type KnownFile,
  type Manifest,
  type ReplacedEntry,
  readManifest,
  writeManifest,
} from './folder-manifest.ts';
import { namePaths } from './folder-names.ts';

/**
 * Creates a host for a folder on the visitor's computer. An image's id is its path. Replacing moves the original to
 * `.imagewright-backup` and writes the new files in its folder; restoring puts it back byte for byte.
 */
export function createFolderHost(folder: Folder): CmsHost {
  const files = openFolder(folder);
  /** Replacements change one list, so they run one after the other. */
  let queue: Promise<unknown> = Promise.resolve();

  function inTurn<Result>(work: (manifest: Manifest) => Promise<Result>): Promise<Result> {
    const turn = queue.then(async () => {
      const locks = globalThis.navigator?.locks;
      const run = async () => work(await readManifest(files));
      return (await (locks ? locks.request(`imagewright-folder:${folder.name}`, run) : run())) as Result;
    });
    queue = turn.catch(() => {});
    return turn;
  }

  return {
    id: `folder:${folder.name}`,
    list: async (query) => listImages(await readManifest(files), files, query),
    async check(id, { uploaded } = {}) {
      const entry = (await readManifest(files)).get(id);
      if (entry) await requireOwnPlaces(id, entry, files);
      else if (uploaded) await requireUploaded(id, uploaded, files);
    },
    async fetch(id) {
      const manifest = await readManifest(files);
      const file = await files.read(manifest.has(id) ? backupPath(id) : id);
      if (!file) throw new HostError(manifest.has(id) ? 'no_backup' : 'not_found', `${id} no longer exists.`);
      // Some systems do not know the type: the extension decides.
      return file.type ? file : new File([file], file.name, { type: typeOf(id) ?? '' });
    },
    replace: (id, replacement) => inTurn((manifest) => replaceFile(id, replacement, files, manifest)),
    restore: (id) => inTurn((manifest) => restoreFile(id, files, manifest)),
  };
}

async function listImages(manifest: Manifest, files: FolderFiles, query: HostQuery): Promise<HostPage> {
  const made = new Set([...manifest.values()].flatMap((entry) => entry.files.map((file) => file.path)));
  const found = (await files.list()).filter((path) => typeOf(path) && !made.has(path));
  const all = [...new Set([...found, ...manifest.keys()])].sort();
  const wanted = (query.ids ? query.ids.filter((id) => all.includes(id)) : all).filter((id) => {
    const status = manifest.has(id) ? 'replaced' : 'original';
    const words = `${id} ${manifest.get(id)?.title ?? ''}`.toLowerCase();
    return (!query.status || query.status === status) && words.includes(query.search?.toLowerCase() ?? '');
  });
  const start = Number(query.cursor ?? 0);
  const end = start + (query.limit ?? 100);
  const images: HostImage[] = [];
  for (const id of wanted.slice(start, end)) {
    const entry = manifest.get(id);
    const bytes = entry?.original.size ?? (await files.read(id))?.size ?? null;
    images.push({
      id,
      url: null,
      filename: splitPath(id).name,
      title: entry?.title ?? null,
      alt: entry?.alt ?? null,
      width: null,
      height: null,
      mime: typeOf(id) ?? '',
      bytes,
      status: entry ? 'replaced' : 'original',
    });
  }
  return { images, nextCursor: end < wanted.length ? String(end) : null, total: wanted.length };
}

async function replaceFile(
  id: string,
  replacement: Replacement,
  files: FolderFiles,
  manifest: Manifest,
): Promise<Replaced> {
  // The original would be removed without a file in its place.
  if (!replacement.variants.some(({ name }) => name === 'full')) {
    throw new HostError('no_gain', `${id} cannot be made smaller.`);
  }
  const before = manifest.get(id);
  const original = before?.original ?? (await keepOriginal(id, replacement, files));
  const ours = new Set([id, ...(before?.files ?? []).map((file) => file.path)]);
  const paths = namePaths(id, replacement, await files.namesBeside(id), ours);
  const contents = await Promise.all(replacement.variants.map((variant) => variant.blob()));
  // For the first replacement `keepOriginal` has compared the file.
  if (before) await requireOwnPlaces(id, before, files);
  const made: KnownFile[] = await Promise.all(paths.map((path, index) => describeFile(path, contents[index] as Blob)));
  const { title = null, alt = null } = replacement.metadata ?? {};
  const entry = { original, files: made, title, alt, replacedAt: new Date().toISOString() };

  // The list is written first and contains the old files, so that an interrupted replacement can be restored.
  manifest.set(id, { ...entry, files: [...made, ...(before?.files ?? [])] });
  await writeManifest(files, manifest);
  try {
    for (const [index, path] of paths.entries()) await files.write(path, contents[index] as Blob);
    for (const path of ours) if (!paths.includes(path)) await files.remove(path);
    manifest.set(id, entry);
    await writeManifest(files, manifest);
  } catch (error) {
    await restoreFile(id, files, manifest);
    throw error;
  }
  return { url: null };
}

/** Returns the file of an image if it is still the uploaded one. @throws HostError `not_found`, `changed` */
async function requireUploaded(id: string, { size, sha256 }: Uploaded, files: FolderFiles): Promise<File> {
  const file = await files.read(id);
  if (!file) throw new HostError('not_found', `${id} no longer exists.`);
  const isSame = file.size === size && (!sha256 || (await describeFile(id, file)).sha256 === sha256);
  if (!isSame) throw new HostError('changed', `${id} was changed since it was uploaded.`);
  return file;
}

/** Copies an image to the backup and verifies the copy. @throws HostError `no_backup` */
async function keepOriginal(id: string, { original }: Replacement, files: FolderFiles): Promise<KnownFile> {
  const file = await requireUploaded(id, original, files);
  const known = await describeFile(id, file);
  await files.write(backupPath(id), file);
  const copy = await files.read(backupPath(id));
  if (!copy || !(await isUnchanged(copy, known))) throw new HostError('no_backup', `${id} could not be backed up.`);
  return known;
}

/** Checks that the paths of a replaced image hold no other files. @throws HostError `changed` */
async function requireOwnPlaces(id: string, entry: ReplacedEntry, files: FolderFiles): Promise<void> {
  const known = [entry.original, ...entry.files];
  for (const path of new Set([id, ...entry.files.map((file) => file.path)])) await requireOurs(path, known, files);
}

/** Checks that the file at a path, if any, is one of `known`. @throws HostError `changed` */
async function requireOurs(path: string, known: readonly KnownFile[], files: FolderFiles): Promise<void> {
  const there = await files.read(path);
  // An interrupted write leaves an empty file.
  if (!there?.size) return;
  for (const file of known) if (file.path === path && (await isUnchanged(there, file))) return;
  throw new HostError('changed', `Another file is at ${path}: move it away first.`);
}

async function restoreFile(id: string, files: FolderFiles, manifest: Manifest): Promise<Restored> {
  const entry = manifest.get(id);
  if (!entry) return { url: null, restored: false };
  const backup = await files.read(backupPath(id));
  const there = await files.read(id);
  const isBack = there !== null && (await isUnchanged(there, entry.original));
  if (!isBack) {
    if (!backup || !(await isUnchanged(backup, entry.original))) {
      throw new HostError('no_backup', `The original of ${id} is missing in the backup, or damaged.`);
    }
    await requireOurs(id, entry.files, files);
    await files.write(id, backup);
  }
  for (const made of entry.files) {
    if (made.path === id) continue;
    const file = await files.read(made.path);
    // A file that was edited since is kept.
    if (file && (file.size === 0 || (await isUnchanged(file, made)))) await files.remove(made.path);
  }
  manifest.delete(id);
  await writeManifest(files, manifest);
  await files.remove(backupPath(id));
  return { url: null, restored: true };
}
