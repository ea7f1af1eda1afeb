import type { Database } from './db/index.ts';
import { NotReadyError } from './errors.ts';
import type { Processor } from './processing/index.ts';
import type { WriteProbe } from './storage/index.ts';

interface CheckedParts {
  /** Aborts when the service begins to stop. */
  stopping: AbortController;
  database: Pick<Database, 'ping'>;
  modules: { processor: Pick<Processor, 'stats'>; writeProbe: Pick<WriteProbe, 'check'> };
}

/**
 * Checks what a request needs. A full disk is no fault: what is stored can be read and removed.
 * @throws NotReadyError that names what is missing
 */
export async function checkReadiness({ stopping, database, modules }: CheckedParts): Promise<{ isDiskFull: boolean }> {
  if (stopping.signal.aborted) throw new NotReadyError('the service is stopping');
  if (modules.processor.stats().pids.length === 0) throw new NotReadyError('no process for images runs');
  await database.ping().catch((cause: unknown) => {
    throw new NotReadyError('the database does not respond', { cause });
  });
  const { fault, isFull } = await modules.writeProbe.check();
  if (fault !== null) throw new NotReadyError(fault);
  return { isDiskFull: isFull };
}
