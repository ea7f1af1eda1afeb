import type { HostOutcome } from './outcome.ts';

/** Record of a run, from which another page can resume it. */
export interface RunRecord {
  version: 1;
  /** Ids without a final outcome: the current batch first, those put off to the next resume last. */
  waiting: string[];
  /** Number of `waiting` images at the service; some of them may be exported and paid for. */
  inWork: number;
  total: number;
  /** Final outcomes. Images replaced without a remark are only counted, to keep the record small. */
  outcomes: HostOutcome[];
  replaced: number;
  savedBytes: number;
  /** Replacement in progress: done or not done, if a record is found with it. Missing in older records. */
  replacing?: { id: string; savedBytes: number } | null;
  /** State of the element for its `restore()`: the session, and exports in progress with their keys. */
  element: object | null;
}

/** Stores the record of one host's run. */
export interface RunStorage {
  load(): RunRecord | null;
  save(record: RunRecord): void;
  clear(): void;
}

/** Storage for records, for example `localStorage`. */
export type JournalStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Stores the record of a host's run in `storage`. Without a storage, or with a full one, a run works but cannot be resumed. */
export function createRunStorage(storage: JournalStorage | null, hostId: string): RunStorage {
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
        // A full or forbidden storage does not stop the run.
      }
    },
    clear() {
      try {
        storage?.removeItem(key);
      } catch {
        // A forbidden storage holds no record.
      }
    },
  };
}

/** Returns the page's `localStorage`, or null if there is none or it is forbidden. */
export function pageStorage(): JournalStorage | null {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null;
  }
}
