// Writes the generated documents (`npm run docs`). With `--check` it writes nothing and fails if one is stale.
import { readFile, writeFile } from 'node:fs/promises';
import { buildOpenApi } from '#contract';
import { VERSION } from '../version.ts';
import { configurationPage, envExample } from './configuration-page.ts';
import { errorsPage } from './errors-page.ts';
import { metadataPage } from './metadata-page.ts';

const root = new URL('../../', import.meta.url);
const documents: Record<string, string> = {
  'docs/configuration.md': configurationPage(),
  'docs/errors.md': errorsPage(),
  'docs/metadata.md': metadataPage(),
  'docs/openapi.json': `${JSON.stringify(buildOpenApi(VERSION), null, 2)}\n`,
  '.env.example': envExample(),
};

const stale: string[] = [];
for (const [path, text] of Object.entries(documents)) {
  const present = await readFile(new URL(path, root), 'utf8').catch(() => '');
  if (present !== text) stale.push(path);
}
if (!process.argv.includes('--check')) {
  for (const path of stale) await writeFile(new URL(path, root), documents[path] ?? '');
  console.log(stale.length > 0 ? `Written: ${stale.join(', ')}` : 'Everything is fresh');
} else if (stale.length > 0) {
  console.error(`Stale: ${stale.join(', ')}. Run \`npm run docs\` and commit what changes.`);
  process.exitCode = 1;
}
