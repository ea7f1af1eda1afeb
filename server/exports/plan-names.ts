import { basenameOf, cleanBasename, filenameKey, variantFilename } from '../processing/index.ts';

/** A file by its variant and extension. */
export interface NamedVariant {
  name: string;
  /** Without the dot. */
  extension: string;
}

/** Files of one image and settings that need names. */
export interface NameRequest {
  /** Owner of the names: namespace, image and settings. */
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
