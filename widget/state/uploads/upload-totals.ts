/** Sums over the uploads since the queue was last empty. Bytes count as far as sizes are known. */
export interface UploadTotals {
  done: number;
  failed: number;
  total: number;
  loadedBytes: number;
  totalBytes: number;
}

interface Share {
  loaded: number;
  size: number;
  state: 'open' | 'done' | 'failed';
}

/** Sums up the uploads of a queue. */
export function createUploadCounter() {
  const shares = new Map<string, Share>();
  return {
    add(id: string, size: number | null) {
      shares.set(id, { loaded: 0, size: size ?? 0, state: 'open' });
    },
    /** Sets the uploaded fraction of a file, 0-1. */
    setFraction(id: string, fraction: number) {
      const share = shares.get(id);
      if (share) share.loaded = share.size * fraction;
    },
    end(id: string, state: 'done' | 'failed') {
      const share = shares.get(id);
      if (share) shares.set(id, { ...share, state, loaded: share.size });
    },
    remove: (id: string) => shares.delete(id),
    clear: () => shares.clear(),
    totals(): UploadTotals {
      const all = [...shares.values()];
      const sum = (of: (share: Share) => number) => all.reduce((total, share) => total + of(share), 0);
      return {
        done: sum(({ state }) => Number(state === 'done')),
        failed: sum(({ state }) => Number(state === 'failed')),
        total: all.length,
        loadedBytes: sum(({ loaded }) => loaded),
        totalBytes: sum(({ size }) => size),
      };
    },
  };
}
