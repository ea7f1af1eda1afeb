import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** Reason for which no disk with faults can be made here; null when one can. */
export function reasonNotToFault(): string | null {
  if (process.platform !== 'linux') return `this is ${process.platform}`;
  const place = mkdtempSync(join(tmpdir(), 'imagewright-faults-'));
  try {
    const disk = mountFaultyDisk(place);
    const can = existsSync(disk.trigger);
    disk.unmount();
    return can ? null : 'this kernel triggers no errors of ext4';
  } catch (error) {
    return `this user may not mount a disk: ${String((error as Error).message)
      .split('\n')
      .at(-1)}`;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Mounts an empty disk with ext4, which becomes read-only as the kernel makes it after a fault of the disk. */
export function mountFaultyDisk(directory: string) {
  const image = `${directory}.disk`;
  execFileSync('truncate', ['-s', '96M', image]);
  execFileSync('mkfs.ext4', ['-q', '-F', image]);
  execFileSync('mount', ['-o', 'loop,errors=remount-ro', image, directory], { stdio: 'pipe' });
  const device = execFileSync('findmnt', ['-no', 'SOURCE', directory], { encoding: 'utf8' }).trim();
  const trigger = `/sys/fs/ext4/${basename(device)}/trigger_fs_error`;
  return {
    trigger,
    /** Makes it read-only at once, also for files that are open. */
    fail: () => writeFileSync(trigger, '1'),
    /** Unmounts it when nothing uses it any more, repairs it and mounts it again. */
    repair() {
      execFileSync('umount', [directory]);
      try {
        execFileSync('fsck.ext4', ['-y', image], { stdio: 'pipe' });
      } catch {
        // Its exit code tells that there was something to repair.
      }
      execFileSync('mount', ['-o', 'loop,errors=remount-ro', image, directory]);
    },
    unmount() {
      execFileSync('umount', ['-l', directory]);
      rmSync(image, { force: true });
    },
  };
}
