import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Bundles the scripts of the plugin into `folder`. */
export async function bundleScripts(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await copyFile(fileURLToPath(new URL('../src/admin.css', import.meta.url)), join(folder, 'admin.css'));
}
