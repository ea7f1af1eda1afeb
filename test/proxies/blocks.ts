import { readFileSync } from 'node:fs';

const page = readFileSync(new URL('../../docs/proxies.md', import.meta.url), 'utf8');

/**
 * Returns the first block of a language below a heading of `docs/proxies.md`, with each text of `changes` replaced.
 * @throws Error if the block or a text is missing
 */
export function readBlock(heading: string, language: string, changes: Record<string, string>): string {
  const section = page.split(`# ${heading}\n`)[1]?.split(/^##+ /m)[0] ?? '';
  const block = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(section)?.[1];
  if (block === undefined) throw new Error(`no ${language} block below "${heading}"`);
  return Object.entries(changes).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`"${from}" is not in the ${language} block below "${heading}"`);
    return text.replaceAll(from, to);
  }, block);
}
