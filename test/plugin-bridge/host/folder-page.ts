// Test page of the folder host: the folder is in the browser's private file system, with real files.
import { createFolderHost, HostError, type Replacement, sha256 } from '../../../plugin-bridge/host/index.ts';

/** Variant as serializable data. */
export interface VariantInput {
  name: string;
  filename: string;
  /** Bytes as text. */
  text: string;
}

const folder = () => navigator.storage.getDirectory();

async function fileAt(path: string, create = false): Promise<FileSystemFileHandle> {
  const parts = path.split('/');
  let place = await folder();
  for (const part of parts.slice(0, -1)) place = await place.getDirectoryHandle(part, { create });
  return place.getFileHandle(parts.at(-1) ?? '', { create });
}

async function walk(place: FileSystemDirectoryHandle, prefix = ''): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for await (const [name, entry] of place.entries()) {
    if (entry.kind === 'directory')
      found.push(...(await walk(entry as FileSystemDirectoryHandle, `${prefix}${name}/`)));
    else found.push([prefix + name, await (await (entry as FileSystemFileHandle).getFile()).text()]);
  }
  return found.sort(([a], [b]) => (a < b ? -1 : 1));
}

async function toReplacement(originalSize: number, variants: VariantInput[], metadata: unknown): Promise<Replacement> {
  const made = variants.map(async ({ name, filename, text }) => {
    const blob = new Blob([text]);
    const known = { name, filename, width: 1, height: 1, mime: 'image/webp', url: '', size: blob.size };
    return { ...known, sha256: await sha256(blob), blob: async () => blob };
  });
  return {
    variants: await Promise.all(made),
    metadata: metadata as Replacement['metadata'],
    settings: {} as Replacement['settings'],
    original: { size: originalSize, width: 1, height: 1, format: 'jpeg' },
    sessionId: '',
    imageId: '',
  };
}

/** Error as serializable data. */
async function outcomeOf<Result>(work: Promise<Result>): Promise<Result | { code: string; message: string }> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof HostError) return { code: error.code, message: error.message };
    throw error;
  }
}

const actions = {
  /** Returns every file of the folder with its text, backup included. */
  files: async () => Object.fromEntries(await walk(await folder())),
  async put(path: string, text: string) {
    const stream = await (await fileAt(path, true)).createWritable();
    await stream.write(text);
    await stream.close();
  },
  list: async (query: object) => createFolderHost(await folder()).list(query),
  /** `size` and `text`: of the uploaded file, if any. */
  async check(id: string, size?: number, text?: string) {
    const checksum = text === undefined ? undefined : await sha256(new Blob([text]));
    const uploaded = size === undefined ? undefined : { size, sha256: checksum, width: 1, height: 1, format: 'jpeg' };
    const { check } = createFolderHost(await folder());
    return outcomeOf(check?.(id, { uploaded }) ?? Promise.reject(new Error('no check')));
  },
  fetch: async (id: string) =>
    outcomeOf(
      createFolderHost(await folder())
        .fetch(id)
        .then((blob) => blob.text()),
    ),
  async replace(id: string, variants: VariantInput[], { size = -1, metadata = null as unknown } = {}) {
    const original = size >= 0 ? size : (await (await fileAt(id)).getFile()).size;
    return outcomeOf(createFolderHost(await folder()).replace(id, await toReplacement(original, variants, metadata)));
  },
  restore: async (id: string) => outcomeOf(createFolderHost(await folder()).restore(id)),
  /** Makes writing files fail if their names contain `part`. */
  refuse(part: string) {
    const { createWritable } = FileSystemFileHandle.prototype;
    FileSystemFileHandle.prototype.createWritable = function (...options) {
      if (this.name.includes(part)) throw new DOMException('The disk is full.', 'QuotaExceededError');
      return createWritable.apply(this, options);
    };
  },
};

export type FolderActions = typeof actions;
Object.assign(window, { actions });
