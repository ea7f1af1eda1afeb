import type { ImageResult } from '#contract';
import { HostError } from './host-error.ts';
import type { HostTextKey } from './host-texts.ts';

/** What a site owner may allow. */
export interface ReplaceRules {
  /** Also replace an image by a file that is larger, e.g. for the sake of its format. Default: no. */
  allowLarger?: boolean;
}

/**
 * Holds a result against the rules that are the same for every CMS: nothing is replaced by what was not exported, by a
 * sample, or by a file that is no gain.
 * @throws HostError `not_exported`, `sample`, `larger`, `no_gain`
 */
export function checkReplaceable(
  result: ImageResult,
  { allowLarger = false }: ReplaceRules,
  text: (key: HostTextKey) => string,
): void {
  const [full, ...sizes] = result.variants;
  if (result.status !== 'completed' || !full) {
    throw new HostError('not_exported', result.error?.message ?? text('host.not_exported'));
  }
  // Samples live in a namespace of their own, and their addresses say so.
  if (result.variants.some((variant) => placeOf(variant.url).namespace.endsWith('-sample'))) {
    throw new HostError('sample', text('host.sample'));
  }
  if (allowLarger) return;
  if (result.largerThanOriginal || full.size > result.original.size) {
    throw new HostError('larger', text('host.larger'));
  }
  if (full.size === result.original.size && sizes.length === 0) throw new HostError('no_gain', text('host.no_gain'));
}

/** Namespace and file name in a download's address, e.g. `/v1/sessions/sess_x/download?filename=a.webp`. */
export function placeOf(url: string): { namespace: string; filename: string } {
  const { pathname, searchParams } = new URL(url, 'http://service');
  return {
    namespace: decodeURIComponent(/\/sessions\/([^/]+)\/download$/.exec(pathname)?.[1] ?? ''),
    filename: searchParams.get('filename') ?? '',
  };
}
