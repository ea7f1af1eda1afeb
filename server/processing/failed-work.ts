import { rm } from 'node:fs/promises';
import { AppError } from '../errors.ts';
import { describeFailure } from './shared/failure.ts';

/** Removes the temporary files if the work fails, since a killed worker cannot. */
export async function removeOnFailure<T>(parts: string[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await Promise.all(parts.map((part) => rm(part, { force: true })));
    throw error;
  }
}

/** Rejects with a code of the catalogue instead of the disk's error. */
export function rejectWithCode(error: unknown): never {
  const { code, message, unexpected } = describeFailure(error);
  // The job logs and counts it.
  if (unexpected) throw error;
  throw new AppError(code, message, { cause: error });
}
