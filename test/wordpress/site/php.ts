import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** PHP extensions that WordPress and its tests require. */
const EXTENSIONS = ['curl', 'dom', 'exif', 'fileinfo', 'gd', 'mbstring', 'pdo_sqlite', 'xml'];

/** Returns the PHP of this machine if it has all extensions; else null, with the reason on the console. */
export async function findPhp(): Promise<string | null> {
  const php = process.env.IMAGEWRIGHT_TEST_PHP ?? 'php';
  if (php === 'none' || php === 'wasm-7.4') return null;
  const code = `echo json_encode([PHP_VERSION_ID, get_loaded_extensions(), function_exists('imagewebp')]);`;
  try {
    const { stdout } = await promisify(execFile)(php, ['-r', code]);
    const [version, loaded, webp] = JSON.parse(stdout) as [number, string[], boolean];
    const missing = EXTENSIONS.filter((name) => !loaded.some((one) => one.toLowerCase() === name));
    if (version >= 70_400 && missing.length === 0 && webp) return php;
    console.log(`PHP is there, but too old or without ${missing.join(', ') || 'WebP'}: using PHP as WebAssembly.`);
  } catch {
    // A machine without PHP needs no message.
  }
  return null;
}

/**
 * Returns true if PHP runs natively. The server of PHP as WebAssembly drops bytes of request headers that are not ASCII, such as the
 * name of an upload; tests of that are skipped with a message.
 */
export async function keepsBytesOfHeaders(): Promise<boolean> {
  const native = (await findPhp()) !== null;
  if (!native) {
    console.warn('SKIPPED: names of uploads that are not ASCII are not tested, since PHP as WebAssembly loses them.');
  }
  return native;
}

/**
 * Returns true if PHP runs natively. PHP as WebAssembly keeps in each process a list of the files that are there, and misses what
 * another process removes, links or makes anew; tests of that are skipped with a message.
 */
export async function seesFilesOfOthers(): Promise<boolean> {
  const native = (await findPhp()) !== null;
  if (!native) {
    console.warn(
      'SKIPPED: files that other processes change are not tested, since PHP as WebAssembly does not see them.',
    );
  }
  return native;
}
