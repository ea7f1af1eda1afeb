import type { EditedImage } from '#contract';
import type { Core } from '../core.ts';
import { createDebounce, type Debounced } from '../debounce.ts';
import { isFatal, requestedDelay, toOptimizerError } from '../errors.ts';
import type { SavedState } from '../session/saved-types.ts';
import { type Edits, editsIn, joinEdits, shownEdits } from './edits.ts';

/** Pause in typing after which an image's texts are sent, in milliseconds. */
const PAUSE_MS = 600;
/** Requests at a time, since accepting hundreds of texts must not flood the service. */
const MAX_REQUESTS = 4;
const TRIES = 3;
/** Delay before the second try, in milliseconds; doubles with each try. */
const RETRY_MS = 2000;

interface Pending {
  patch: Edits;
  timer: Debounced;
  tries: number;
  sending: Promise<void> | null;
}

/** Sends edits to the service, one request per image and pause, and keeps them until they are stored. */
export class MetadataSaver {
  readonly #core: Core;
  readonly #saved: (id: string, image: EditedImage) => void;
  readonly #pending = new Map<string, Pending>();
  readonly #waiting: (() => void)[] = [];
  readonly #stopListening: () => void;
  #requests = 0;

  /** `saved` is called after each stored edit. */
  constructor(core: Core, saved: (id: string, image: EditedImage) => void) {
    const { online } = core.env;
    this.#core = core;
    this.#saved = saved;
    this.#stopListening = online.subscribe(() => {
      if (online.isOnline()) for (const id of this.#pending.keys()) this.put(id, {});
    });
  }

  /** Adds an edit to those of the image and sends them after the pause. */
  put(id: string, patch: Edits) {
    const { env, settings, store } = this.#core;
    const entry = this.#pending.get(id) ?? {
      patch: {},
      tries: 0,
      sending: null,
      timer: createDebounce(env, () => void this.#send(id)),
    };
    entry.patch = joinEdits(entry.patch, editsIn(patch, settings.language));
    entry.tries = 0;
    this.#pending.set(id, entry);
    entry.timer.cancel();
    entry.timer.schedule(PAUSE_MS);
    if (store.get(id)?.saving !== 'pending') store.patch(id, { saving: 'pending' });
  }

  /** Sends everything at once. True if the service has stored all of it. */
  async flush(): Promise<boolean> {
    const { store } = this.#core;
    const ids = [...this.#pending.keys()];
    // One try each: the caller waits for the result.
    for (const entry of this.#pending.values()) entry.tries = TRIES - 1;
    const sendAll = async (id: string) => {
      await this.#send(id);
      // Edited again while it was sent.
      if (store.get(id)?.saving === 'pending') await this.#send(id);
    };
    await Promise.all(ids.map(sendAll));
    return !ids.some((id) => this.#pending.has(id) && store.get(id)?.imageId);
  }

  /** Sends failed edits again. */
  retry() {
    for (const id of this.#failedIds()) this.put(id, {});
  }

  /** Sends the edits that were made before the image was uploaded. */
  uploaded(id: string) {
    if (this.#pending.has(id)) void this.#send(id);
  }

  /** Returns the names of the fields with unsaved edits. */
  fieldsOf(id: string): string[] {
    return Object.keys(shownEdits(this.#pending.get(id)?.patch ?? {}, this.#core.settings.language));
  }

  forget(id: string) {
    this.#pending.get(id)?.timer.cancel();
    this.#pending.delete(id);
  }

  /** Returns the unsaved edits by image id: a reload must not lose them. */
  edits(): SavedState['edits'] {
    const known = [...this.#pending].flatMap(([id, { patch }]) => {
      const imageId = this.#core.store.get(id)?.imageId;
      return imageId ? [[imageId, patch] as const] : [];
    });
    return Object.fromEntries(known);
  }

  dispose() {
    this.#stopListening();
    for (const { timer } of this.#pending.values()) timer.cancel();
  }

  async #send(id: string): Promise<void> {
    const entry = this.#pending.get(id);
    const { sessionId, store } = this.#core;
    const imageId = store.get(id)?.imageId;
    // Before the upload there is no image to change; `uploaded` sends the edits.
    if (!entry || !imageId || !sessionId) return;
    entry.timer.cancel();
    if (entry.sending) await entry.sending;
    if (this.#pending.get(id) !== entry) return;
    entry.sending = this.#request(id, entry, sessionId, imageId);
    await entry.sending;
    entry.sending = null;
  }

  /** Sends a request as soon as fewer than {@link MAX_REQUESTS} are running. */
  async #request(id: string, entry: Pending, sessionId: string, imageId: string) {
    if (this.#requests >= MAX_REQUESTS) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#requests += 1;
    try {
      await this.#update(id, entry, sessionId, imageId);
    } finally {
      this.#requests -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #update(id: string, entry: Pending, sessionId: string, imageId: string) {
    // Removed while it waited.
    if (this.#pending.get(id) !== entry) return;
    const sent = entry.patch;
    const { texts, ...metadata } = sent;
    this.#core.store.patch(id, { saving: 'saving' });
    let image: EditedImage;
    try {
      image = await this.#core.transport().updateImage(sessionId, imageId, metadata, ...(texts ? [{ texts }] : []));
    } catch (cause) {
      return this.#fail(id, entry, cause);
    }
    if (image.texts) this.#core.store.patch(id, { texts: image.texts });
    this.#stored(id, entry, sent);
    this.#saved(id, image);
  }

  #stored(id: string, entry: Pending, sent: Edits) {
    const { notices, store } = this.#core;
    const left = Object.entries(entry.patch).filter(([field, value]) => sent[field as keyof Edits] !== value);
    entry.patch = Object.fromEntries(left);
    if (left.length === 0) this.#pending.delete(id);
    store.patch(id, { saving: left.length === 0 ? 'saved' : 'pending' });
    if (this.#failedIds().length === 0) notices.drop('error-save');
  }

  #fail(id: string, entry: Pending, cause: unknown) {
    const core = this.#core;
    const { env, store } = core;
    if (!store.get(id)) return;
    const error = toOptimizerError(cause, core.t, [id]);
    // The online event sends it again.
    if (error.status === null && !env.online.isOnline()) return void store.patch(id, { saving: 'pending' });
    entry.tries += 1;
    if (error.retryable && entry.tries < TRIES) {
      store.patch(id, { saving: 'pending' });
      const delay = RETRY_MS * 2 ** (entry.tries - 1) * (0.5 + env.random());
      entry.timer.schedule(Math.max(delay, requestedDelay(cause)));
      return;
    }
    store.patch(id, { saving: 'failed' });
    core.report(cause, 'save', [id]);
    if (isFatal(error.code)) core.blocked = error;
    // A missing session or image is also missing in the next try.
    const isMissing = error.code === 'not_found';
    const count = this.#failedIds().length;
    const message = () => (isMissing ? error.message : core.t('notice.save_failed', { count }));
    const actions = isMissing ? [] : (['retry'] as const);
    core.notices.show('error-save', { kind: 'error', message, error, phase: 'save', actions });
    core.announcer.say('save', message, { assertive: true });
  }

  #failedIds() {
    return [...this.#pending.keys()].filter((id) => this.#core.store.get(id)?.saving === 'failed');
  }
}
