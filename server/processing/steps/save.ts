import { open, rename, rm } from 'node:fs/promises';

/** A file to be written: `part` is its temporary name in the same folder, `target` its final one. */
export interface Destination {
  part: string;
  target: string;
}

/**
 * Writes the bytes to the temporary name and flushes them to the disk; {@link publish} makes them visible.
 * A failure (a full disk) leaves no partial file.
 */
export async function writePart(part: string, data: Uint8Array): Promise<void> {
  const handle = await open(part, 'wx');
  try {
    await handle.writeFile(data);
    await handle.sync();
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/** Renames all parts to their targets: a reader sees a whole file or none. After a failure none of the targets is left. */
export async function publish(destinations: Destination[]): Promise<void> {
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

/** Removes the temporary files that are still there. */
export async function discard(destinations: Destination[]): Promise<void> {
  await Promise.all(destinations.map(({ part }) => rm(part, { force: true })));
}
