import { fileURLToPath } from 'node:url';

/** The folder whose lock file pins WordPress. */
export const WORDPRESS_PACKAGE = fileURLToPath(new URL('../', import.meta.url));

/** PHP as WebAssembly. */
export interface WasmPhp {
  version: '7.4' | '8.3';
  /** The folder whose lock file pins it. */
  folder: string;
}

/** Returns the PHP as WebAssembly to use: the oldest supported one if `IMAGEWRIGHT_TEST_PHP` is `wasm-7.4`. */
export function wasmPhp(): WasmPhp {
  const isOldest = process.env.IMAGEWRIGHT_TEST_PHP === 'wasm-7.4';
  const name = isOldest ? 'playground-7.4' : 'playground';
  return { version: isOldest ? '7.4' : '8.3', folder: fileURLToPath(new URL(`../${name}/`, import.meta.url)) };
}
