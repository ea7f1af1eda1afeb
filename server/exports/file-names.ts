import { addressOf, contentOf, type ImageResult, placeOf, type RenamedFile, type Variant } from '#contract';
import type { FormerName, ImageRecord, OutputFile, OutputRecord, Repositories } from '../db/index.ts';
import { basenameOf, cleanBasename, filenameKey, variantFilename } from '../processing/index.ts';

/** A file by its variant and extension. */
export interface NamedVariant {
  name: string;
  /** Without the dot. */
  extension: string;
}

/** Files of one image that need names. */
export interface NameRequest {
  /** Owner of the names: namespace and image. */
  owner: string;
  /** Wanted basename; null: the original's. */
  wanted: string | null;
  originalFilename: string;
  files: NamedVariant[];
}

/** The file names of one image: in the order of its files, and as keys for uniqueness. */
export interface PlannedNames {
  filenames: string[];
  keys: string[];
}

/** Free and taken numbers below `next` of one wanted set of names. */
interface Passed {
  next: number;
  /** Suffix numbers held by each owner: free for that owner alone. A number without an owner is free for all. */
  ownNumbers: Map<string, number[]>;
}

/**
 * Creates a planner of unique names: the cleaned basename, or with `-2`, `-3` … behind it. It takes names by
 * entering them in `taken` (key -> owner), where no name may become free while it is in use: so it never tries a number
 * again that was in the way before, and a thousand equal names are no work.
 */
export function createNamePlanner(taken: Map<string, string>): (request: NameRequest) => PlannedNames {
  const passed = new Map<string, Passed>();

  /** The owners of names, in the way or not. */
  const ownersOf = (keys: string[]) => new Set(keys.flatMap((key) => taken.get(key) ?? []));

  return ({ owner, wanted, originalFilename, files }) => {
    const base = wanted === null ? basenameOf(originalFilename) : cleanBasename(wanted, originalFilename);
    const namesFor = (number: number): PlannedNames => {
      const stem = number === 1 ? base : `${base}-${number}`;
      const filenames = files.map(({ name, extension }) => variantFilename(stem, extension, name));
      return { filenames, keys: filenames.map(filenameKey) };
    };
    const isFree = ({ keys }: PlannedNames) => keys.every((key) => (taken.get(key) ?? owner) === owner);
    const take = (names: PlannedNames) => {
      for (const key of names.keys) taken.set(key, owner);
      return names;
    };

    const first = namesFor(1);
    const wish = first.keys.join('\n');
    const known = passed.get(wish) ?? { next: 1, ownNumbers: new Map<string, number[]>() };
    passed.set(wish, known);
    for (const number of known.ownNumbers.get(owner) ?? []) {
      const names = namesFor(number);
      if (isFree(names)) return take(names);
    }
    for (;;) {
      const number = known.next;
      const names = number === 1 ? first : namesFor(number);
      known.next += 1;
      const found = isFree(names) ? take(names) : undefined;
      const [only, ...others] = ownersOf(names.keys);
      if (only !== undefined && others.length === 0) {
        known.ownNumbers.set(only, [...(known.ownNumbers.get(only) ?? []), number]);
      }
      if (found) return found;
    }
  };
}

/** Returns the owner of an image's file names. */
export function imageOwner(namespace: string, imageId: string): string {
  return `${namespace}:${imageId}`;
}

/**
 * Returns where a file is. The path is its place by name; the same bytes of sample and export are one file in the store. Without the hash,
 * the address leads to the newest file of that name.
 */
export function locationOf(
  namespace: string,
  filename: string,
  sha256?: string,
): Pick<Variant, 'filename' | 'path' | 'url'> {
  const path = `sessions/${namespace}/exports/${filename}`;
  return { filename, path, url: addressOf(namespace, filename, sha256) };
}

type Deps = Pick<Repositories, 'images' | 'outputs'>;
/** Ids of an image. */
type ImageKey = Pick<ImageRecord, '_id' | 'accountId' | 'sessionId'>;

/** Former names that a set of files keeps. */
const FORMER_NAMES = 500;

/**
 * Gives the exported files of an image the name that its metadata has now; samples keep theirs. Former names still lead to the
 * files. May be repeated.
 * @returns all files that were renamed since their export
 */
export async function renameFiles({ images, outputs }: Deps, image: ImageKey): Promise<RenamedFile[]> {
  const { _id: imageId, accountId, sessionId } = image;
  for (;;) {
    const before = await images.find(accountId, sessionId, imageId);
    if (!before) return [];
    for (const record of await outputs.findOfImage(sessionId, imageId)) await renameRecord(outputs, before, record);
    // A later edit has the last word, whichever of the two reached the files first.
    const after = await images.find(accountId, sessionId, imageId);
    if (after?.renames === before.renames) break;
  }
  const renamed = (await outputs.findOfImage(sessionId, imageId)).flatMap(renamedIn);
  return [...new Map(renamed.map(({ from, to }) => [`${from}/${to}`, { from, to }])).values()];
}

