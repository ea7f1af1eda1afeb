import type { Replacement } from '../cms-host.ts';
import { splitPath } from './folder-files.ts';

/**
 * The paths that a replacement's files get beside the original: its own name with the new extension, or the one a person
 * gave it in the review. A name that is taken by a file that is not ours gets a number: `a.jpg` and `a.jpeg` both want
 * `a.webp`, and the second becomes `a-2.webp`.
 *
 * @param taken Names in the folder, in small letters.
 * @param ours Paths that may be written over: the original and what an earlier replacement made.
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
  const base = named ? baseOf(variants[0]?.filename ?? name) : baseOf(name);
  for (let number = 1; ; number += 1) {
    const stem = number === 1 ? base : `${base}-${number}`;
    const names = variants.map(
      (variant) => `${stem}${variant.name === 'full' ? '' : `-${variant.name}`}${extensionOf(variant.filename)}`,
    );
    if (names.every(free)) return names.map((each) => prefix + each);
  }
}

function baseOf(name: string): string {
  return name.replace(/\.[^.]+$/, '');
}

function extensionOf(name: string): string {
  return /\.[^.]+$/.exec(name)?.[0] ?? '';
}
