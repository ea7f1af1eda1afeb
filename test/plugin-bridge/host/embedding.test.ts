import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { compileExamples, readExamples } from '../../support/compile-examples.ts';
import { filesOfPage, ownLines } from '../../support/files-of-page.ts';

describe('docs/embedding.md', () => {
  let examples: string[];
  let page: string;

  beforeAll(async () => {
    examples = await readExamples('docs/embedding.md');
    page = await readFile(new URL('../../../docs/embedding.md', import.meta.url), 'utf8');
  });

  it('has examples that compile', () => {
    expect(examples).toHaveLength(2);
    expect(compileExamples(examples)).toEqual([]);
  });

  it('shows a whole host in less than 100 lines', () => {
    expect(examples[0]?.trim().split('\n').length).toBeLessThan(100);
  });

  it('shows the example of Express word for word, in at most 60 own lines', async () => {
    const files = filesOfPage('docs/embedding.md');
    expect([...files.keys()]).toEqual(['server.js', 'admin/index.html', 'admin/page.js']);
    for (const [path, code] of files) expect(code).toBe(await readFile(`examples/express/${path}`, 'utf8'));
    expect(ownLines(files.values())).toBeLessThanOrEqual(60);
  });

  it('names the slots and custom properties that the element has, and no others', async () => {
    const manifest = JSON.parse(
      await readFile(new URL('../../../widget/custom-elements.json', import.meta.url), 'utf8'),
    ) as { modules: { declarations: { tagName?: string; slots?: Named[]; cssProperties?: Named[] }[] }[] };
    interface Named {
      name: string;
    }
    const element = manifest.modules
      .flatMap(({ declarations }) => declarations)
      .find(({ tagName }) => tagName === 'image-optimizer');
    const names = (list: Named[] = []) => list.map(({ name }) => name).sort();
    const properties = [...new Set(page.match(/--io-[a-z0-9-]+/g))].sort();
    expect(properties).toEqual(names(element?.cssProperties));
    const slots = /Slots: (.*?)\./s.exec(page)?.[1]?.match(/[a-z-]+(?=`)/g) ?? [];
    expect([...slots].sort()).toEqual(names(element?.slots));
  });
});
