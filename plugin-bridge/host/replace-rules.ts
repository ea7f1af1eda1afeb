import type { ImageResult } from '#contract';
import { placeOf, SAMPLE_SUFFIX } from '#contract/constants';
import { HostError } from './host-error.ts';
import type { HostTextKey } from './host-texts.ts';

/** Rules a site owner may change. */
export interface ReplaceRules {
  /** Also replaces an image by a larger file, for example to change its format. Default: false. */
  allowLarger?: boolean | undefined;
}

/**
 * Checks a result by the rules of every CMS: an image is replaced neither by a failed export, nor by a sample, nor by a
 * file that saves nothing.
 * @throws HostError `not_exported`, `sample`, `larger`, `no_gain`
 */
export function checkReplaceable(
  result: ImageResult,
  { allowLarger = false }: ReplaceRules,
  text: (key: HostTextKey) => string,
): void {
  const full = result.variants.find(({ name }) => name === 'full');
  if (result.warnings.some(({ code }) => code === 'no_gain')) throw new HostError('no_gain', text('host.no_gain'));
  if (result.status !== 'completed' || result.variants.length === 0) {
    throw new HostError('not_exported', result.error?.message ?? text('host.not_exported'));
  }
  // The addresses of samples have the namespace of samples.
  if (result.variants.some((variant) => placeOf(variant.url).namespace.endsWith(SAMPLE_SUFFIX))) {
    throw new HostError('sample', text('host.sample'));
  }
  // Without `full`, the service delivered only what is smaller than before.
  if (allowLarger || !full) return;
  if (result.largerThanOriginal || full.size > result.original.size) {
    throw new HostError('larger', text('host.larger'));
  }
  if (full.size === result.original.size && mainFiles(result).length === 1)
    throw new HostError('no_gain', text('host.no_gain'));
}

/** Returns the files of the result's main format: a CMS keeps one file for each size. */
export function mainFiles({ variants, format }: ImageResult): ImageResult['variants'] {
  return variants.filter((variant) => variant.format === undefined || variant.format === format);
}
