import { basename } from 'node:path';

/** A line of the list: a file, from the root of the project, and what it does. */
const LISTED = /^\d+\. \[`([^`]+)`\]\([^)]+\)/;

/** A docstring of an export, what the export is, and its name. */
const DOCUMENTED = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport (?:async )?(\w+\*?) (\w+)/g;

/** Returns the files that `docs/walk.md` lists, in order. */
export function walkedFiles(page: string): string[] {
  return page.split('\n').flatMap((line) => LISTED.exec(line)?.[1] ?? []);
}

/**
 * Generates the list of `docs/walk.md`: numbers, links and the first sentence of each file's docstring. Lines before and after the
 * list stay.
 * @param wanted the files to list, in order; missing ones are left out. @default the listed ones
 */
export async function walkPage(
  page: string,
  read: (file: string) => Promise<string>,
  wanted = walkedFiles(page),
): Promise<string> {
  const sources = await Promise.all(wanted.map(async (file) => [file, await read(file).catch(() => null)] as const));
  const items = sources
    .flatMap(([file, source]) => (source === null ? [] : [`[\`${file}\`](../${file}): ${sentenceOf(file, source)}`]))
    .map((item, index) => `${index + 1}. ${item}`);
  const lines = page.trimEnd().split('\n');
  const isListed = (line: string) => LISTED.test(line);
  const before = lines.slice(0, lines.findIndex(isListed));
  const after = lines.slice(lines.findLastIndex(isListed) + 1);
  return `${[...before, ...items, ...after].join('\n')}\n`;
}

/** Finds the docstring of a file's main export, else of its first function, else its first one. @throws if there is none */
function sentenceOf(file: string, source: string): string {
  const words = basename(file)
    .replace(/(\.route)?\.ts$/, '')
    .replaceAll('-', '');
  const documented = [...source.matchAll(DOCUMENTED)];
  const found =
    documented.find(([, , , name = '']) => name.toLowerCase().replace(/^create/, '') === words) ??
    documented.find(([, , kind = '']) => kind.startsWith('function')) ??
    documented[0];
  const plain = (found?.[1] ?? '')
    .replace(/^\s*\* ?/gm, '')
    .replace(/\{@link (\w+)\}/g, '`$1`')
    .replace(/\s+/g, ' ')
    .trim();
  const sentence = /^.*?\.(?= |$)/.exec(plain)?.[0] ?? plain;
  if (sentence === '') throw new Error(`${file}: expected a docstring on an export, found none`);
  return sentence;
}
