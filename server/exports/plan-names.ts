import { cleanBasename, filenameKey, type VariantSpec, variantFilename } from '../processing/index.ts';

/** What a name is planned for. */
export interface NameRequest {
  /** Who will own the names: namespace, image and settings. */
  owner: string;
  /** Wanted basename; null: the original's. */
  wanted: string | null;
  originalFilename: string;
  extension: string;
  variants: VariantSpec[];
}

/** The file names of one image: in the order of its variants, and as keys for uniqueness. */
export interface PlannedNames {
  filenames: string[];
  keys: string[];
}

/**
 * Names for one image that nobody else has: the cleaned basename, or with `-2`, `-3` … behind it.
 * Takes the names by entering them in `taken` (key -> owner).
 */
export function planNames(request: NameRequest, taken: Map<string, string>): PlannedNames {
  const { owner, wanted, originalFilename, extension, variants } = request;
  const original = originalFilename.replace(/\.[^.]*$/, '');
  const base = cleanBasename(wanted ?? original, original);
  for (let attempt = 1; ; attempt += 1) {
    const stem = attempt === 1 ? base : `${base}-${attempt}`;
    const filenames = variants.map((variant) => variantFilename(stem, extension, variant.name));
    const keys = filenames.map(filenameKey);
    if (keys.every((key) => (taken.get(key) ?? owner) === owner)) {
      for (const key of keys) taken.set(key, owner);
      return { filenames, keys };
    }
  }
}
