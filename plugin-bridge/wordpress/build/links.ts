import { readFile } from 'node:fs/promises';

/** Links that wordpress.org asks for; empty where `package.json` has none. */
export interface Links {
  /** Page of the plugin: `homepage`. */
  homepage: string;
  /** Page of its author: `author.url`. */
  author: string;
  /** Public address of the sources of the scripts: `repository.url`. */
  sources: string;
}

/** Reads the links from `package.json`, where whoever publishes the plugin enters them. */
export async function readLinks(): Promise<Links> {
  const text = await readFile(new URL('../../../package.json', import.meta.url), 'utf8');
  const {
    homepage = '',
    author,
    repository,
  } = JSON.parse(text) as {
    homepage?: string;
    author?: { url?: string };
    repository?: { url?: string };
  };
  return { homepage, author: author?.url ?? '', sources: (repository?.url ?? '').replace(/^git\+|\.git$/g, '') };
}

/** Adds links to the header of the plugin's main file. */
export function stampHeader(php: string, { homepage, author }: Links): string {
  return php
    .replace(/^ \* Description:/m, homepage ? ` * Plugin URI:        ${homepage}\n$&` : '$&')
    .replace(/^ \* License: /m, author ? ` * Author URI:        ${author}\n$&` : '$&');
}

/** Adds the links to the service and to the sources to the readme. */
export function stampReadme(readme: string, { homepage, sources }: Links): string {
  const withService = homepage
    ? readme.replace(/^(== External services ==\n\n)/m, `$1About the service: ${homepage}\n\n`)
    : readme;
  return sources
    ? withService.replace(/^(== Sources ==\n\n)/m, `$1Address of the sources: ${sources}\n\n`)
    : withService;
}
