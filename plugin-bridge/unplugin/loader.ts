import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { assetStem } from './asset-name.ts';
import type { Images } from './images.ts';
import { adviceOnTypes } from './typed-ends.ts';

/** Members of the loader context of webpack and Rspack that this loader uses. */
interface LoaderContext {
  resourcePath: string;
  resourceQuery: string;
  getOptions(): { images: Images };
  addDependency(file: string): void;
  emitWarning(warning: Error): void;
  /** The module, and the one that imports it first. */
  _module?: object;
  _compilation?: { moduleGraph: { getIssuer(module: object): { resource?: string } | null | undefined } };
  emitFile(name: string, content: Buffer): void;
  async(): (error: Error | null, code?: string) => void;
}

/** Characters of a file's hash in its name. */
const HASH_LENGTH = 8;

/** Answers before any other loader reads the file. */
export function pitch(this: LoaderContext): void {
  const done = this.async();
  write(this).then(
    (code) => done(null, code),
    (error: Error) => done(error),
  );
}

async function write(context: LoaderContext): Promise<string> {
  const { images } = context.getOptions();
  context.addDependency(context.resourcePath);
  const importer = context._module && context._compilation?.moduleGraph.getIssuer(context._module)?.resource;
  const advice = adviceOnTypes(`${basename(context.resourcePath)}${context.resourceQuery}`, importer);
  if (advice) context.emitWarning(new Error(advice));
  const { files, text, notes } = await images.load(context.resourcePath, context.resourceQuery);
  for (const note of notes) context.emitWarning(new Error(`${basename(context.resourcePath)}: ${note}`));
  const head = await Promise.all(
    files.map(async (file, index) => {
      const bytes = await readFile(file);
      const hash = createHash('sha256').update(bytes).digest('hex').slice(0, HASH_LENGTH);
      const name = `assets/${assetStem(file)}.${hash}${extname(file)}`;
      context.emitFile(name, bytes);
      return `const file${index} = __webpack_public_path__ + ${JSON.stringify(name)};\n`;
    }),
  );
  return head.join('') + text;
}
