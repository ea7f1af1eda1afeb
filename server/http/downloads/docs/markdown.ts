import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { builtFolder, type StaticFile } from '../pages.ts';

const MARKDOWN = 'text/markdown; charset=utf-8';
/** List of all pages, by shelves. */
const CONTENTS = 'README.md';

/** Title and summary of `llms.txt`, as llmstxt.org defines them. */
const ABOUT = `# Imagewright

> Self-hosted image optimization: an HTTP API with SDK, an element for the pages of a CMS, a WordPress plugin and a command line. It finds for each image
> the smallest file that keeps a promised visual quality. The API is described by /v1/openapi.json.
`;

/** Returns the pages of the documentation as they were written, under `/docs/<name>.md`, and `/llms.txt`; none where they were left out. */
export function markdownPages(): StaticFile[] {
  const folder = join(dirname(builtFolder()), 'docs');
  if (!existsSync(join(folder, CONTENTS))) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  const pages = names.map((name): StaticFile => {
    return {
      path: `/docs/${name.split(sep).join('/')}`,
      type: MARKDOWN,
      read: async () => readFileSync(join(folder, name)),
    };
  });
  const contents = async () => Buffer.from(listForMachines(readFileSync(join(folder, CONTENTS), 'utf8')));
  return [...pages, { path: '/llms.txt', type: 'text/plain; charset=utf-8', read: contents }];
}

/** Makes `llms.txt` of the contents: its links lead to the service; entries of what is not served are left out. */
function listForMachines(contents: string): string {
  const lines = contents
    .replace(/^# .*\n/, ABOUT)
    .replaceAll('](openapi.json)', '](/v1/openapi.json)')
    .split('\n');
  return lines
    .filter((line) => !line.includes('](../'))
    .map((line) => line.replace(/\]\(((?:adr\/)?[\w-]+\.md)/g, '](/docs/$1'))
    .join('\n');
}
