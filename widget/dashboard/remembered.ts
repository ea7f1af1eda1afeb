/** Returns what this browser remembers under a key. A browser that refuses cookies refuses its storage, too: null. */
export function remembered(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Remembers a text in this browser, if it allows that. */
export function remember(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // Then the choice holds for this visit.
  }
}
