import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../', import.meta.url);

/** Returns the files that a page of the documentation shows, each below a line with its path: "`server.js`:". */
export function filesOfPage(page: string): Map<string, string> {
  const text = readFileSync(fileURLToPath(new URL(page, ROOT)), 'utf8');
  const blocks = text.matchAll(/^`([\w./-]+)`:\n\n```\w+\n(.*?)^```$/gms);
  return new Map([...blocks].map(([, path = '', code = '']) => [path, code]));
}

/** Counts the lines of files that somebody has to write: neither blank ones nor comments. */
export function ownLines(files: Iterable<string>): number {
  const lines = [...files].flatMap((text) => text.split('\n'));
  return lines.filter((line) => line.trim() !== '' && !line.trim().startsWith('//')).length;
}
