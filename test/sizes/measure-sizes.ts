import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';

/** A thing that browsers load, in bytes as it travels. */
export interface Size {
  name: string;
  gzip: number;
  brotli: number;
  /** Most that it may be, compressed with Brotli, as browsers receive it over HTTPS. */
  limit: number;
}

const KB = 1024;
const root = fileURLToPath(new URL('../../', import.meta.url));

/** Builds the widget and the SDK in memory, as they are served, and measures them. */
export async function measureSizes(): Promise<Size[]> {
  // Lit has a larger variant for development.
  process.env.NODE_ENV = 'production';
  const widget = await buildChunks('widget');
  const classic = await buildChunks('widget-classic');
  const sdk = await buildChunks('sdk');
  const isLocale = ({ fileName }: Rolldown.OutputChunk) => fileName.startsWith('locales/');
  const first = closure(widget, ['define.js'], false);
  const all = closure(widget, ['define.js'], true).filter((chunk) => !isLocale(chunk));
  return [
    sizeOf('widget: first load, the empty element with Lit', first, 33 * KB),
    sizeOf('widget: with all that is loaded later, English', all, 77 * KB),
    sizeOf('widget: classic script', classic, 73 * KB),
    // Arabic has six plural forms. Without any key, the texts alone would be 3.3 to 4.1 KB.
    ...widget.filter(isLocale).map((chunk) => sizeOf(`language: ${chunk.fileName}`, [chunk], 6 * KB)),
    sizeOf('SDK', sdk, 5 * KB),
  ];
}

async function buildChunks(mode: string): Promise<Rolldown.OutputChunk[]> {
  const built = await build({ root, mode, logLevel: 'silent', build: { write: false } });
  return [built].flat().flatMap((result) => {
    if (!('output' in result)) throw new Error(`Expected the build "${mode}" to end`);
    return result.output.filter((file) => file.type === 'chunk');
  });
}

/** The chunks that loading `names` loads; `later`: also what their code asks for when it is needed. */
function closure(chunks: Rolldown.OutputChunk[], names: string[], later: boolean): Rolldown.OutputChunk[] {
  const found = new Map<string, Rolldown.OutputChunk>();
  const visit = (name: string): void => {
    const chunk = chunks.find(({ fileName }) => fileName === name);
    if (!chunk || found.has(name)) return;
    found.set(name, chunk);
    for (const next of [...chunk.imports, ...(later ? chunk.dynamicImports : [])]) visit(next);
  };
  for (const name of names) visit(name);
  if (found.size === 0) throw new Error(`Expected the build to contain ${names}`);
  return [...found.values()];
}

/** Files travel one by one, and are compressed so. */
function sizeOf(name: string, chunks: Rolldown.OutputChunk[], limit: number): Size {
  const sum = (compress: (text: string) => Buffer) =>
    chunks.reduce((total, { code }) => total + compress(code).byteLength, 0);
  return {
    name,
    limit,
    gzip: sum((text) => gzipSync(text, { level: 9 })),
    brotli: sum((text) => brotliCompressSync(text)),
  };
}
