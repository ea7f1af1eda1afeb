import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { forEachLimited, hashBytes, writeAtomically } from './files-on-disk.ts';
import type { Manifest, StoredFile, StoredResult } from './manifest.ts';
import type { PlannedSource } from './plan.ts';

interface DeliverDeps {
  /** Obtains the bytes of a file. @throws GoneError if nobody has it any longer */
  fetchFile(result: StoredResult, file: StoredFile): Promise<Uint8Array>;
  manifest: Manifest;
  /** Output folder, absolute. */
  out: string;
  signal: AbortSignal;
}

/** A file is nowhere any longer, so that its image has to be made again. */
export class GoneError extends Error {
  override readonly name = 'GoneError';
}

const DOWNLOADS_AT_ONCE = 4;

/** Creates the delivery of results to the output folder. Equal files are downloaded once. */
export function createDelivery({ fetchFile, manifest, out, signal }: DeliverDeps) {
  /** Paths of files this run has written or found, and earlier ones have written, by SHA-256. */
  const paths = new Map(Object.entries(manifest.content.written).map(([name, sha256]) => [sha256, join(out, name)]));

  async function readLocalCopy(sha256: string): Promise<Buffer | undefined> {
    const path = paths.get(sha256);
    const bytes = path && (await readFile(path).catch(() => undefined));
    return bytes && hashBytes(bytes) === sha256 ? bytes : undefined;
  }

  /** Obtains a file and compares its checksum with the record. @throws Error if it differs twice */
  async function fetchVerified(result: StoredResult, file: StoredFile): Promise<Uint8Array> {
    const { filename, sha256 } = file;
    for (let tries = 1; ; tries++) {
      signal.throwIfAborted();
      const bytes = await fetchFile(result, file);
      if (hashBytes(bytes) === sha256) return bytes;
      if (tries === 2) throw new Error(`${filename} arrived damaged twice`);
    }
  }

  return {
    /** Records the path of a file with this content. */
    remember: (sha256: string, path: string) => void paths.set(sha256, path),

    /**
     * Writes files of a result for a source and records them.
     * @throws GoneError if nobody has them any longer
     */
    async deliver(source: PlannedSource, result: StoredResult, files: StoredFile[] = result.files): Promise<void> {
      await forEachLimited(files, DOWNLOADS_AT_ONCE, async (file) => {
        const name = source.nameOf(file);
        const path = join(out, name);
        const bytes = (await readLocalCopy(file.sha256)) ?? (await fetchVerified(result, file));
        await writeAtomically(path, bytes);
        manifest.recordFile(name, file.sha256);
        paths.set(file.sha256, path);
      });
      manifest.recordTarget(source, source.key);
    },
  };
}

/** Delivery of results to the output folder. */
export type Delivery = ReturnType<typeof createDelivery>;
