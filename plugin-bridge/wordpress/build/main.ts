// `npm run build:wordpress`: builds the installable archive.
import { stat } from 'node:fs/promises';
import { relative } from 'node:path';
import { buildPlugin } from './build-plugin.ts';

const { zip, files } = await buildPlugin();
const { size } = await stat(zip);
console.log(`${relative(process.cwd(), zip)}: ${files.length} files, ${Math.round(size / 1000)} kB`);
