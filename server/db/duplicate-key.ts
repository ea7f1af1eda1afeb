/**
 * A write that a unique index may refuse: its result, or `otherwise` when a document has one of its unique values already.
 * Every other error is thrown.
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
