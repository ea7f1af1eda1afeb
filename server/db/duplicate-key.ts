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
    if ((error as { code?: unknown }).code === 11000) return otherwise;
    throw error;
  }
}
