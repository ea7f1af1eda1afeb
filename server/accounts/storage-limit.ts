import type { SessionRepository, StoredBytesRepository } from '../db/index.ts';
import { AppError } from '../errors.ts';

/** Dependencies of the storage limit. */
export interface StorageDeps {
  sessions: Pick<SessionRepository, 'bytesOfAccount'>;
  storedBytes: StoredBytesRepository;
  now: () => Date;
}

const MEGABYTE = 1_000_000;
const ATTEMPTS = 5;
/** Age after which pending bytes of an upload count as lost, because its server has died; in milliseconds. */
const PENDING_MS = 600_000;

/** Advice for an account at a limit of storage or sessions. */
export const HELP = 'delete a session with DELETE /v1/sessions/:sessionId, or wait until one expires';

/** Takes room for bytes, on all servers together. @throws AppError storage_limit_reached */
export async function takeRoom(deps: StorageDeps, accountId: string, bytes: number, storageMb: number): Promise<void> {
  const limit = { most: storageMb * MEGABYTE, now: deps.now() };
  if (await deps.storedBytes.take(accountId, bytes, limit)) return;
  // After a crash the count may be too high; at the limit it is computed again.
  const stored = await recount(deps, accountId);
  if (await deps.storedBytes.take(accountId, bytes, limit)) return;
  throw full(stored, bytes, storageMb);
}

/** Checks that there is room for bytes. @throws AppError storage_limit_reached */
export async function requireStorage(deps: StorageDeps, accountId: string, bytes: number, storageMb: number) {
  const most = storageMb * MEGABYTE;
  if ((await storedBy(deps, accountId)) + bytes <= most) return;
  const stored = await recount(deps, accountId);
  if (stored + bytes > most) throw full(stored, bytes, storageMb);
}

/** Returns the bytes that an account stores. */
export async function storedBy(deps: StorageDeps, accountId: string): Promise<number> {
  return (await deps.storedBytes.find(accountId))?.bytes ?? (await recount(deps, accountId));
}

/** Rounds bytes up to tenths of a megabyte. */
export function inMegabytes(bytes: number): number {
  return Math.ceil(bytes / (MEGABYTE / 10)) / 10;
}

/** Computes an account's count again from its sessions, and from what other servers are about to record. */
async function recount({ sessions, storedBytes, now }: StorageDeps, accountId: string): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const seen = await storedBytes.find(accountId);
    const takenAt = seen?.takenAt ?? now();
    const pending = now().getTime() - takenAt.getTime() > PENDING_MS ? 0 : (seen?.pending ?? 0);
    const bytes = (await sessions.bytesOfAccount(accountId)) + pending;
    if (await storedBytes.replace(seen, { _id: accountId, bytes, pending, takenAt })) return bytes;
  }
  // Other requests change it all the time, so it is used as it is.
  return (await storedBytes.find(accountId))?.bytes ?? 0;
}

function full(stored: number, bytes: number, limit: number): AppError {
  const used = inMegabytes(stored);
  return new AppError(
    'storage_limit_reached',
    `The account holds ${used} of ${limit} MB, and this request adds ${inMegabytes(bytes)} MB; ${HELP}`,
    { details: { limitName: 'storageMb', limit, used } },
  );
}
