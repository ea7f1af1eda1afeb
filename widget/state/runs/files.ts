import type { ImageResult } from '#contract';
import type { Core } from '../core.ts';
import { failure, toOptimizerError } from '../errors.ts';
import type { FileDetail } from '../event-details.ts';
import type { Item, OptimizerErrorCode } from '../types.ts';
import { createDownloads } from './downloads.ts';
import type { Runs } from './runs.ts';

/** Suffix of the samples' namespace, behind the session's id. */
const SAMPLE_SUFFIX = '-sample';

/** Errors that only the connection to the service can cause, never a CMS. */
const OF_CLIENT: readonly OptimizerErrorCode[] = [
  'network',
  'timeout',
  'stalled',
  'stream_interrupted',
  'bad_response',
  'aborted',
];

/** Takes files out: to the page, to the CMS, to the comparison. */
export function createFiles(core: Core, runs: Pick<Runs, 'fail'>) {
  const { store } = core;

  function fetchFile(
    result: ImageResult,
    variant: string,
    { sample = false, signal }: { sample?: boolean; signal?: AbortSignal } = {},
  ) {
    const found = result.variants.find(({ name }) => name === variant);
    const { sessionId } = core;
    if (!found || !sessionId) return Promise.reject(failure('not_found'));
    const space = sample ? sessionId + SAMPLE_SUFFIX : sessionId;
    return core.transport().downloadFile(space, found.filename, signal ? { signal } : {});
  }

  /** Announces a file to listeners. Only results of exports, never samples. */
  function offer(type: 'io-download' | 'io-replace', item: Item, result: ImageResult, variant: string) {
    const found = result.variants.find(({ name }) => name === variant);
    if (!found) throw failure('not_found');
    const promises: Promise<unknown>[] = [];
    const detail: FileDetail = {
      id: item.id,
      imageId: result.imageId,
      clientRef: item.clientRef,
      variant,
      filename: found.filename,
      url: found.url,
      result,
      blob: () => fetchFile(result, variant),
      waitUntil: (promise) => promises.push(Promise.resolve(promise)),
    };
    const allowed = core.emit(type, detail);
    return { allowed, promises, filename: found.filename };
  }

  /** Shows what became of what the page does with the file. */
  async function follow(id: string, promises: readonly Promise<unknown>[]) {
    store.patch(id, { replacement: { status: 'pending', message: null } });
    try {
      await Promise.all(promises);
      store.patch(id, { replacement: { status: 'replaced', message: null } });
      core.announcer.say('replaced', core.t('announce.replaced', { name: store.get(id)?.name ?? '' }));
    } catch (cause) {
      const error = toOptimizerError(cause, core.t, [id]);
      // The adapter knows best what went wrong in its CMS; of the service and the way there the widget has its own words.
      const isOfService = error.status !== null || OF_CLIENT.includes(error.code);
      const own = !isOfService && cause instanceof Error && cause.message;
      const replacement = {
        status: 'failed' as const,
        get message() {
          return own || error.message;
        },
      };
      store.patch(id, { replacement });
      core.report(cause, 'replace', [id]);
      core.announcer.say('error', replacement.message, { assertive: true });
    }
  }

  return {
    downloads: createDownloads(core, { offer, fetchFile }),
    async replace(id: string) {
      const item = store.get(id);
      if (item?.result?.status !== 'completed') throw failure('not_found');
      if (item.replacement?.status === 'pending') return;
      const { allowed, promises } = offer('io-replace', item, item.result, 'full');
      if (promises.length > 0) await follow(id, promises);
      else if (allowed) runs.fail(failure('unsupported'), 'replace', []);
    },
    preview(id: string, width: number, signal?: AbortSignal) {
      const imageId = store.get(id)?.imageId;
      const { sessionId } = core;
      if (!imageId || !sessionId) return Promise.reject(failure('not_found'));
      return core.transport().previewImage(sessionId, imageId, { width }, signal ? { signal } : {});
    },
    fetchResult(id: string, kind: 'sample' | 'result', signal?: AbortSignal) {
      const result = store.get(id)?.[kind];
      if (result?.status !== 'completed') return Promise.reject(failure('not_found'));
      return fetchFile(result, 'full', { sample: kind === 'sample', signal });
    },
  };
}
