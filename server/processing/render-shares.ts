import { variantSize } from './variant-size.ts';
import type { VariantSpec } from './variants.ts';

/**
 * Splits the variants of one image between two idle processes: the largest, which is most of the work, and all others. Each decodes
 * the file itself, so one image is finished sooner for little more work; with less than two idle processes nothing is split.
 */
export function splitVariants<V extends VariantSpec>(
  source: { width: number; height: number },
  variants: V[],
  idleWorkers: number,
): V[][] {
  if (idleWorkers < 2 || variants.length < 2) return [variants];
  const area = (variant: V): number => {
    const { width, height } = variantSize(source, variant);
    return width * height;
  };
  const largest = variants.reduce((best, variant) => (area(variant) > area(best) ? variant : best));
  return [[largest], variants.filter((variant) => variant !== largest)];
}

/**
 * Runs all jobs at once. When one fails the others are aborted and waited for, and the first failure is thrown.
 * @param signal aborts all of them
 */
export async function allOrNone<T>(
  jobs: ((signal: AbortSignal) => Promise<T>)[],
  signal: AbortSignal | undefined,
): Promise<T[]> {
  const abort = new AbortController();
  const onAbort = () => abort.abort(signal?.reason);
  signal?.throwIfAborted();
  signal?.addEventListener('abort', onAbort, { once: true });
  let failure: { reason: unknown } | undefined;
  const running = jobs.map((job) =>
    job(abort.signal).catch((reason: unknown) => {
      failure ??= { reason };
      abort.abort(reason);
      throw reason;
    }),
  );
  const outcomes = await Promise.allSettled(running);
  signal?.removeEventListener('abort', onAbort);
  if (failure) throw failure.reason;
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
}
