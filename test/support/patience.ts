/**
 * Milliseconds that a test waits for a state before it fails: on a quiet machine states come within twelve seconds, and a busy one is
 * ten times slower. What never comes costs a failing run this much.
 */
export const PATIENCE_MS = 120_000;

/** Returns the result of `work`. @throws Error that names `what` when it takes longer than `PATIENCE_MS` */
export async function patiently<T>(what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${PATIENCE_MS / 1000} s`)), PATIENCE_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
