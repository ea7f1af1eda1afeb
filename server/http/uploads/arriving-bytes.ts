import { AppError } from '../../errors.ts';

/** Bytes of an upload that is arriving. */
export interface ArrivingUpload {
  /** Counts bytes that are on the disk. @throws AppError storage_limit_reached if the account's open uploads have too many together */
  add(bytes: number): void;
  /** Ends the upload: its files are stored or removed. */
  end(): void;
}

/** Counts the bytes of uploads that are arriving at this server. They take room on its disk before they count as stored. */
export interface ArrivingBytes {
  /** Begins an upload. `most`: bytes that all open uploads of the account may have together; null: no limit. */
  begin(accountId: string, most: number | null): ArrivingUpload;
}

const MEGABYTE = 1_000_000;

/** Creates the counts of this server. */
export function createArrivingBytes(): ArrivingBytes {
  const arriving = new Map<string, number>();
  return {
    begin(accountId, most) {
      let own = 0;
      const change = (bytes: number) => {
        own += bytes;
        const all = (arriving.get(accountId) ?? 0) + bytes;
        if (all > 0) arriving.set(accountId, all);
        else arriving.delete(accountId);
        return all;
      };
      return {
        add(bytes) {
          const all = change(bytes);
          if (most !== null && all > most) throw tooMuch(all, most);
        },
        end: () => void change(-own),
      };
    },
  };
}

function tooMuch(bytes: number, most: number): AppError {
  const limit = most / MEGABYTE;
  return new AppError(
    'storage_limit_reached',
    `The files that this account is sending have more than the ${limit} MB that its plan may store; send fewer at once`,
    { details: { limitName: 'storageMb', limit, used: Math.ceil(bytes / (MEGABYTE / 10)) / 10 } },
  );
}
