/** MongoDB's error code of a write that a unique index refused. */
const DUPLICATE_KEY = 11000;

/**
 * Returns the result of a write, or `otherwise` if a unique index refused it. Rethrows every other error.
 */
export async function unlessDuplicate<Result, Other>(
  write: Promise<Result>,
  otherwise: Other,
): Promise<Result | Other> {
  try {
    return await write;
  } catch (error) {
    if ((error as { code?: unknown }).code === DUPLICATE_KEY) return otherwise;
    throw error;
  }
}

/** Returns true if each write succeeded, false if a unique index refused some. Rethrows every other error. */
export async function allStored(writes: Promise<unknown>): Promise<boolean> {
  try {
    await writes;
    return true;
  } catch (error) {
    // The driver gives one error, or a list.
    const refused = [(error as { writeErrors?: { code?: unknown } | { code?: unknown }[] }).writeErrors ?? []].flat();
    if (refused.length > 0 && refused.every(({ code }) => code === DUPLICATE_KEY)) return false;
    throw error;
  }
}
