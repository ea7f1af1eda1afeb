import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type * as Library from '@contentauth/c2pa-wasm';

/** Label of the assertion that tells how a file was made. */
export const OUTCOME = 'io.imagewright.optimization';

/** Library of content credentials. */
export type C2pa = typeof Library;

/** Settings of each call: no network, no pictures in manifests, and no list of trusted signers. */
export const C2PA_SETTINGS = JSON.stringify({
  verify: { verify_trust: false, remote_manifest_fetch: false, ocsp_fetch: false },
  core: { allowed_network_hosts: [] },
  // The signer stands for actions and outcome, and has not only collected them.
  builder: { thumbnail: { enabled: false }, created_assertion_labels: ['c2pa.actions', OUTCOME] },
});

let loading: Promise<C2pa> | undefined;
/** Grows with each instance that was given up. */
let generation = 0;

/** Loads the library once: 9 MB of WebAssembly, so only where files are signed. */
export function loadC2pa(): Promise<C2pa> {
  loading ??= load();
  return loading;
}

/** Gives up an instance that has panicked: its memory may be inconsistent. The next call loads another one. */
export function dropC2pa(): void {
  loading = undefined;
  generation += 1;
}

async function load(): Promise<C2pa> {
  const { resolve } = createRequire(import.meta.url);
  const code = pathToFileURL(resolve('@contentauth/c2pa-wasm'));
  if (generation > 0) code.search = `${generation}`;
  const library = (await import(code.href)) as C2pa;
  library.initSync({ module: await readFile(resolve('@contentauth/c2pa-wasm/c2pa.wasm')) });
  return library;
}

/** Bytes that the library takes for a Blob: Node's own cannot be read synchronously. */
class BytesBlob {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get size(): number {
    return this.bytes.length;
  }

  slice(from: number, to: number): BytesBlob {
    return new BytesBlob(this.bytes.subarray(from, to));
  }
}

/** The reader of browsers, which Node lacks, for {@link BytesBlob}. */
class BytesReader {
  readAsArrayBuffer({ bytes }: BytesBlob): ArrayBuffer {
    return Uint8Array.from(bytes).buffer;
  }
}

let readers = 0;

/** Runs work of the library that reads what {@link asBlob} returns: the reader is global meanwhile. */
export async function withBlobs<T>(work: () => Promise<T>): Promise<T> {
  readers += 1;
  Object.assign(globalThis, { FileReaderSync: BytesReader });
  try {
    return await work();
  } finally {
    readers -= 1;
    if (readers === 0) Reflect.deleteProperty(globalThis, 'FileReaderSync');
  }
}

/** Returns bytes as what the library reads. */
export function asBlob(bytes: Uint8Array): Blob {
  return new BytesBlob(bytes) as unknown as Blob;
}
