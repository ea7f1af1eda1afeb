import type { ImageResult, RenamedFile } from '#contract';
import type { FormerName, ImageRecord, OutputFile, OutputRecord, Repositories } from '../db/index.ts';
import { filenameKey } from '../processing/index.ts';
import { createNamePlanner } from './plan-names.ts';
import { placeOf } from './results.ts';

type Deps = Pick<Repositories, 'images' | 'outputs'>;
/** Ids of an image. */
type Place = Pick<ImageRecord, '_id' | 'accountId' | 'sessionId'>;

/** Former names that a set of files keeps. */
const FORMER_NAMES = 500;

/**
 * Gives the exported files of an image the name that its metadata has now; samples keep theirs. Former names still lead to the
 * files. May be repeated.
 * @returns all files that were renamed since their export
 */
export async function renameFiles({ images, outputs }: Deps, image: Place): Promise<RenamedFile[]> {
  const { _id: imageId, accountId, sessionId } = image;
  for (;;) {
    const before = await images.find(accountId, sessionId, imageId);
    if (!before) return [];
    for (const record of await outputs.findOfImage(sessionId, imageId)) await renameRecord(outputs, before, record);
    // A later edit has the last word, whichever of the two reached the files first.
    const after = await images.find(accountId, sessionId, imageId);
    if (after?.renames === before.renames) break;
  }
  return (await outputs.findOfImage(sessionId, imageId)).flatMap(renamedIn);
}

async function renameRecord(outputs: Deps['outputs'], image: ImageRecord, read: OutputRecord): Promise<void> {
  let record: OutputRecord | undefined = read;
  while (record) {
    const change = await planChange(outputs, image, record);
    if (!change || (await outputs.rename(record, change))) return;
    // Another export wrote these files meanwhile, or took one of the names.
    const { _id }: OutputRecord = record;
    record = (await outputs.findOfImage(image.sessionId, image._id)).find((found) => found._id === _id);
  }
}

/** Returns the new names of a record; null if it has them. */
async function planChange(outputs: Deps['outputs'], image: ImageRecord, record: OutputRecord) {
  const { files } = record;
  const plan = createNamePlanner(await outputs.namesOf(record.namespace));
  const { filenames, keys } = plan({
    owner: record._id,
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

function renamedIn({ files, former = [] }: OutputRecord): RenamedFile[] {
  return former.flatMap((left) => {
    const to = files.find((file) => isSameFile(file, left))?.filename;
    return to === undefined ? [] : [{ from: left.filename, to }];
  });
}

/** True for names of one file: of the same variant, in the same format. */
export function isSameFile(one: Pick<OutputFile, 'variant' | 'filename'>, other: typeof one): boolean {
  return one.variant === other.variant && extensionIn(one.filename) === extensionIn(other.filename);
}

function extensionIn(filename: string): string {
  return filename.split('.').at(-1) ?? '';
}

/** Returns results with the names that their files have now. */
export async function withCurrentNames(
  { outputs }: Pick<Deps, 'outputs'>,
  namespace: string,
  results: ImageResult[],
): Promise<ImageResult[]> {
  const renamed = (await outputs.findRenamed(namespace)).flatMap(renamedIn);
  if (renamed.length === 0) return results;
  const names = new Map(renamed.map(({ from, to }) => [filenameKey(from), to]));
  const nameOf = (filename: string) => names.get(filenameKey(filename)) ?? filename;
  return results.map((result) => ({
    ...result,
    filename: result.filename === null ? null : nameOf(result.filename),
    variants: result.variants.map((variant) => ({ ...variant, ...placeOf(namespace, nameOf(variant.filename)) })),
  }));
}
