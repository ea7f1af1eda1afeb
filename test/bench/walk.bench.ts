// The files of the service that one export of one image runs, in order. `npm run measure:walk`; with `-- --write` they become the
// list of docs/walk.md.
import { readFile, writeFile } from 'node:fs/promises';
import { walkPage } from '../../server/docs/walk-page.ts';
import { measureWalk } from './support/measure-walk.ts';

const ROOT = new URL('../../', import.meta.url);
const PAGE = new URL('docs/walk.md', ROOT);

const { files, functions } = await measureWalk();
for (const [index, file] of files.entries()) console.log(`${String(index + 1).padStart(3)}  ${file}`);
console.log(`\nOne export runs ${functions} functions in ${files.length} files of the service`);
if (process.argv.includes('--write')) {
  const read = (file: string) => readFile(new URL(file, ROOT), 'utf8');
  await writeFile(PAGE, await walkPage(await readFile(PAGE, 'utf8'), read, files));
}
