import type { Core } from '../core.ts';
import { createDebounce, type Debounced } from '../debounce.ts';
import { askedDelay, isFatal, toOptimizerError } from '../errors.ts';
import type { SavedState } from '../session/saved-types.ts';
import type { ItemMetadata } from '../types.ts';

/** A person types; after this pause the image's texts are sent, in milliseconds. */
const PAUSE_MS = 600;
/** Requests at a time: accepting hundreds of texts must not flood the service. */
const AT_ONCE = 4;
const TRIES = 3;
const RETRY_MS = 2000;

type Patch = { -readonly [Field in keyof ItemMetadata]?: ItemMetadata[Field] };

interface Pending {
  patch: Patch;
  timer: Debounced;
  tries: number;
  sending: Promise<void> | null;
}

/** Sends edits to the server, one request per image and pause, and keeps them until they are there. */
export function createMetadataSaver(core: Core, changed: () => void) {
  const { env, store } = core;
  const pending = new Map<string, Pending>();
  const waiting: (() => void)[] = [];
  let underWay = 0;
  const stopListening = env.online.subscribe(() => {
    if (env.online.isOnline()) for (const id of pending.keys()) put(id, {});
  });

  function put(id: string, patch: Patch) {
    const entry = pending.get(id) ?? {
      patch: {},
      tries: 0,
      sending: null,
      timer: createDebounce(env, () => void send(id)),
    };
    entry.patch = { ...entry.patch, ...patch };
    entry.tries = 0;
    pending.set(id, entry);
    entry.timer.cancel();
    entry.timer.schedule(PAUSE_MS);
    if (store.get(id)?.saving !== 'pending') store.patch(id, { saving: 'pending' });
  }

  async function send(id: string): Promise<void> {
    const entry = pending.get(id);
    const item = store.get(id);
    const { sessionId } = core;
    // Before the upload there is nobody to send it to; `uploaded` comes back to it.
    if (!entry || !item?.imageId || !sessionId) return;
    entry.timer.cancel();
    if (entry.sending) await entry.sending;
    if (pending.get(id) !== entry) return;
    entry.sending = sendNow(id, entry, sessionId, item.imageId);
    await entry.sending;
    entry.sending = null;
  }

  async function sendNow(id: string, entry: Pending, sessionId: string, imageId: string) {
    if (underWay >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
    underWay += 1;
    try {
      await request(id, entry, sessionId, imageId);
    } finally {
      underWay -= 1;
      waiting.shift()?.();
    }
  }

  async function request(id: string, entry: Pending, sessionId: string, imageId: string) {
    // Taken out while it waited.
    if (pending.get(id) !== entry) return;
    const sent = entry.patch;
    store.patch(id, { saving: 'saving' });
    try {
      await core.transport().updateImage(sessionId, imageId, sent);
    } catch (cause) {
      return fail(id, entry, cause);
    }
    const left = Object.entries(entry.patch).filter(([field, value]) => sent[field as keyof Patch] !== value);
    entry.patch = Object.fromEntries(left);
    if (left.length === 0) pending.delete(id);
    store.patch(id, { saving: left.length === 0 ? 'saved' : 'pending' });
    if (failedIds().length === 0) core.notices.drop('error-save');
    changed();
  }

  function fail(id: string, entry: Pending, cause: unknown) {
    if (!store.get(id)) return;
    const error = toOptimizerError(cause, core.t, [id]);
    // It goes on by itself as soon as there is a connection.
    if (error.status === null && !env.online.isOnline()) return void store.patch(id, { saving: 'pending' });
    entry.tries += 1;
    if (error.retryable && entry.tries < TRIES) {
      store.patch(id, { saving: 'pending' });
      const delay = RETRY_MS * 2 ** (entry.tries - 1) * (0.5 + env.random());
      entry.timer.schedule(Math.max(delay, askedDelay(cause)));
      return;
    }
    store.patch(id, { saving: 'failed' });
    core.report(cause, 'save', [id]);
    if (isFatal(error.code)) core.blocked = error;
    // What is gone will not be there at the next try either: the person has to know what to do instead.
    const gone = error.code === 'not_found';
    const count = failedIds().length;
    const message = () => (gone ? error.message : core.t('notice.save_failed', { count }));
    const actions = gone ? [] : (['retry'] as const);
    core.notices.show('error-save', { kind: 'error', message, error, phase: 'save', actions });
    core.announcer.say('save', message, { assertive: true });
  }

  const failedIds = () => [...pending.keys()].filter((id) => store.get(id)?.saving === 'failed');

  /** Sends everything at once; true when all of it arrived. */
  async function flush(): Promise<boolean> {
    const ids = [...pending.keys()];
    for (const id of ids) {
      const entry = pending.get(id);
      if (entry) entry.tries = TRIES - 1;
    }
    const sendAll = async (id: string) => {
      await send(id);
      // Edited again while it was sent.
      if (store.get(id)?.saving === 'pending') await send(id);
    };
    await Promise.all(ids.map(sendAll));
    return !ids.some((id) => pending.has(id) && store.get(id)?.imageId);
  }

  function retry(): void {
    for (const id of failedIds()) put(id, {});
  }

  return {
    put,
    flush,
    retry,
    uploaded(id: string) {
      if (pending.has(id)) void send(id);
    },
    /** Names of the fields that are on their way. */
    fieldsOf: (id: string): string[] => Object.keys(pending.get(id)?.patch ?? {}),
    forget(id: string) {
      pending.get(id)?.timer.cancel();
      pending.delete(id);
    },
    /** Unsaved edits that must survive a reload, by image id. */
    edits(): SavedState['edits'] {
      const known = [...pending].flatMap(([id, { patch }]) => {
        const imageId = store.get(id)?.imageId;
        return imageId ? [[imageId, patch] as const] : [];
      });
      return Object.fromEntries(known);
    },
    dispose() {
      stopListening();
      for (const { timer } of pending.values()) timer.cancel();
    },
  };
}

/** Sends edits to the service. */
export type MetadataSaver = ReturnType<typeof createMetadataSaver>;
