import type { Replacement } from '../cms-host.ts';
import { shortName } from '../short-name.ts';
import { splitPath } from './folder-files.ts';

/**
 * Names the files of a replacement in the folder of the original: its name with the new extension, or the name a person gave
 * it in the review. A name taken by another file gets a number: the results of `a.jpg` and `a.jpeg` become `a.webp` and
 * `a-2.webp`.
 *
 * @param taken names in the folder, in lower case
 * @param ours paths that may be overwritten: the original and the files of an earlier replacement
 */
export function namePaths(
  original: string,
  { variants, metadata }: Replacement,
  taken: ReadonlySet<string>,
  ours: ReadonlySet<string>,
): string[] {
  const { folders, name } = splitPath(original);
  const prefix = folders.map((folder) => `${folder}/`).join('');
  const free = (candidate: string) => ours.has(prefix + candidate) || !taken.has(candidate.toLowerCase());
  const named = metadata?.source.filename === 'user' && metadata.filename;
  const base = named ? baseOf(variants.find((variant) => variant.name === 'full')?.filename ?? name) : baseOf(name);
  for (let number = 1; ; number += 1) {
    const stem = number === 1 ? base : `${base}-${number}`;
    const names = variants.map(
      (variant) => `${stem}${variant.name === 'full' ? '' : `-${variant.name}`}${extensionOf(variant.filename)}`,
    );
    if (names.every(free)) return names.map((each) => prefix + each);
  }
}

function baseOf(name: string): string {
  return shortName(name.replace(/\.[^.]+$/, ''));
}

function extensionOf(name: string): string {
  return /\.[^.]+$/.exec(name)?.[0] ?? '';
}
