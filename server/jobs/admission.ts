import { AppError } from '../errors.ts';

/** Rough pace for `Retry-After`: images per second that a small server finishes. */
const IMAGES_PER_SECOND = 2;
const LONGEST_RETRY_SECONDS = 120;

/** Parts of the whole limit that may wait: of one account, of all that is free, and of one account's free work. */
const SHARES = { account: 0.5, free: 0.5, accountFree: 0.05 };

/** Whose images wait, and whether they were paid for. */
export interface Admitted {
  accountId: string;
  isPaid: boolean;
}

interface JobRoom extends Admitted {
  /** Images that are not finished. */
  left: number;
}

interface State {
  readonly limit: number;
  readonly rooms: Map<string, JobRoom>;
  closed: boolean;
}

/**
 * Creates the limit of images that wait in this process, so that overload is refused at once: half of it is kept for paid work,
 * and no account may fill it alone.
 */
export function createAdmission({ maxQueuedImages }: { maxQueuedImages: number }) {
  const state: State = { limit: maxQueuedImages, rooms: new Map(), closed: false };
  const { rooms } = state;

  return {
    /**
     * Reserves capacity for the images of a job. A job above a limit is admitted when nothing else waits below that limit.
     * @returns false when a job of this id has capacity already, which stays unchanged
     * @throws overloaded, rate_limited, shutting_down; all before any credit is taken
     */
    admit(jobId: string, images: number, owner: Admitted): boolean {
      if (state.closed) {
        throw new AppError('shutting_down', 'The service is stopping', { headers: { 'Retry-After': '10' } });
      }
      if (rooms.has(jobId)) return false;
      refuseOverload(state, images, owner);
      this.readmit(jobId, images, owner);
      return true;
    },

    /** Sets the capacity of a job without a check: it was admitted before, on this or another server. */
    readmit(jobId: string, images: number, { accountId, isPaid }: Admitted): void {
      rooms.set(jobId, { accountId, isPaid, left: images });
    },

    /** Releases the capacity of one image. */
    imageDone(jobId: string): void {
      const room = rooms.get(jobId);
      if (room && room.left > 0) room.left -= 1;
    },

    /** Releases the remaining capacity of a job. */
    forget(jobId: string): void {
      rooms.delete(jobId);
    },

    /** Refuses new jobs from now on. */
    close(): void {
      state.closed = true;
    },

    /** True if this process refuses new jobs. */
    get isClosed(): boolean {
      return state.closed;
    },

    get waiting(): number {
      return count(state, () => true);
    },
  };
}

/** The limit of images that wait. */
export type Admission = ReturnType<typeof createAdmission>;

function refuseOverload(state: State, images: number, { accountId, isPaid }: Admitted): void {
  const isOwn = (room: JobRoom) => room.accountId === accountId;
  const refuseAbove = (part: number, code: 'overloaded' | 'rate_limited', counts: (room: JobRoom) => boolean) => {
    const limit = Math.ceil(state.limit * part);
    const waiting = count(state, counts);
    if (waiting === 0 || waiting + images <= limit) return;
    const seconds = Math.min(LONGEST_RETRY_SECONDS, Math.ceil(waiting / IMAGES_PER_SECOND));
    const whose = code === 'rate_limited' ? ' of your account' : '';
    throw new AppError(code, `${waiting} images${whose} are waiting already; no room for ${images} more`, {
      details: { queued: waiting, limit },
      headers: { 'Retry-After': String(seconds) },
    });
  };
  refuseAbove(SHARES.account, 'rate_limited', isOwn);
  if (!isPaid) refuseAbove(SHARES.accountFree, 'rate_limited', (room) => isOwn(room) && !room.isPaid);
  if (!isPaid) refuseAbove(SHARES.free, 'overloaded', (room) => !room.isPaid);
  refuseAbove(1, 'overloaded', () => true);
}

function count({ rooms }: State, counts: (room: JobRoom) => boolean): number {
  let waiting = 0;
  for (const room of rooms.values()) if (counts(room)) waiting += room.left;
  return waiting;
}
