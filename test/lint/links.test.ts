import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

/** A link to a file of the project, without its heading. */
const LINK = /\]\((?![a-z]+:|#)([^)#\s]+)(?:#[^)]*)?\)/g;

it('links of the documents lead to files that exist', async () => {
  const below = async (folder: string) =>
    (await readdir(folder, { recursive: true }))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name));
  const root = (await readdir('.')).filter((name) => name.endsWith('.md'));
  const documents = [...root, ...(await below('docs')), ...(await below('examples'))];
  const broken: string[] = [];
  let links = 0;
  for (const document of documents) {
    for (const [, target = ''] of (await readFile(document, 'utf8')).matchAll(LINK)) {
      links += 1;
      if (!existsSync(join(dirname(document), target))) broken.push(`${document}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
  expect(links).toBeGreaterThan(200);
});

it('links to decisions name the number of the decision', async () => {
  const names = (await readdir('docs')).filter((name) => name.endsWith('.md')).map((name) => join('docs', name));
  const wrong: string[] = [];
  for (const document of ['README.md', ...names]) {
    const links = (await readFile(document, 'utf8')).matchAll(
      /\[(?:decisions? |ADR )?(\d+)\]\((?:docs\/)?adr\/0*(\d+)-/g,
    );
    for (const [link, told, target] of links) if (told !== target) wrong.push(`${document}: ${link}`);
  }
  expect(wrong).toEqual([]);
});

it('the first page is short', async () => {
  expect((await readFile('README.md', 'utf8')).split('\n').length).toBeLessThanOrEqual(120);
});
