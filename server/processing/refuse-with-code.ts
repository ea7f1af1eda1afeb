import { AppError } from '../errors.ts';
import { describeFailure } from './shared/failure.ts';

/** Rejects with a code of the catalogue instead of the disk's error. */
export function rejectWithCode(error: unknown): never {
  const { code, message, unexpected } = describeFailure(error);
  // The job logs and counts it.
  if (unexpected) throw error;
  throw new AppError(code, message, { cause: error });
}
