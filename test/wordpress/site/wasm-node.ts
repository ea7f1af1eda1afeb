import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeBinary } from '../../support/node-binary.ts';

/** The newest release of Node that the locks on files of PHP as WebAssembly are built for, of those in `test/runtimes`. */
const BUILT_FOR = 24;

/**
 * Returns the Node that runs PHP as WebAssembly: this one if its locks on files have a binary for it, else Node 24, which
 * the console names.
 * @param folder where PHP is installed
 * @throws Error if neither can be had
 */
export async function wasmNode(folder: string): Promise<string> {
  const { platform, arch, versions } = process;
  const [major] = versions.node.split('.');
  const binary = `fs-ext-${platform}-${arch}-node-${major}.0.0.node`;
  const built = join(folder, 'node_modules/fs-ext-extra-prebuilt/binaries', binary);
  if (
    await access(built).then(
      () => true,
      () => false,
    )
  )
    return process.execPath;
  const without = `PHP as WebAssembly locks files by fs-ext-extra-prebuilt, which has no binary for Node ${major}`;
  const other = await nodeBinary(BUILT_FOR);
  if (!other)
    throw new Error(`${without}. Install PHP with the extensions that WordPress needs, or use Node ${BUILT_FOR}.`);
  console.log(`${without}: WordPress runs under Node ${BUILT_FOR}.`);
  return other;
}
