/** Remembers images that killed their process. */
export interface Quarantine {
  /** True when the image has crashed twice: it is not tried again. */
  holds(image: string): boolean;
  /** Counts a crash; several of one occasion (the shares of a render that die together) are one. */
  add(image: string, occasion: string): void;
  /** Forgets the crashes of an image that was processed after all: something else had killed its process. */
  release(image: string): void;
}

const CRASHES_ALLOWED = 2;
const MAX_REMEMBERED = 10_000;

/** Creates an empty quarantine; it lives as long as the process and forgets the oldest entries first. */
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
