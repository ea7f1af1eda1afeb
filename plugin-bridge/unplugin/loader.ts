import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { assetStem } from './asset-name.ts';
import type { Images } from './images.ts';

/** Members of the loader context of webpack and Rspack that this loader uses. */
interface LoaderContext {
  resourcePath: string;
  resourceQuery: string;
  getOptions(): { images: Images };
  addDependency(file: string): void;
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
  const { files, text } = await images.load(context.resourcePath, context.resourceQuery);
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
