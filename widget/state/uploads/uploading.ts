import { newIdempotencyKey, type Upload } from '../../../plugin-bridge/sdk/index.ts';
import type { Core } from '../core.ts';
import { createThrottle } from '../debounce.ts';
import { toOptimizerError } from '../errors.ts';
import { itemsOf } from '../review/item-questions.ts';
import { createMilestones } from '../runs/milestones.ts';
import type { Item, Progress } from '../types.ts';
import { fromImage, fromMetadata, numberOf } from './new-item.ts';
import type { Send } from './upload-attempt.ts';
import { UploadQueue } from './upload-queue.ts';

/** Shortest time between two progress events of one image, in milliseconds. */
export const EVENT_GAP_MS = 100;

/** Callbacks of the uploads. */
export interface UploadingHooks {
  /** Called when the first upload has created the session. */
  onSession(sessionId: string): void;
  /** Returns the fields with unsaved edits: the service's values do not replace them. */
  editedFields(id: string): readonly string[];
  /** Called when an image is stored at the service. */
  onUploaded(item: Item): void;
  onIdle(): void;
}

/** Uploads the files of items: the first creates the session, the others are added to it. */
export class Uploading {
  readonly queue: UploadQueue;
  readonly #core: Core;
  readonly #hooks: UploadingHooks;
  /** Idempotency keys and places by item: a retry after a lost response is the same request and must not create a second image. */
  readonly #keys = new Map<string, { idempotencyKey: string; position: number }>();
  readonly #isDue;
  readonly #milestones;

  constructor(core: Core, hooks: UploadingHooks) {
    this.#core = core;
    this.#hooks = hooks;
    this.#isDue = createThrottle(core.env, EVENT_GAP_MS);
    this.#milestones = createMilestones(core, 'upload');
    this.queue = new UploadQueue({
      env: core.env,
      limits: () => core.config,
      isOpen: () => core.sessionId !== null,
      send: (id, options) => this.#send(id, options),
      patch: core.store.patch,
      onProgress: (id, loaded, total) => this.#onProgress(id, loaded, total),
      onFailed: (id, cause) => this.#onFailed(id, cause),
      onBlocked(cause) {
        core.blocked = core.report(cause, 'upload');
        core.notices.fail(core.blocked, 'upload', ['retry']);
        core.announcer.say('error', core.blocked.message, { assertive: true });
        core.touch();
      },
      onIdle: () => this.#onIdle(),
    });
  }

  /** Queues images that are not at the service: the given ones, or all that have not failed. */
  upload(ids?: readonly string[]) {
    this.queue.add(
      itemsOf(this.#core.store, ids).filter(
        ({ imageId, file, url, error }) => !imageId && (file || url) && (ids || !error),
      ),
    );
  }

  /** Uploads all images that have not failed. Resolves when nothing is left to upload. */
  uploadAll(): Promise<void> {
    this.upload();
    if (!this.queue.paused) this.queue.resume();
    return this.queue.idle();
  }

  forget(ids: readonly string[]) {
    this.queue.remove(ids);
    for (const id of ids) this.#keys.delete(id);
    this.#showFailed();
  }

  progress(): Progress | null {
    if (!this.queue.busy) return null;
    const { done, failed, total, loadedBytes, totalBytes } = this.queue.totals();
    const fraction = totalBytes > 0 ? loadedBytes / totalBytes : (done + failed) / Math.max(1, total);
    return { phase: 'upload', done: done + failed, failed, total, fraction, loadedBytes, totalBytes };
  }

