/** Counts the crashes of each image. */
export interface Quarantine {
  /** True if the image has crashed twice and must not be tried again. */
  holds(image: string): boolean;
  /** Counts a crash; several with one `occasion` (the shares of a render) count once. */
  add(image: string, occasion: string): void;
  /** Clears the crashes of an image that was processed: something else had ended its process. */
  release(image: string): void;
}

const CRASHES_ALLOWED = 2;
const MAX_REMEMBERED = 10_000;

/** Creates an empty quarantine in memory. Above 10,000 images it drops the oldest. */
export function createQuarantine(): Quarantine {
  const crashes = new Map<string, Set<string>>();
  return {
    holds: (image) => (crashes.get(image)?.size ?? 0) >= CRASHES_ALLOWED,
    add(image, occasion) {
      crashes.set(image, (crashes.get(image) ?? new Set()).add(occasion));
      const oldest = crashes.keys().next().value;
      if (crashes.size > MAX_REMEMBERED && oldest !== undefined) crashes.delete(oldest);
    },
    release: (image) => crashes.delete(image),
  };
}
