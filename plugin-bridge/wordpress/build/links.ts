import { readFile } from 'node:fs/promises';

/** Links that wordpress.org asks for; empty where `package.json` has none. */
export interface Links {
  /** Page of the plugin: `homepage`. */
  homepage: string;
  /** Page of its author: `author.url`. */
  author: string;
}

/** Reads the links from `package.json`, where whoever publishes the plugin enters them. */
export async function readLinks(): Promise<Links> {
  const text = await readFile(new URL('../../../package.json', import.meta.url), 'utf8');
  const { homepage = '', author } = JSON.parse(text) as { homepage?: string; author?: { url?: string } };
  return { homepage, author: author?.url ?? '' };
}

/** Adds links to the header of the plugin's main file. */
export function stampHeader(php: string, { homepage, author }: Links): string {
  return php
    .replace(/^ \* Description:/m, homepage ? ` * Plugin URI:        ${homepage}\n$&` : '$&')
    .replace(/^ \* License: /m, author ? ` * Author URI:        ${author}\n$&` : '$&');
}

/** Adds the link to the service to the readme. */
export function stampReadme(readme: string, { homepage }: Links): string {
  return homepage ? readme.replace(/^(== External services ==\n\n)/m, `$1About the service: ${homepage}\n\n`) : readme;
}
