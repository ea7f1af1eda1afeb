import { AppError } from '../errors.ts';

/** Rough pace for `Retry-After`: images per second that a small server finishes. */
const IMAGES_PER_SECOND = 2;
const LONGEST_RETRY_SECONDS = 120;

/** Creates the limit of images that wait in this process, so that overload is refused at once. */
export function createAdmission({ maxQueuedImages }: { maxQueuedImages: number }) {
  const remaining = new Map<string, number>();
  let waiting = 0;
  let closed = false;

  return {
    /**
     * Reserves capacity for the images of a job. A job above the whole limit is admitted when nothing else waits.
     * @returns false when a job of this id has capacity already, which stays unchanged
     * @throws overloaded, shutting_down; both before any credit is taken
     */
    admit(jobId: string, images: number): boolean {
      if (closed) {
        throw new AppError('shutting_down', 'The service is stopping', { headers: { 'Retry-After': '10' } });
      }
      if (remaining.has(jobId)) return false;
      if (waiting > 0 && waiting + images > maxQueuedImages) {
        const seconds = Math.min(LONGEST_RETRY_SECONDS, Math.ceil(waiting / IMAGES_PER_SECOND));
        throw new AppError('overloaded', `${waiting} images are waiting already; no room for ${images} more`, {
          details: { queued: waiting, limit: maxQueuedImages },
          headers: { 'Retry-After': String(seconds) },
        });
      }
      this.readmit(jobId, images);
      return true;
    },

    /** Sets the capacity of a job without a check: it was admitted before, on this or another server. */
    readmit(jobId: string, images: number): void {
      waiting += images - (remaining.get(jobId) ?? 0);
      remaining.set(jobId, images);
    },

    /** Releases the capacity of one image. */
    imageDone(jobId: string): void {
      const left = remaining.get(jobId);
      if (!left) return;
      remaining.set(jobId, left - 1);
      waiting -= 1;
    },

    /** Releases the remaining capacity of a job. */
    forget(jobId: string): void {
      waiting -= remaining.get(jobId) ?? 0;
      remaining.delete(jobId);
    },

    /** Refuses new jobs from now on. */
    close(): void {
      closed = true;
    },

    get waiting(): number {
      return waiting;
    },
  };
}

/** The limit of images that wait. */
export type Admission = ReturnType<typeof createAdmission>;
