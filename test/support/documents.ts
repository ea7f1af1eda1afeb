import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Folders whose pages tell people what to run. Decisions and the changelog tell what was. */
const FOLDERS = ['.', 'docs', 'examples', 'server', 'server/processing', 'widget', 'plugin-bridge', '.github'];
const HISTORY = new Set(['CHANGELOG.md']);

/** A code block of a page: fenced, or indented by four spaces. */
export interface Block {
  page: string;
  /** Of its first line of code, from 1. */
  line: number;
  /** As the fence names it; '' for an indented block or a bare fence. */
  language: string;
  code: string;
}

/** A command or piece of code between single backticks. */
export interface Span {
  page: string;
  line: number;
  text: string;
}

/** Lists the pages that tell people what to run, relative to the repository. */
export function listPages(): string[] {
  const pages = FOLDERS.flatMap((folder) => {
    const deep = folder === 'plugin-bridge';
    const names = readdirSync(join(ROOT, folder), { recursive: deep, encoding: 'utf8' });
    return names
      .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
      .map((name) => join(folder, name));
  });
  return pages.filter((page) => !HISTORY.has(page)).sort();
}

/** Reads the code blocks of a page. */
export function blocksOf(page: string): Block[] {
  return scan(page).blocks;
}

/** Reads the code spans of a page outside of its blocks. */
export function spansOf(page: string): Span[] {
  const { prose } = scan(page);
  const ends = (at: number) => prose.slice(0, at).split('\n').length;
  return [...prose.matchAll(/(?<!`)`([^`]+)`(?!`)/g)].map(({ 1: text = '', index }) => ({
    page,
    line: ends(index),
    text: text.replace(/\s+/g, ' '),
  }));
}

/** Returns the one block of a page that begins so. @throws Error if there is none, or more than one */
export function blockOf(page: string, begins: string): string {
  const found = blocksOf(page).filter(({ code }) => code.startsWith(begins));
  if (found.length !== 1)
    throw new Error(`${page}: expected one block that begins with ${begins}, found ${found.length}`);
  return found[0]?.code ?? '';
}

/** Separates blocks from prose; the lines of blocks are empty in the prose. */
function scan(page: string): { blocks: Block[]; prose: string } {
  const lines = readFileSync(join(ROOT, page), 'utf8').split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [, indent = '', fence = '', language = ''] = /^( *)(`{3,}|~{3,})\s*(\S*)/.exec(lines[at] ?? '') ?? [];
    const isIndented = /^ {4}\S/.test(lines[at] ?? '') && (lines[at - 1] ?? '').trim() === '' && !isInList(lines, at);
    if (!fence && !isIndented) continue;
    const begin = fence ? at + 1 : at;
    let end = begin;
    while (end < lines.length && !(fence ? lines[end]?.trim() === fence : !lines[end]?.startsWith('    '))) end += 1;
    const width = fence ? indent.length : 4;
    const code = lines.slice(begin, end).map((line) => line.slice(width));
    blocks.push({ page, line: begin + 1, language, code: `${code.join('\n')}\n` });
    for (let blank = at; blank < Math.min(fence ? end + 1 : end, lines.length); blank += 1) lines[blank] = '';
    at = end;
  }
  return { blocks, prose: lines.join('\n') };
}

/** Indented text below the entry of a list continues it. */
function isInList(lines: string[], at: number): boolean {
  const before = lines.slice(0, at).findLast((line) => line.trim() !== '' && !line.startsWith(' '));
  return /^([*+-]|\d+\.) /.test(before ?? '');
}
