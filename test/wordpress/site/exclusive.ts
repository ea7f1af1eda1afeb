import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Runs a function while holding a lock file: the processes of test files share the prepared files. */
export async function exclusively<T>(lock: string, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      await mkdir(lock);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (!(await isHeld(lock))) await rm(lock, { recursive: true, force: true });
      else await sleep(200);
    }
  }
  try {
    await writeFile(join(lock, 'pid'), String(process.pid));
    return await work();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

/** Returns true if the process that took the lock still runs. Waits for a process that has not written its id yet. */
async function isHeld(lock: string): Promise<boolean> {
  for (let tries = 0; tries < 10; tries++) {
    const pid = Number(await readFile(join(lock, 'pid'), 'utf8').catch(() => ''));
    if (pid > 0) {
      try {
        process.kill(pid, 0);
        return true;
      } catch {
        return false;
      }
    }
    await sleep(100);
  }
  return false;
}
