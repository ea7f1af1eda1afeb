import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../errors.ts';
import { diagnoseDatabase } from './ask-server.ts';
import { type DatabaseFault, describeFault } from './explain-database-error.ts';

/** Pause between two attempts, in milliseconds. */
const PAUSE_MS = 1000;

/** How long to wait for a database, and what is told of it. */
export interface Waiting {
  /** Longest wait in milliseconds; 0: one attempt. */
  waitMs: number;
  /** Told each time that another reason keeps the database from being used; null once it can be. */
  onWait: (fault: DatabaseFault | null) => void;
}

/**
 * Opens a database, and tries again while what keeps it away may pass: nothing listens, no such host, no primary.
 * @throws StartError in one line, at once where waiting cannot help
 */
export async function openWithin<Opened>(
  uri: string,
  open: () => Promise<Opened>,
  { waitMs, onWait }: Waiting,
): Promise<Opened> {
  const endsAt = performance.now() + waitMs;
  let told: string | null = null;
  for (;;) {
    try {
      const opened = await open();
      if (told !== null) onWait(null);
      return opened;
    } catch (error) {
      if (error instanceof StartError) throw error;
      const fault = await diagnoseDatabase(error, uri);
      if (!fault) throw error;
      if (!fault.passes || performance.now() + PAUSE_MS > endsAt)
        throw new StartError(`MONGODB_URI: ${describeFault(fault)}`, { cause: error });
      if (told !== fault.code) onWait(fault);
      told = fault.code;
    }
    await sleep(PAUSE_MS);
  }
}
