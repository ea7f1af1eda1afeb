import type { ImageResult } from '#contract';
import type { Core } from '../core.ts';
import { failure, toOptimizerError } from '../errors.ts';
import type { OptimizerErrorCode } from '../types.ts';
import { createDownloads } from './downloads.ts';
import { fetchFile, offerFile } from './offer-file.ts';
import type { Runs } from './runs.ts';

/** Errors of the connection to the service, which a CMS cannot cause. */
const CONNECTION_ERRORS: readonly OptimizerErrorCode[] = [
  'network',
  'timeout',
  'stalled',
  'stream_interrupted',
  'bad_response',
  'aborted',
];

/** Creates the access to files: downloads, replacements in the CMS, previews and the comparison. */
export function createFiles(core: Core, runs: Pick<Runs, 'fail'>) {
  const { store } = core;
  return {
    downloads: createDownloads(core),
    async replace(id: string) {
      const item = store.get(id);
      if (item?.result?.status !== 'completed') throw failure('not_found');
      if (item.replacement?.status === 'pending') return;
      const { allowed, promises } = offerFile(
        core,
        'io-replace',
        item,
        item.result,
        item.result.variants[0]?.name ?? 'full',
      );
      if (promises.length > 0) await followReplacement(core, id, promises);
      else if (allowed) runs.fail(failure('unsupported'), 'replace', []);
    },
    async preview(id: string, width: number, signal?: AbortSignal) {
      const imageId = store.get(id)?.imageId;
      const { sessionId } = core;
      if (!imageId || !sessionId) throw failure('not_found');
      return core.transport().previewImage(sessionId, imageId, { width }, signal ? { signal } : {});
    },
    fetchSample: (result: ImageResult) => fetchFile(core, result, 'full', { sample: true }),
    async fetchResult(id: string, kind: 'sample' | 'result', signal?: AbortSignal, variant = 'full') {
      const result = store.get(id)?.[kind];
      if (result?.status !== 'completed') throw failure('not_found');
      return fetchFile(core, result, variant, { sample: kind === 'sample', signal });
    },
  };
}

/** Shows the outcome of a replacement by the page in the item's `replacement`. */
async function followReplacement(core: Core, id: string, promises: readonly Promise<unknown>[]): Promise<void> {
  const { store, announcer, t } = core;
  store.patch(id, { replacement: { status: 'pending', message: null } });
  try {
    await Promise.all(promises);
    store.patch(id, { replacement: { status: 'replaced', message: null } });
    announcer.say('replaced', t('announce.replaced', { name: store.get(id)?.name ?? '' }));
  } catch (cause) {
    const error = toOptimizerError(cause, t, [id]);
    // The adapter's message describes errors of its CMS; the widget has its own texts for the service and the connection.
    const isOfService = error.status !== null || CONNECTION_ERRORS.includes(error.code);
    const own = !isOfService && cause instanceof Error && cause.message;
    const replacement = {
      status: 'failed' as const,
      get message() {
        return own || error.message;
      },
    };
    store.patch(id, { replacement });
    core.report(cause, 'replace', [id]);
    announcer.say('error', replacement.message, { assertive: true });
  }
}
