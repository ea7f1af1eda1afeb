import { open, rename, rm } from 'node:fs/promises';

/** A file to be written: `part` is its temporary name in the same folder, `target` its final one. */
export interface Destination {
  part: string;
  target: string;
}

/**
 * Writes the bytes to the temporary name, where a killed attempt may have left a file; {@link publish} makes them visible. A
 * failure (a full disk) leaves no partial file.
 */
export async function writePart(part: string, data: Uint8Array): Promise<void> {
  const handle = await open(part, 'w');
  try {
    await handle.writeFile(data);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/**
 * Flushes all parts to the disk, then renames them to their targets, so that a target is complete or missing, also after a
 * power failure. A failure leaves none of the targets.
 */
export async function publish(destinations: Destination[]): Promise<void> {
  await Promise.all(destinations.map(({ part }) => flush(part)));
  const published: string[] = [];
  try {
    for (const { part, target } of destinations) {
      await rename(part, target);
      published.push(target);
    }
  } catch (error) {
    await Promise.all(published.map((target) => rm(target, { force: true })));
    throw error;
  }
}

async function flush(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes the temporary files if the work fails, since a killed worker cannot. */
export async function removeOnFailure<T>(parts: string[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await Promise.all(parts.map((part) => rm(part, { force: true })));
    throw error;
  }
}
