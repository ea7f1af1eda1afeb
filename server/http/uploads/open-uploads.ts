import { AppError } from '../../errors.ts';

/** Uploads that are being received or stored. */
export interface OpenUploads {
  /**
   * Counts an upload until the returned function is called, once.
   * @throws AppError rate_limited if the account has as many open uploads as allowed
   */
  enter(accountId: string): () => void;
}

const RETRY_AFTER_SECONDS = 5;

/** Limits the uploads that one account has open at once, so that slow ones do not take the room of others. */
export function createOpenUploads({ perAccount }: { perAccount: number }): OpenUploads {
  const open = new Map<string, number>();
  return {
    enter(accountId) {
      const count = open.get(accountId) ?? 0;
      if (count >= perAccount) {
        throw new AppError('rate_limited', `At most ${perAccount} uploads of one account may be open at once`, {
          details: { limit: perAccount },
          headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
        });
      }
      open.set(accountId, count + 1);
      return () => {
        const left = (open.get(accountId) ?? 0) - 1;
        if (left > 0) open.set(accountId, left);
        else open.delete(accountId);
      };
    },
  };
}
