// Owns the plugin of bundlers: an import with `?imagewright` gives an optimized image. Makes images by the engine, without a service.
import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Images, openImages, type Project } from './images.ts';
import type { Options } from './options.ts';
import { QUERY } from './read-query.ts';
import { isServed, type ViteConfig } from './served-files.ts';
import { adviceOnTypes } from './typed-ends.ts';

export type { OptimizedImage } from './image.ts';
export type { Options } from './options.ts';

/** A plugin of Vite or Rollup. */
export interface RollupPlugin {
  name: string;
}

/** A plugin of webpack or Rspack. */
export interface WebpackPlugin {
  apply(compiler: object): void;
}

/** The context of Rollup's hooks, as far as it is used. */
interface RollupContext {
  meta: { watchMode: boolean };
  resolve(source: string, importer: string | undefined, options: object): Promise<{ id: string } | null>;
  emitFile(file: { type: 'asset'; name: string; source: Uint8Array }): string;
  addWatchFile(file: string): void;
  warn(message: string): void;
}

/** A compiler of webpack or Rspack, as far as it is used. */
interface Compiler {
  context: string;
  options: { mode?: string; module: { rules: unknown[] } };
  hooks: Record<'done' | 'shutdown', { tapPromise(name: string, work: () => Promise<void>): void }>;
}

const NAME = 'imagewright';

/** Plugin of Vite. */
export function vite(options: Options = {}): RollupPlugin {
  const project = newProject();
  const { load, ...others } = hooksOf(openImages(options, project), headOfVite);
  let config: ViteConfig | undefined;
  const hooks = {
    ...others,
    enforce: 'pre',
    configResolved(resolved: ViteConfig) {
      config = resolved;
      Object.assign(project, { root: resolved.root, development: resolved.command === 'serve' });
    },
    async load(this: RollupContext, id: string, { ssr = false }: { ssr?: boolean } = {}): Promise<string | null> {
      const { file, query } = partsOf(id);
      if (QUERY.test(query) && config && !ssr && !isServed(config, file)) {
        throw new Error(`${file}${query}: expected an image that server.fs of Vite allows`);
      }
      return load.call(this, id);
    },
  };
  return hooks;
}

/** Plugin of Rollup and Rolldown. */
export function rollup(options: Options = {}): RollupPlugin {
  const project = newProject();
  const hooks = {
    ...hooksOf(openImages(options, project), headOfRollup),
    buildStart(this: RollupContext) {
      project.development = this.meta.watchMode;
    },
  };
  return hooks;
}

/** Plugin of webpack 5. */
export function webpack(options: Options = {}): WebpackPlugin {
  const loader = fileURLToPath(new URL('./loader.js', import.meta.url));
  return {
    apply(compiler) {
      const { context, options: settings, hooks } = compiler as Compiler;
      const images = openImages(options, { root: context, development: settings.mode === 'development' });
      // After the rules of the project, so that it decides what an image is; its loader answers before all others.
      settings.module.rules.push({
        ...{ resourceQuery: QUERY, type: 'javascript/auto', enforce: 'post' },
        use: [{ loader, options: { images } }],
      });
      for (const hook of [hooks.done, hooks.shutdown]) hook.tapPromise(NAME, () => images.close());
    },
  };
}

/** Plugin of Rspack. */
export function rspack(options: Options = {}): WebpackPlugin {
  return webpack(options);
}

const newProject = (): Project => ({ root: process.cwd(), development: false });

/** Writes the line that declares the address of a file, `file0` for the first one. */
type Head = (context: RollupContext, file: string, index: number) => string | Promise<string>;

/** Vite serves and emits what is imported as an address. */
const headOfVite: Head = (_, file, index) => `import file${index} from ${JSON.stringify(`${file}?url&no-inline`)};\n`;

const headOfRollup: Head = async (context, file, index) => {
  const reference = context.emitFile({ type: 'asset', name: basename(file), source: await readFile(file) });
  return `const file${index} = import.meta.ROLLUP_FILE_URL_${reference};\n`;
};

function hooksOf(images: Images, headOf: Head) {
  return {
    name: NAME,
    async resolveId(this: RollupContext, source: string, importer: string | undefined): Promise<string | null> {
      const { file, query } = partsOf(source);
      if (!QUERY.test(query)) return null;
      const advice = adviceOnTypes(source, importer);
      if (advice) this.warn(advice);
      // By the project's own rules first, such as its aliases.
      const found = await this.resolve(file, importer, { skipSelf: true });
      return `${found ? partsOf(found.id).file : resolve(dirname(importer ?? ''), file)}${query}`;
    },
    async load(this: RollupContext, id: string): Promise<string | null> {
      const { file, query } = partsOf(id);
      if (!QUERY.test(query)) return null;
      this.addWatchFile(file);
      const { files, text, notes } = await images.load(file, query);
      for (const note of notes) this.warn(`${basename(file)}${query}: ${note}`);
      return (await Promise.all(files.map((path, index) => headOf(this, path, index)))).join('') + text;
    },
    buildEnd: () => images.close(),
  };
}

function partsOf(id: string): { file: string; query: string } {
  const at = id.indexOf('?');
  return at < 0 ? { file: id, query: '' } : { file: id.slice(0, at), query: id.slice(at) };
}