  async #send(id: string, options: Parameters<Send>[0]) {
    const core = this.#core;
    const { store } = core;
    await core.opened;
    if (core.unread) throw core.unread.cause;
    const item = store.get(id);
    if (!item) return;
    const transport = core.transport();
    const request = this.#keys.get(id) ?? {
      idempotencyKey: newIdempotencyKey(),
      position: positionOf(item, store.list()),
    };
    this.#keys.set(id, request);
    const { idempotencyKey, position } = request;
    const upload = await uploadOf(core, item, position, options);
    // `once`: the queue retries by itself, so that the row can show the reason for waiting.
    const call = { ...options, idempotencyKey, once: true };
    const session = core.sessionId;
    const response = session
      ? await transport.addImages(session, upload, call)
      : await transport.createSession(upload, call);
    const [image] = response.images;
    const [rejected] = response.rejected;
    const now = store.get(id);
    // Removed during the upload.
    if (options.signal.aborted || !now) return;
    if (!image) throw Object.assign(new Error(rejected?.error), rejected);
    if (core.sessionId === null) {
      core.sessionId = response.sessionId;
      this.#hooks.onSession(response.sessionId);
    }
    this.#keys.delete(id);
    const kept = this.#hooks.editedFields(id);
    store.patch(id, {
      ...fromImage(image),
      ...fromMetadata(now, image.metadata, { kept, texts: image.texts, language: core.settings.language }),
    });
    core.emit('io-upload', { id, image });
    const after = store.get(id);
    if (after) this.#hooks.onUploaded(after);
  }

  #onProgress(id: string, loaded: number, total: number) {
    const aggregate = this.progress()?.fraction ?? 0;
    if (loaded === total || this.#isDue(id)) {
      this.#core.emit('io-upload-progress', { id, loaded, total, aggregate });
    }
    this.#milestones.tick(aggregate);
  }

  #onFailed(id: string, cause: unknown) {
    const core = this.#core;
    const error = Object.assign(toOptimizerError(cause, core.t, [id]), { phase: 'upload' as const });
    // The service has responded to this key; a retry by hand is a new request.
    if (error.status !== null || error.code === 'file_changed') this.#keys.delete(id);
    core.store.patch(id, { status: 'failed', progress: 0, waiting: null, error });
    core.report(cause, 'upload', [id]);
    this.#showFailed();
  }

  #onIdle() {
    const { done, failed } = this.queue.totals();
    this.#milestones.end(done, failed);
    this.#showFailed();
    this.#core.touch();
    this.#hooks.onIdle();
  }

  /** Shows a notice with the number of failed uploads, or drops it. */
  #showFailed() {
    const { store, notices, t } = this.#core;
    const failed = store.list().filter(({ file, url, error }) => (file || url) && error?.phase === 'upload');
    const [first] = failed;
    if (!first) return notices.drop('error-upload');
    const { error } = first;
    const files = failed.map(({ id, name, error }) => ({
      id,
      name,
      code: error?.code ?? 'server',
      get message() {
        return `${name}: ${error?.message}`;
      },
    }));
    const actions = failed.some(({ error }) => error?.retryable) ? (['retry'] as const) : [];
    const message = () =>
      failed.length > 1 ? t('notice.upload_failed', { count: failed.length }) : (files[0]?.message ?? '');
    notices.show('error-upload', { kind: 'error', message, error, phase: 'upload', files, actions });
  }
}

/**
 * Returns the place of an item in its session: images have the order of the list, not that in which uploads end. Images of another
 * visit have places of their own, behind which new ones go.
 */
function positionOf(item: Item, items: readonly Item[]): number {
  const ahead = items.map((other) => (other.image?.position ?? 0) - numberOf(other));
  return numberOf(item) + Math.max(0, ...ahead);
}

/** Returns the body of an item's upload: its address if the service imports it, else its file. */
async function uploadOf(core: Core, item: Item, position: number, options: { signal: AbortSignal }): Promise<Upload> {
  const { clientRef, file, metadata, name, origins, url } = item;
  const ref = { position, ...(clientRef === null ? {} : { clientRef }) };
  if (!file && url && core.config.importBy === 'server') return { images: [{ url, filename: name, ...ref }] };
  const bytes = file ?? (await core.transport().fetchMedia(url ?? '', options));
  const { title, alt } = origins.title === 'cms' || origins.alt === 'cms' ? metadata : {};
  const own = { ...ref, ...(title ? { title } : {}), ...(alt ? { alt } : {}) };
  return { files: [{ file: bytes, name, metadata: own }] };
}
