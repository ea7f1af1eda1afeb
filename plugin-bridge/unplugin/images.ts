import { cacheFolder } from '../cli/record-path.ts';
import { type ImageStore, openImageStore } from './image-store.ts';
import type { Options } from './options.ts';
import { readQuery } from './read-query.ts';
import { type ImageModule, writeImageModule, writeOriginalModule } from './write-module.ts';

/** The project that is built. */
export interface Project {
  /** Absolute. */
  root: string;
  development: boolean;
}

/** The images of a project, as modules. */
export interface Images {
  /**
   * Returns the module of an import.
   * @param file absolute path of the image
   * @param query of the import, with `?`
   * @throws Error that names the import
   */
  load(file: string, query: string): Promise<ImageModule>;
  /** Ends what runs. Imports may follow, which start it again. */
  close(): Promise<void>;
}

/** Opens the images of a project. @param project read with each import: bundlers tell it after the plugin is made */
export function openImages(options: Options, project: Project): Images {
  let store: ImageStore | undefined;
  return {
    async load(file, query) {
      const { root, development } = project;
      store ??= openImageStore({
        folder: options.cache ?? `${cacheFolder(root, process.env)}-images`,
        workers: options.workers,
      });
      try {
        const settings = readQuery(query, options);
        return (options.development ?? development)
          ? writeOriginalModule(file, await store.measure(file))
          : writeImageModule(await store.make(file, settings));
      } catch (error) {
        throw new Error(`${file}${query}: ${error instanceof Error ? error.message : error}`, { cause: error });
      }
    },
    close: async () => store?.close(),
  };
}
