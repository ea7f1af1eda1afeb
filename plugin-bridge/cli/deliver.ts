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
  /** Absolute. */
  out: string;
  signal: AbortSignal;
}

const DOWNLOADS_AT_ONCE = 4;

/** Brings results to their places. Equal files are downloaded once. */
export function createDelivery({ client, manifest, out, signal }: DeliverDeps) {
  /** Where this run has written or found a content: paths by SHA-256. */
  const places = new Map<string, string>();

  async function copyFromHere(sha256: string): Promise<Buffer | undefined> {
    const path = places.get(sha256);
    const bytes = path && (await readFile(path).catch(() => undefined));
    return bytes && hashBytes(bytes) === sha256 ? bytes : undefined;
  }

  /** The bytes from the service, as they were recorded. @throws Error when they are others */
  async function download(sessionId: string, { filename, sha256 }: StoredFile): Promise<Uint8Array> {
    for (let tries = 1; ; tries++) {
      const blob = await client.downloadFile(sessionId, filename, { signal });
      const bytes = new Uint8Array(await blob.arrayBuffer());
      if (hashBytes(bytes) === sha256) return bytes;
      if (tries === 2) throw new Error(`${filename} arrived damaged twice`);
    }
  }

  return {
    /** Tells that a file with this content lies there. */
    remember: (sha256: string, path: string) => void places.set(sha256, path),

    /**
     * Writes files of a result for a source, and records that they lie there.
     * @throws ApiError `session_not_found`, `file_not_found` when the service no longer has them
     */
    async deliver(source: PlannedSource, result: StoredResult, files: StoredFile[] = result.files): Promise<void> {
      await forEachLimited(files, DOWNLOADS_AT_ONCE, async (file) => {
        const name = nameVariant(source.target, file.variant);
        const path = join(out, name);
        const bytes = (await copyFromHere(file.sha256)) ?? (await download(result.sessionId, file));
        await writeWhole(path, bytes);
        manifest.wrote(name, file.sha256);
        places.set(file.sha256, path);
      });
      manifest.lies(source.target, source.key);
    },
  };
}

/** Brings results to their places. */
export type Delivery = ReturnType<typeof createDelivery>;
