/** Counts the failures and timeouts of each image. */
export interface Quarantine {
  /** True if the image has failed twice within an hour and must not be tried again yet. */
  holds(image: string): boolean;
  /** Counts a crash or a timeout; several with one `occasion` (the shares of a render) count once. */
  add(image: string, occasion: string): void;
  /** Clears the failures of an image that was processed: something else had ended its process. */
  release(image: string): void;
}

const FAILURES_ALLOWED = 2;
const MAX_REMEMBERED = 10_000;

/** After an hour an image is tried again, since a busy machine may have been the reason. */
const KEPT_MS = 3_600_000;

/**
 * Creates an empty quarantine in memory. Above 10,000 images it drops the oldest.
 * @param monotonicNow clock in milliseconds
 */
export function createQuarantine(monotonicNow = () => performance.now()): Quarantine {
  const failures = new Map<string, { occasions: Set<string>; lastAt: number }>();
  const recent = (image: string) => {
    const found = failures.get(image);
    return found && monotonicNow() - found.lastAt < KEPT_MS ? found.occasions : new Set<string>();
  };
  return {
    holds: (image) => recent(image).size >= FAILURES_ALLOWED,
    add(image, occasion) {
      failures.set(image, { occasions: recent(image).add(occasion), lastAt: monotonicNow() });
      const oldest = failures.keys().next().value;
      if (failures.size > MAX_REMEMBERED && oldest !== undefined) failures.delete(oldest);
    },
    release: (image) => failures.delete(image),
  };
}
