import type { HostKit, NamedBytes } from '../../../plugin-bridge/host/conformance/index.ts';
import { createFolderHost } from '../../../plugin-bridge/host/index.ts';
import { createMemoryFolder, provideLocks } from './memory-folder.ts';

const BACKUP = '.imagewright-backup/';
let folders = 0;

/** Makes the kit of the folder host, over folders in memory. */
export function folderKit(images: readonly NamedBytes[]): HostKit {
  provideLocks();
  return {
    images,
    async start(files) {
      folders += 1;
      const folder = createMemoryFolder(`folder-${folders}`);
      for (const { name, bytes } of files) folder.write(name, bytes);
      return {
        host: createFolderHost(folder.root),
        async reopen() {
          folder.restart();
          return createFolderHost(folder.root);
        },
        files: async () => new Map([...folder.files()].filter(([path]) => !path.startsWith(BACKUP))),
        async overwrite(id, bytes) {
          // A result with another extension lies beside the place of the original.
          const made = [...folder.files().keys()].find((path) => path === id.replace(/\.[^.]+$/, '.webp'));
          folder.write(folder.files().has(id) ? id : (made ?? id), bytes);
        },
        failAt: folder.failAt,
      };
    },
  };
}
