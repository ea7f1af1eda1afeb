import type { Core } from '../core.ts';

type StorageScope = Pick<Core, 'config' | 'sessionId' | 'env'>;

/** Part of the key of the text that is being typed. */
export const DRAFT = ':draft';

/** Returns the key in the tab's storage: of `remember`, else of the session. Null: nothing is kept. */
function keyOf({ config, sessionId }: StorageScope): string | null {
  const name = config.remember || sessionId;
  return name && `imagewright:${name}`;
}

/** Returns what is kept; null if there is nothing or it is unreadable. `suffix`: a part of the key. */
export function readKept(place: StorageScope, suffix = ''): unknown {
  const key = keyOf(place);
  try {
    return key && JSON.parse(place.env.storage?.getItem(key + suffix) ?? 'null');
  } catch {
    return null;
  }
}

/** Keeps a value, or forgets it if it is null. If the storage is full or blocked, a reload restores only what the server has. */
export function keep(place: StorageScope, value: unknown, suffix = ''): void {
  const key = keyOf(place);
  try {
    if (key && value === null) place.env.storage?.removeItem(key + suffix);
    else if (key) place.env.storage?.setItem(key + suffix, JSON.stringify(value));
  } catch {
    // As said above.
  }
}
