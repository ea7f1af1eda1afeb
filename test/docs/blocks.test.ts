import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { parseCheck } from '../../server/admin/check-command.ts';
import { parseCommand } from '../../server/admin/commands.ts';
import { parseDataCommand } from '../../server/admin/data-commands.ts';
import { loadConfig } from '../../server/config/index.ts';
import { analysisResultSchema, analyzeRequestSchema } from '../../server/contract/analysis.ts';
import { qualitySchema } from '../../server/contract/exports.ts';
import { metadataSchema } from '../../server/contract/images.ts';
import { blockOf, blocksOf, listPages, spansOf } from '../support/documents.ts';
import { BLOCKS, type Keeping, SPANS } from './block-list.ts';

const PAGES = listPages();
const keepingOf = (page: string, at: number): Keeping | undefined => BLOCKS[page]?.[at]?.[1];

/** Blocks of all pages with how each is kept. */
const all = PAGES.flatMap((page) => blocksOf(page).map((block, at) => ({ ...block, keeping: keepingOf(page, at) })));

describe('the blocks of the documents', () => {
  it('are all in the list, in order, with what keeps them true', () => {
    const found = PAGES.map((page) => [page, blocksOf(page).map(({ code }) => code)] as const);
    const begins = (code: string, begin = '') => (code.startsWith(begin) ? begin : code.slice(0, 60));
    const inOrder = found
      .filter(([, codes]) => codes.length > 0)
      .map(([page, codes]) => [page, codes.map((code, at) => begins(code, BLOCKS[page]?.[at]?.[0]))]);
    const listed = Object.entries(BLOCKS).map(([page, entries]) => [page, entries.map(([begin]) => begin)]);
    expect(Object.fromEntries(inOrder)).toEqual(Object.fromEntries(listed));
  });

  it('name tests that exist and read their page', () => {
    const tests = all.flatMap(({ page, keeping }) =>
      typeof keeping === 'object' && 'test' in keeping ? [{ page, test: keeping.test }] : [],
    );
    const strange = tests.filter(({ page, test }) => !existsSync(test) || !readFileSync(test, 'utf8').includes(page));
    expect(strange).toEqual([]);
  });

  it.each(all.filter(({ keeping, language }) => keeping === 'compiled' && /^(yaml|yml)$/.test(language)))(
    'are YAML: $page:$line',
    ({ code }) => {
      expect(parseAllDocuments(code).flatMap(({ errors }) => errors)).toEqual([]);
    },
  );

  it.each(all.filter(({ keeping, language }) => keeping === 'judged' && language === 'sh'))(
    'name settings that the service takes: $page:$line',
    ({ code }) => {
      const env = Object.fromEntries(
        [...code.matchAll(/(\w+)=('[^']*'|\S+)/g)].map(([, name = '', value = '']) => [
          name,
          value.replaceAll("'", ''),
        ]),
      );
      expect(Object.keys(env).length).toBeGreaterThan(1);
      expect(() => loadConfig(env)).not.toThrow();
    },
  );

  it('have bodies and answers of the API', () => {
    const json = (page: string, begins: string) => JSON.parse(blockOf(page, begins)) as Record<string, unknown>;
    expect(
      analyzeRequestSchema.parse({ sessionId: `sess_${'0'.repeat(22)}`, ...json('docs/analysis.md', '{ "options"') }),
    ).toBeTruthy();
    const { texts } = analysisResultSchema.shape;
    const answer = json('docs/analysis.md', '{\n  "metadata"');
    for (const name of Object.keys(answer.metadata ?? {})) expect(metadataSchema.shape).toHaveProperty(name);
    expect(texts.parse(answer.texts)).toEqual(answer.texts);
    for (const { code } of blocksOf('docs/quality.md')) {
      const { quality } = JSON.parse(`{${code}}`) as { quality: object };
      expect(qualitySchema.partial().parse(quality)).toEqual(quality);
    }
  });

  it('name the commands and options of the plugin in WordPress', () => {
    const folder = 'plugin-bridge/wordpress/includes/Cli';
    const known = readdirSync(folder)
      .map((file) => readFileSync(join(folder, file), 'utf8'))
      .join('\n');
    for (const line of blockOf('docs/wordpress.md', 'wp imagewright status').trim().split('\n')) {
      const [, name = '', rest = ''] = /^wp imagewright (\w+)(.*?)(?: +#.*)?$/.exec(line) ?? [];
      expect(known).toMatch(new RegExp(`function ${name}\\(`));
      for (const [, option = ''] of rest.matchAll(/--([\w-]+)/g)) expect(known).toContain(`[--${option}`);
    }
  });

  it('give the policy under which tests of the element run', () => {
    const policy = blockOf('docs/embedding.md', "default-src 'none'").trim();
    expect(readFileSync('test/support/host-page.ts', 'utf8')).toContain(policy);
  });
});

describe('the commands in the text of the documents', () => {
  const scripts = Object.keys((JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object }).scripts);
  const PROGRAM = /^(npm|npx|node|docker|curl|imagewright|wp|git|openssl|mongo\w+|php|vitest|tsx) /;
  const spans = PAGES.flatMap(spansOf).map(({ text, ...where }) => ({
    ...where,
    text: text.replace(/^([A-Z_]+=\S* )+/, ''),
  }));

  it('are scripts of the project, or in the list with what keeps them true', () => {
    const unknown = spans.flatMap(({ page, line, text }) =>
      text
        .split(' && ')
        .filter((command) => PROGRAM.test(command) && !isKnown(command))
        .map((command) => `${page}:${line} ${command}`),
    );
    expect(unknown).toEqual([]);
  });

  /** `npm run NAME`, `npm test` and `npm start`, or the begin of an entry. */
  function isKnown(command: string): boolean {
    const [, script] = /^npm (?:run )?(?:--silent |--prefix \S+ )*([\w:.-]+|…)/.exec(command) ?? [];
    if (script && (script === '…' || scripts.includes(script))) return true;
    return SPANS.some(([begins]) => command.startsWith(begins));
  }

  it('are understood by the administration, in spans and blocks', () => {
    const texts = [...spans.map(({ text }) => text), ...all.flatMap(({ code }) => code.split('\n'))];
    const commands = texts.flatMap((text) => {
      const [, words] =
        /(?:\badmin --|^npx @imagewright\/server admin|start\.mjs admin|^admin) ([a-z][^#>|]*)/.exec(text) ?? [];
      return words ? [words.trim().split(/\s+/)] : [];
    });
    expect(commands.length).toBeGreaterThan(20);
    const parse = (words: string[]) => parseCheck(words) ?? parseDataCommand(words) ?? parseCommand(words);
    for (const words of commands) {
      // A command without its options is named, not written.
      const isNamed = !words.some((word) => word.startsWith('-'));
      const rightUsage = isNamed ? expect.not.stringMatching(/^expected (?!--\w+ for )/) : 'right';
      expect(
        outcomeOf(() => parse(words)),
        words.join(' '),
      ).toEqual(rightUsage);
    }
  });

  it('name folders of tests that exist', () => {
    const folders = spans.flatMap(({ text }) => /^npx vitest run .*?(test\/\S+)$/.exec(text)?.[1] ?? []);
    expect(folders.length).toBeGreaterThan(1);
    for (const folder of folders)
      expect(existsSync(folder) || existsSync(`${folder}.nightly.test.ts`), folder).toBe(true);
  });
});

/** Returns 'right', or the message of what was thrown. */
function outcomeOf(work: () => unknown): string {
  try {
    work();
    return 'right';
  } catch (error) {
    return (error as Error).message;
  }
}

/** Names what was measured, in a checkout. */
const FIGURES = 'docs/performance.md';
/** Sentence that a page has before a command that the registry does not answer yet. */
const UNTIL = /[Uu]ntil (it is|the packages are|they are) published/;

it('pages that install a package of ours from the registry say what to do until it is there', () => {
  const OURS = /\b(npm (install|i) [^`\n]*(@imagewright\/|\bimagewright\b)|npx (@imagewright|imagewright)\b)/;
  const silent = PAGES.filter((page) => {
    const text = readFileSync(page, 'utf8');
    return page !== FIGURES && OURS.test(text) && !UNTIL.test(text.replace(/\s+/g, ' '));
  });
  expect(silent).toEqual([]);
});
