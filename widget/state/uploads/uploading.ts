import { newIdempotencyKey } from '../../../plugin-bridge/sdk/index.ts';
import type { Core } from '../core.ts';
import { createThrottle } from '../debounce.ts';
import { toOptimizerError } from '../errors.ts';
import { itemsOf } from '../review/item-questions.ts';
import { createMilestones } from '../runs/milestones.ts';
import type { Item, Progress } from '../types.ts';
import { fromImage, fromMetadata } from './new-item.ts';
import { createUploadQueue } from './upload-queue.ts';

/** Events of one image are at least so far apart, in milliseconds. */
export const EVENT_GAP_MS = 100;

/** Callbacks of the uploads. */
export interface UploadingHooks {
  /** The session is there. */
  onSession(sessionId: string): void;
  /** Fields that are being edited are not replaced by what the server says. */
  editedFields(id: string): readonly string[];
  /** An image is at the server. */
  onUploaded(item: Item): void;
  onIdle(): void;
}

/** Brings files to the server: the first creates the session, the others join it. */
export function createUploading(core: Core, hooks: UploadingHooks) {
  const { env, store, config } = core;
  // The same key for every try of a file: an answer that got lost makes no second image.
  const keys = new Map<string, string>();
  const isTime = createThrottle(env, EVENT_GAP_MS);
  const milestones = createMilestones(core, 'upload');

  async function send(id: string, options: Parameters<Parameters<typeof createUploadQueue>[0]['send']>[1]) {
    const item = store.get(id);
    if (!item) return;
    const transport = core.transport();
    const idempotencyKey = keys.get(id) ?? newIdempotencyKey();
    keys.set(id, idempotencyKey);
    const { clientRef, metadata, name, url } = item;
    const ref = clientRef === null ? {} : { clientRef };
    let what: Parameters<typeof transport.createSession>[0];
    if (!item.file && url && config.importBy === 'server') what = { images: [{ url, filename: name, ...ref }] };
    else {
      const file = item.file ?? (await transport.fetchMedia(url ?? '', options));
      const { title, alt } = item.origins.title === 'cms' || item.origins.alt === 'cms' ? metadata : {};
      what = { files: [{ file, name, metadata: { ...ref, ...(title ? { title } : {}), ...(alt ? { alt } : {}) } }] };
    }
    // The queue repeats by itself, and shows what it waits for.
    const call = { ...options, idempotencyKey, once: true };
    const session = core.sessionId;
    const answer = session ? await transport.addImages(session, what, call) : await transport.createSession(what, call);
    const [image] = answer.images;
    const [refused] = answer.rejected;
    const now = store.get(id);
    // Removed, or all cleared, while its answer was on the way.
    if (options.signal.aborted || !now) return;
    if (!image) throw Object.assign(new Error(refused?.error), refused);
    if (core.sessionId === null) {
      core.sessionId = answer.sessionId;
      hooks.onSession(answer.sessionId);
    }
    keys.delete(id);
    const { metadata: found } = image;
    store.patch(id, { ...fromImage(image), ...fromMetadata(now, found, { kept: hooks.editedFields(id) }) });
    core.emit('io-upload', { id, image });
    const after = store.get(id);
    if (after) hooks.onUploaded(after);
  }

  function countFailed() {
    const ids = store.list().flatMap((item) => (item.error?.phase === 'upload' ? [item.id] : []));
    if (ids.length === 0) return core.notices.drop('error-upload');
    const message = () => core.t('notice.upload_failed', { count: ids.length });
    const error = store.get(ids[0] ?? '')?.error ?? null;
    core.notices.show('error-upload', { kind: 'error', message, error, phase: 'upload', actions: ['retry'] });
  }

  const queue = createUploadQueue({
    env,
    limits: () => config,
    isOpen: () => core.sessionId !== null,
    send,
    patch: store.patch,
    onProgress(id, loaded, total) {
      const aggregate = progress()?.fraction ?? 0;
      if (loaded === total || isTime(id)) core.emit('io-upload-progress', { id, loaded, total, aggregate });
      milestones.tick(aggregate);
    },
    onFailed(id, cause) {
      // An answer is an answer: the next try by hand is a new question.
      const error = toOptimizerError(cause, core.t, [id]);
      if (error.status !== null) keys.delete(id);
      store.patch(id, {
        status: 'failed',
        progress: 0,
        waiting: null,
        error: Object.assign(error, { phase: 'upload' as const }),
      });
      core.report(cause, 'upload', [id]);
      countFailed();
    },
    onBlocked(cause) {
      core.blocked = core.report(cause, 'upload');
      core.notices.fail(core.blocked, 'upload', ['retry']);
      core.announcer.say('error', core.blocked.message, { assertive: true });
      core.touch();
    },
    onIdle() {
      const { done, failed } = queue.totals();
      milestones.end(done, failed);
      countFailed();
      core.touch();
      hooks.onIdle();
    },
  });

  function progress(): Progress | null {
    if (!queue.busy) return null;
    const { done, failed, total, loadedBytes, totalBytes } = queue.totals();
    const fraction = totalBytes > 0 ? loadedBytes / totalBytes : (done + failed) / Math.max(1, total);
    return { phase: 'upload', done: done + failed, failed, total, fraction, loadedBytes, totalBytes };
  }

  return {
    queue,
    progress,
    /** Queues what is not at the server: all of it, or the given ones. */
    upload(ids?: readonly string[]) {
      queue.add(itemsOf(store, ids).filter(({ imageId, error }) => !imageId && (ids || !error)));
    },
    forget(ids: readonly string[]) {
      queue.remove(ids);
      for (const id of ids) keys.delete(id);
      countFailed();
    },
  };
}
