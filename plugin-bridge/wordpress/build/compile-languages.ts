import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mo, po } from 'gettext-parser';

/**
 * Compiles the translations in a folder (`imagewright-<locale>.po`) into another folder (`.mo`).
 * @throws Error if a file is not a translation
 */
export async function compileLanguages(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  const names = (await readdir(from)).filter((name) => name.endsWith('.po')).sort();
  for (const name of names) {
    const source = await readFile(join(from, name));
    await writeFile(join(to, name.replace(/\.po$/, '.mo')), mo.compile(po.parse(source, { validation: true })));
  }
}
