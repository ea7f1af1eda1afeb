// Writes the element manifest, types for editors and the table of events in docs/embedding.md: `npm run manifest`. With `--check` it writes nothing and fails if a
// file is stale. A separate program, not imported by the widget.
import { readFile, writeFile } from 'node:fs/promises';
import { analyzeElements } from './analyze-elements.ts';
import { pageWithEvents } from './event-table.ts';
import { htmlData } from './html-data.ts';
import { propertyTypes } from './property-types.ts';

const manifest = await analyzeElements();
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
const documents: Record<string, string> = {
  'widget/custom-elements.json': json(manifest),
  'widget/vscode.html-custom-data.json': json(htmlData(manifest)),
  'widget/frameworks/properties.d.ts': propertyTypes(manifest),
  'docs/embedding.md': await pageWithEvents(manifest),
};

const root = new URL('../../', import.meta.url);
const stale: string[] = [];
for (const [path, text] of Object.entries(documents)) {
  const present = await readFile(new URL(path, root), 'utf8').catch(() => '');
  if (present !== text) stale.push(path);
}
if (!process.argv.includes('--check')) {
  for (const path of stale) await writeFile(new URL(path, root), documents[path] ?? '');
  console.log(stale.length > 0 ? `Written: ${stale.join(', ')}` : 'Everything is fresh');
} else if (stale.length > 0) {
  console.error(`Stale: ${stale.join(', ')}. Run \`npm run manifest\` and commit what changes.`);
  process.exitCode = 1;
}
