import type { HostOutcome } from './outcome.ts';

/** How far a run is, so that another page can go on with it. */
export interface RunRecord {
  version: 1;
  /** Ids that are not through: those of the batch under way come first, those to be tried again at a resume last. */
  waiting: string[];
  /** How many of `waiting` are at the service, some of them exported and paid for. */
  inWork: number;
  total: number;
  /** Of images that are through. Those replaced without a remark are only counted, so that it stays small. */
  outcomes: HostOutcome[];
  replaced: number;
  savedBytes: number;
  /** What the element gave to be brought back: its session, and exports under way with their keys. */
  element: object | null;
}

/** Keeps the record of one host's run. */
export interface Journal {
  load(): RunRecord | null;
  save(record: RunRecord): void;
  clear(): void;
}

/** Where records are kept; `localStorage` will do. */
export type JournalStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Keeps the record of a host's run in `storage`. Without one, or when it is full, a run works but cannot be resumed. */
export function createJournal(storage: JournalStorage | null, hostId: string): Journal {
  const key = `imagewright-run:${hostId}`;
  return {
    load() {
      try {
        const record = JSON.parse(storage?.getItem(key) ?? 'null') as RunRecord | null;
        return record?.version === 1 && Array.isArray(record.waiting) ? record : null;
      } catch {
        return null;
      }
    },
    save(record) {
      try {
        storage?.setItem(key, JSON.stringify(record));
      } catch {
        // Full, or forbidden: the run goes on.
      }
    },
    clear() {
      try {
        storage?.removeItem(key);
      } catch {
        // Forbidden: there is nothing to remove either.
      }
    },
  };
}

/** The page's storage, where it has one and may use it. */
export function pageStorage(): JournalStorage | null {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null;
  }
}
