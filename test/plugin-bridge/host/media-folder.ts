import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NamedBytes, World } from '../../../plugin-bridge/host/conformance/index.ts';

interface MadeFile {
  name: string;
  path: string;
}

/** A folder of images that `openMedia` has opened, as visitors and other programs know it. */
export interface MediaFolder extends Pick<World, 'files' | 'overwrite'> {
  /** Empties it and puts images into it. */
  fill(images: readonly NamedBytes[]): Promise<void>;
}

/** @param address of the folder, e.g. `http://127.0.0.1:3000/media` */
export function mediaFolder(folder: string, address: () => string): MediaFolder {
  async function madeFor(file: string): Promise<MadeFile[]> {
    const text = await readFile(join(folder, '.imagewright', `${file}.json`), 'utf8').catch(() => '{"files":[]}');
    return (JSON.parse(text) as { files: MadeFile[] }).files;
  }

  return {
    async fill(images) {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true });
      for (const { name, bytes } of images) await writeFile(join(folder, name), bytes);
    },
    async files() {
      const entries = await readdir(folder, { withFileTypes: true });
      const found = new Map<string, Uint8Array>();
      for (const { name } of entries.filter((entry) => entry.isFile())) {
        const sizes = (await madeFor(name)).filter((made) => made.name !== 'full').map(({ path }) => path);
        for (const path of [name, ...sizes]) {
          const answer = await fetch(`${address()}/${path}`);
          if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
          found.set(path, new Uint8Array(await answer.arrayBuffer()));
        }
      }
      return found;
    },
    async overwrite(id, bytes) {
      const full = (await madeFor(id)).find(({ name }) => name === 'full');
      await writeFile(join(folder, full?.path ?? id), bytes);
    },
  };
}
