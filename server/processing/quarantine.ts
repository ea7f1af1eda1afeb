/** Counts the failures and timeouts of each image. */
export interface Quarantine {
  /** True if the image has failed twice and must not be tried again. */
  holds(image: string): boolean;
  /** Counts a crash or a timeout; several with one `occasion` (the shares of a render) count once. */
  add(image: string, occasion: string): void;
  /** Clears the failures of an image that was processed: something else had ended its process. */
  release(image: string): void;
}

const FAILURES_ALLOWED = 2;
const MAX_REMEMBERED = 10_000;

/** Creates an empty quarantine in memory. Above 10,000 images it drops the oldest. */
export function createQuarantine(): Quarantine {
  const failures = new Map<string, Set<string>>();
  return {
    holds: (image) => (failures.get(image)?.size ?? 0) >= FAILURES_ALLOWED,
    add(image, occasion) {
      failures.set(image, (failures.get(image) ?? new Set()).add(occasion));
      const oldest = failures.keys().next().value;
      if (failures.size > MAX_REMEMBERED && oldest !== undefined) failures.delete(oldest);
    },
    release: (image) => failures.delete(image),
  };
}
