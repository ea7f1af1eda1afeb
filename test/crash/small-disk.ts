import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Why no small disk can be mounted here; null when one can. */
export function reasonNotToMount(): string | null {
  if (process.platform !== 'linux') return `mounting a tmpfs needs Linux, this is ${process.platform}`;
  const place = join(tmpdir(), `imagewright-mount-${process.pid}`);
  try {
    mkdirSync(place, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', place], { stdio: 'pipe' });
    execFileSync('umount', [place]);
    return null;
  } catch (error) {
    return `this user may not mount a tmpfs: ${String((error as Error).message)
      .split('\n')
      .at(-1)}`;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Mounts an empty disk of some megabytes at an existing directory. */
export function mountSmallDisk(directory: string, megabytes: number) {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', directory]);
  const ballast = join(directory, 'ballast');
  return {
    /** Takes all space but this much. */
    async fill(leaveBytes: number): Promise<void> {
      const { bavail, bsize } = statfsSync(directory);
      const handle = await open(ballast, 'w');
      try {
        await handle.writeFile(Buffer.alloc(bavail * bsize - leaveBytes));
      } catch (error) {
        // Another process has written meanwhile: the disk is full all the same.
        if (leaveBytes > 0 || (error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        await handle.close();
      }
    },
    empty: () => rm(ballast, { force: true }),
    unmount: () => void execFileSync('umount', ['-l', directory]),
  };
}
