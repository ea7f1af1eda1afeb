import type { Item, Optimizer } from '../../state/index.ts';
import { csvOf, jsonOf } from './write-texts.ts';
import { writeZip, type ZipFile } from './write-zip.ts';

/** A file in the ZIP, and where it comes from. */
interface Entry {
  id: string;
  filename: string;
  size: number;
}

/** Function of browsers that let the user choose a file to write to; others get the ZIP as a whole. */
type Picker = (options: { suggestedName: string }) => Promise<{ createWritable(): Promise<WritableStream> }>;

/** Lists the exported files. */
export function listFiles(items: readonly Item[]): Entry[] {
  return items.flatMap(({ id, result }) =>
    // By their names: several formats have variants of the same name.
    (result?.variants ?? []).map(({ filename, size }) => ({ id, filename, size })),
  );
}

/**
 * Saves all exported files with `manifest.json` and `texts.csv` as one ZIP. Where the browser can, it goes to the disk as the
 * files arrive. Must be called in a click. `onFile` is called with the number of each file, from 1. False: the user chose no place.
 * @throws errors of a download; nothing is saved then
 */
export async function saveZip(
  optimizer: Optimizer,
  { save, onFile }: { save(blob: Blob, filename: string): void; onFile(index: number): void },
): Promise<boolean> {
  const name = `images-${new Date().toISOString().slice(0, 10)}.zip`;
  const target = await chooseTarget(name);
  if (target === null) return false;
  const zip = writeZip(readFiles(optimizer, onFile));
  if (target) await zip.pipeTo(target);
  else save(await new Response(zip, { headers: { 'Content-Type': 'application/zip' } }).blob(), name);
  return true;
}

async function* readFiles({ items, fetchResult }: Optimizer, onFile: (index: number) => void): AsyncGenerator<ZipFile> {
  const all = items.list();
  for (const [index, { id, filename }] of listFiles(all).entries()) {
    onFile(index + 1);
    yield { name: filename, data: await fetchResult(id, 'result', undefined, filename) };
  }
  yield { name: 'manifest.json', data: new Blob([jsonOf(all)]) };
  yield { name: 'texts.csv', data: new Blob([csvOf(all)]) };
}

/** Asks where to write. Undefined: the browser cannot; null: the user has cancelled. */
async function chooseTarget(suggestedName: string): Promise<WritableStream | undefined | null> {
  const { showSaveFilePicker } = globalThis as { showSaveFilePicker?: Picker };
  try {
    return await (await showSaveFilePicker?.({ suggestedName }))?.createWritable();
  } catch (error) {
    // For example in a frame of another origin.
    return (error as Error).name === 'AbortError' ? null : undefined;
  }
}
