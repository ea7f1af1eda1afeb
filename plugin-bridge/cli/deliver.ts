import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '../sdk/index.ts';
import { forEachLimited, hashBytes, writeWhole } from './files-on-disk.ts';
import type { Manifest, StoredFile, StoredResult } from './manifest.ts';
import { nameVariant } from './name-outputs.ts';
import type { PlannedSource } from './plan.ts';

interface DeliverDeps {
  client: Client;
  manifest: Manifest;
  /** Output folder, absolute. */
  out: string;
  signal: AbortSignal;
}

const DOWNLOADS_AT_ONCE = 4;

/** Creates the delivery of results to the output folder. Equal files are downloaded once. */
export function createDelivery({ client, manifest, out, signal }: DeliverDeps) {
  /** Paths of files this run has written or found, by SHA-256. */
  const paths = new Map<string, string>();

  async function readLocalCopy(sha256: string): Promise<Buffer | undefined> {
    const path = paths.get(sha256);
    const bytes = path && (await readFile(path).catch(() => undefined));
    return bytes && hashBytes(bytes) === sha256 ? bytes : undefined;
  }

  /** Downloads a file and compares its checksum with the record. @throws Error if it differs twice */
  async function download(sessionId: string, { filename, sha256 }: StoredFile): Promise<Uint8Array> {
    for (let tries = 1; ; tries++) {
      const blob = await client.downloadFile(sessionId, filename, { signal });
      const bytes = new Uint8Array(await blob.arrayBuffer());
      if (hashBytes(bytes) === sha256) return bytes;
      if (tries === 2) throw new Error(`${filename} arrived damaged twice`);
    }
  }

  return {
    /** Records the path of a file with this content. */
    remember: (sha256: string, path: string) => void paths.set(sha256, path),

    /**
     * Writes files of a result for a source and records them.
     * @throws ApiError `session_not_found`, `file_not_found` if the service no longer has them
     */
    async deliver(source: PlannedSource, result: StoredResult, files: StoredFile[] = result.files): Promise<void> {
      await forEachLimited(files, DOWNLOADS_AT_ONCE, async (file) => {
        const name = nameVariant(source.target, file.variant);
        const path = join(out, name);
        const bytes = (await readLocalCopy(file.sha256)) ?? (await download(result.sessionId, file));
        await writeWhole(path, bytes);
        manifest.recordFile(name, file.sha256);
        paths.set(file.sha256, path);
      });
      manifest.recordTarget(source.target, source.key);
    },
  };
}

/** Delivery of results to the output folder. */
export type Delivery = ReturnType<typeof createDelivery>;
