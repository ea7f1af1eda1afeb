import type { ImageResult } from '#contract';
import { nameKey, type ToldJob } from './told.ts';

/**
 * Compares the names of new files with the rule: a name belongs to an image, which gets it again; only another image gets a number.
 * Called before the files are noted.
 * @throws Error that names the file
 */
export function checkNames(job: ToldJob, results: ImageResult[]): void {
  const { session, kind, wanted, overlaps } = job;
  // What runs at the same time, or was cancelled, holds names that nobody was told.
  if (overlaps || results.some(({ status }) => status === 'failed')) return;
  const namespace = kind === 'sample' ? `${session.id}-sample` : session.id;
  const owners = new Map(session.owners);
  for (const { imageId, variants } of results) {
    const base = wanted.get(imageId) ?? '';
    const names = variants.map(({ name, filename }) => ({ filename, ...partsOf(name, filename) }));
    for (const { filename, stem, ending } of names) {
      const owner = owners.get(nameKey(namespace, filename)) ?? imageId;
      if (owner !== imageId) throw new Error(`${job.id}: ${filename} of ${imageId} belongs to ${owner}`);
      if (stem === base.toLowerCase()) continue;
      const isNumbered = stem.startsWith(`${base.toLowerCase()}-`) && /^\d+$/.test(stem.slice(base.length + 1));
      if (!isNumbered) throw new Error(`${job.id}: expected the name ${base}${ending}, but received ${filename}`);
    }
    const isFree = names.every(({ ending }) => {
      const owner = owners.get(nameKey(namespace, base + ending));
      return owner === undefined || owner === imageId;
    });
    const numbered = names.find(({ stem }) => stem !== base.toLowerCase());
    if (isFree && numbered)
      throw new Error(`${job.id}: no other image has the name ${base}, but ${imageId} received ${numbered.filename}`);
    for (const { filename } of names) owners.set(nameKey(namespace, filename), imageId);
  }
}

/** Splits a file name before what its variant and its format add. */
function partsOf(variant: string, filename: string): { stem: string; ending: string } {
  const extension = filename.slice(filename.lastIndexOf('.'));
  const ending = (variant === 'full' ? '' : `-${variant}`) + extension;
  return { stem: filename.slice(0, -ending.length).toLowerCase(), ending };
}
