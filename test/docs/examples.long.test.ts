import { expect, it } from 'vitest';
import { typedEnds } from '../../plugin-bridge/unplugin/typed-ends.ts';
import { analyzeElements, elementsForPages } from '../../widget/manifest/analyze-elements.ts';
import { sharedBrowser } from '../support/browser.ts';
import { compileExamples } from '../support/compile-examples.ts';
import { blocksOf, listPages } from '../support/documents.ts';
import { BLOCKS } from './block-list.ts';

/** Names that the examples take from the program of their reader. */
const AROUND: Record<string, string> = {
  'docs/proxies.md':
    'declare const cms: { editorOf(req: object): { id: string } | null; ownsUpload(...upload: [{ id: string }, string]): boolean; rememberUpload(...upload: [{ id: string }, string]): void };',
  'docs/embedding.md': `declare const element: import('@imagewright/element').ImageOptimizer;
    declare const images: import('@imagewright/host/conformance').NamedBytes[];
    declare function startMyCms(images: readonly object[]): Promise<any>;`,
};
/** Examples may hold what their reader goes on with. */
const UNUSED = 'is declared but its value is never read';
/** Errors of TypeScript that do not count in examples of JavaScript, which have no types. */
const UNTYPED =
  /implicitly has an|is of type 'unknown'|type '(unknown|string \| undefined|ImageOptimizer \| null)'|'session' does not exist/i;

const examples = listPages().flatMap((page) =>
  blocksOf(page)
    .filter(
      ({ language }, at) => BLOCKS[page]?.[at]?.[1] === 'compiled' || (page === 'docs/sdk.md' && language === 'ts'),
    )
    .map((block) => ({ ...block, name: `${page}:${block.line}` })),
);

it('the examples of the documents compile, also under exactOptionalPropertyTypes', () => {
  const programs = examples.filter(({ language }) => language === 'ts' || language === 'js');
  expect(programs.length).toBeGreaterThan(15);
  const texts = programs.map(({ page, language, code }) => {
    const around = language === 'js' && code.includes('import ') === false ? `${AROUND[page]}\nexport {};\n` : '';
    const declared = around || (language === 'js' ? (AROUND[page] ?? '') : '');
    return `${code}\n${declared}`.replace(/^(import .* from '\.\/.*\?imagewright.*)$/gm, '// $1');
  });
  const found = compileExamples(texts).flatMap((fault) => {
    const [whole = '', at = ''] = /^.*example-(\d+)\.ts/.exec(fault) ?? [];
    const { name, language } = programs[Number(at) - 1] ?? {};
    if (fault.includes(UNUSED) || (language === 'js' && UNTYPED.test(fault))) return [];
    return [`${name}${fault.slice(whole.length)}`];
  });
  expect(found).toEqual([]);
});

it('compiling is strict', () => {
  const wrong = `import { createClient } from '@imagewright/sdk';
    createClient({ endpoint: '' }).checkCredits({ imageCount: 'three' });`;
  expect(compileExamples([wrong])).toEqual([
    expect.stringContaining("Type 'string' is not assignable to type 'number'"),
  ]);
});

it('the imports of images in examples have types', () => {
  const imports = listPages().flatMap((page) =>
    blocksOf(page).flatMap(({ code }) =>
      [...code.matchAll(/from '(\S+\?\S*imagewright\S*)'/g)].map(([, source]) => source),
    ),
  );
  expect(imports.length).toBeGreaterThan(1);
  const untyped = imports.filter((source) => !typedEnds().some((end) => source?.endsWith(end)));
  expect(untyped).toEqual([]);
});

it('markup and style sheets of examples are what a browser reads, with elements, slots and parts that exist', async () => {
  const elements = (await analyzeElements()).modules.flatMap(({ declarations }) => declarations);
  const [main] = elementsForPages(await analyzeElements());
  const tags = elements.flatMap(({ tagName }) => tagName ?? []);
  const slots = (main?.slots ?? []).map(({ name }) => name);
  const parts = (main?.cssParts ?? []).map(({ name }) => name);
  const { page } = await (await sharedBrowser()).open();
  for (const { language, code, name } of examples) {
    if (language === 'html') {
      const used = await page.evaluate((html) => {
        const root = new DOMParser().parseFromString(html, 'text/html').documentElement;
        return {
          tags: [...root.querySelectorAll('*')].map(({ localName }) => localName).filter((tag) => tag.includes('-')),
          slots: [...root.querySelectorAll('[slot]')].map((one) => one.getAttribute('slot') ?? ''),
        };
      }, code);
      expect(used.tags.length, name).toBeGreaterThan(0);
      expect([...tags, 'io-share-link'], name).toEqual(expect.arrayContaining(used.tags));
      expect(slots, name).toEqual(expect.arrayContaining(used.slots));
    }
    if (language === 'css') {
      const rules = await page.evaluate((css) => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(css);
        return [...sheet.cssRules].map(({ cssText }) => cssText);
      }, code);
      expect(rules.length, name).toBe(code.match(/^\}/gm)?.length);
      const used = [...code.matchAll(/::part\(([\w-]+)\)/g)].map(([, part]) => part);
      expect(parts, name).toEqual(expect.arrayContaining(used));
    }
  }
});