async function renameRecord(outputs: Deps['outputs'], image: ImageRecord, read: OutputRecord): Promise<void> {
  let record: OutputRecord | undefined = read;
  while (record) {
    const change = await planChange(outputs, image, record);
    if (!change) return;
    const { _id, accountId, sessionId, namespace }: OutputRecord = record;
    const owner = { _id: imageOwner(namespace, image._id), accountId, sessionId, namespace };
    const reserved = await outputs.reserve(owner, change.names);
    if (reserved !== 'taken' && (await outputs.rename(record, change))) return;
    // Another export wrote these files meanwhile, or took one of the names.
    record = (await outputs.findOfImage(image.sessionId, image._id)).find((found) => found._id === _id);
  }
}

/** Returns the new names of a record; null if it has them. */
async function planChange(outputs: Deps['outputs'], image: ImageRecord, record: OutputRecord) {
  const { files } = record;
  const plan = createNamePlanner(await outputs.namesOf(record.namespace));
  const { filenames, keys } = plan({
    owner: imageOwner(record.namespace, image._id),
    wanted: image.metadata?.filename || null,
    originalFilename: image.originalFilename,
    files: files.map(({ variant: name, filename }) => ({ name, extension: extensionIn(filename) })),
  });
  if (files.every(({ filename }, index) => filename === filenames[index])) return null;
  const left: FormerName[] = files.map(({ filename, variant }) => ({ filename, key: filenameKey(filename), variant }));
  const leftKeys = new Set(left.map(({ key }) => key));
  const former = [...(record.former ?? []).filter(({ key }) => !leftKeys.has(key)), ...left]
    .filter(({ key }) => !keys.includes(key))
    .slice(-FORMER_NAMES);
  return {
    names: [...keys, ...former.map(({ key }) => key)],
    files: files.map((file, index) => ({ ...file, filename: filenames[index] ?? file.filename })),
    former,
  };
}

/** Lists the files of a record that were renamed, once for each name that they had. */
function renamedIn({ files, former = [] }: OutputRecord): (RenamedFile & { sha256: string })[] {
  return former.flatMap((left) => {
    const file = files.find((one) => isSameFile(one, left));
    return file ? [{ from: left.filename, to: file.filename, sha256: file.sha256 }] : [];
  });
}

/** True for names of one file: of the same variant, in the same format. */
export function isSameFile(one: Pick<OutputFile, 'variant' | 'filename'>, other: typeof one): boolean {
  return one.variant === other.variant && extensionIn(one.filename) === extensionIn(other.filename);
}

function extensionIn(filename: string): string {
  return filename.split('.').at(-1) ?? '';
}

/**
 * Returns results with the names that their files have now, and with addresses of their bytes. Results of earlier versions tell plain
 * names, which remain where the bytes are not there any more.
 */
export async function withCurrentNames(
  { outputs }: Pick<Deps, 'outputs'>,
  namespace: string,
  results: ImageResult[],
): Promise<ImageResult[]> {
  const renamed = (await outputs.findRenamed(namespace)).flatMap(renamedIn);
  const isPlain = results.some(({ variants }) => variants.some(({ url }) => !contentOf(placeOf(url).filename)));
  if (renamed.length === 0 && !isPlain) return results;
  const held = isPlain ? await outputs.hashesOf(namespace) : null;
  const keyOf = (sha256: string, filename: string) => `${sha256}/${filenameKey(filename)}`;
  const names = new Map(renamed.map(({ from, to, sha256 }) => [keyOf(sha256, from), to]));
  // An image may have been exported under a former name again.
  const changed = results.flatMap(({ variants }) =>
    variants.filter((file) => names.has(keyOf(file.sha256, file.filename))),
  );
  const present = await outputs.filesOf(namespace, [...new Set(changed.map(({ sha256 }) => sha256))]);
  for (const { sha256, filename } of present) names.delete(keyOf(sha256, filename));
  const show = (variant: Variant): Variant => {
    const { sha256, url } = variant;
    const filename = names.get(keyOf(sha256, variant.filename)) ?? variant.filename;
    const isExact = contentOf(placeOf(url).filename) !== null || held?.has(sha256);
    return { ...variant, ...locationOf(namespace, filename, isExact ? sha256 : undefined) };
  };
  return results.map((result) => {
    const variants = result.variants.map(show);
    const place = result.variants.findIndex(({ filename }) => filename === result.filename);
    return { ...result, filename: variants[place]?.filename ?? result.filename, variants };
  });
}
