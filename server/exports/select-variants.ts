import type { CachedVariantRecord, ImageRecord, ReplacedFile } from '../db/index.ts';
import type { VariantSpec } from '../processing/index.ts';

/** Returns the variants that may be delivered: without `replaces` all, else not those that replace no file in use. */
export function candidatesOf(variants: VariantSpec[], replaces: ReplacedFile[] | undefined): VariantSpec[] {
  const unused = new Set(replaces?.filter(({ bytes }) => bytes === 0).map(({ name }) => name));
  return variants.filter(({ name }) => !unused.has(name));
}

/**
 * Returns the places of the variants to deliver, of those that have a record. With `replaces`, a variant has to be smaller than the file it replaces;
 * `full` without an entry replaces the upload, any other one nothing.
 */
export function selectSmaller(
  image: Pick<ImageRecord, 'size'>,
  variants: Pick<VariantSpec, 'name'>[],
  records: (Pick<CachedVariantRecord, 'size'> | undefined)[],
  replaces: ReplacedFile[] | undefined,
): number[] {
  const limits = new Map(replaces?.map(({ name, bytes }) => [name, bytes]));
  return variants.flatMap(({ name }, index) => {
    const limit = limits.get(name) ?? (replaces && name === 'full' ? image.size : Number.POSITIVE_INFINITY);
    return (records[index]?.size ?? Number.POSITIVE_INFINITY) < limit ? [index] : [];
  });
}
