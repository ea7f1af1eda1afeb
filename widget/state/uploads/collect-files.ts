import type { AddSource } from '../types.ts';

/** Input of `addFiles`: files, or the DataTransfer of a drop or paste (folders are read recursively). */
export type FileSource = Iterable<Blob> | ArrayLike<Blob> | DataTransfer;

/** A file that may be added, with properties that its `File` may lack. */
export interface Candidate {
  file: Blob | null;
  name: string;
  relativePath: string;
  /** Of a CMS media item. */
  clientRef?: string;
  url?: string;
  title?: string;
  alt?: string;
}

/** Files that operating systems create in folders. */
const HIDDEN = /^(\.|thumbs\.db$|desktop\.ini$|__macosx$)/i;
/** Names that browsers give to what has none. */
const NAMELESS = /^(image|blob|unknown)?(\.\w+)?$/i;

/**
 * The files of a list, or of a drop or paste whose folders are walked. Must be called in the event's own turn: a
 * DataTransfer is empty afterwards.
 */
export async function collectFiles(source: FileSource, how: AddSource): Promise<Candidate[]> {
  let found: Candidate[];
  if ('items' in source && 'files' in source) {
    // Entries have to be taken before the first wait.
    const taken = [...source.items].filter(({ kind }) => kind === 'file').map(takeEntry);
    const files = [...source.files].map((file) => candidateOf(file));
    found = taken.length > 0 ? (await Promise.all(taken.map(walk))).flat() : files;
  } else {
    found = Array.from(source as ArrayLike<Blob>, (file) => candidateOf(file));
    if (how === 'folder')
      found = found.filter(({ relativePath }) => !relativePath.split('/').some((part) => HIDDEN.test(part)));
  }
  return how === 'paste' ? found.map(nameOf) : found;
}

function takeEntry(item: DataTransferItem): FileSystemEntry | File | null {
  const entry = item.webkitGetAsEntry?.();
  // A plain file comes without a detour.
  return entry?.isDirectory ? entry : item.getAsFile();
}

async function walk(from: FileSystemEntry | File | null): Promise<Candidate[]> {
  if (!from) return [];
  if (!('fullPath' in from)) return [candidateOf(from)];
  if (HIDDEN.test(from.name)) return [];
  if (from.isFile) {
    const file = await new Promise<File | null>((resolve) =>
      (from as FileSystemFileEntry).file(resolve, () => resolve(null)),
    );
    const relativePath = from.fullPath.replace(/^\//, '');
    return [file ? candidateOf(file, relativePath) : { file: new Blob(), name: from.name, relativePath }];
  }
  const reader = (from as FileSystemDirectoryEntry).createReader();
  const found: Candidate[] = [];
  for (;;) {
    // A folder gives its entries in batches of 100 or so; the empty one is the last.
    const batch = await new Promise<FileSystemEntry[]>((resolve) => reader.readEntries(resolve, () => resolve([])));
    if (batch.length === 0) return found;
    for (const entry of batch) found.push(...(await walk(entry)));
  }
}

function candidateOf(file: Blob, path?: string): Candidate {
  const { name = '', webkitRelativePath = '' } = file as Partial<File>;
  return {
    file,
    name: name || `image.${file.type.split('/')[1] ?? 'bin'}`,
    relativePath: path || webkitRelativePath || name,
  };
}

let pasted = 0;

/** A pasted picture has no name, or the same as all others. */
function nameOf(candidate: Candidate): Candidate {
  const { file, name } = candidate;
  if (!NAMELESS.test(name)) return candidate;
  pasted += 1;
  const extension = /\.\w+$/.exec(name)?.[0] ?? `.${(file?.type.split('/')[1] ?? 'png').replace('jpeg', 'jpg')}`;
  const own = `pasted-image-${pasted}${extension}`;
  return { ...candidate, name: own, relativePath: own };
}
