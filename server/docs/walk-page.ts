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
 * Generates the list of `docs/walk.md`: numbers, links and what each file does, in the first sentence of its docstring. Other lines
 * stay; those above a file move with it.
 * @param wanted the files to list, in order; missing ones are left out. @default the listed ones
 */
export async function walkPage(
  page: string,
  read: (file: string) => Promise<string>,
  wanted = walkedFiles(page),
): Promise<string> {
  const sources = await Promise.all(wanted.map((file) => read(file).catch(() => null)));
  const files = wanted.filter((_, index) => sources[index] !== null);
  const above = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of page.trimEnd().split('\n')) {
    const file = LISTED.exec(line)?.[1];
    if (file === undefined) lines.push(line);
    else if (files.includes(file)) {
      above.set(file, lines);
      lines = [];
    }
  }
  const listed: string[] = [];
  for (const [index, file] of files.entries()) {
    const sentence = sentenceOf(file, await read(file));
    listed.push(...(above.get(file) ?? []), `${index + 1}. [\`${file}\`](../${file}): ${sentence}`);
  }
  return `${[...listed, ...lines].join('\n')}\n`;
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
