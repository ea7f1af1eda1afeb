import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Runs something while no other process does it: test files run in processes of their own and share what they prepare. */
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

/** Whether the process that took the lock still runs. One that has not written its number yet is given the time to. */
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
