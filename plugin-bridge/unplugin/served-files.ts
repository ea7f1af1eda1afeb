import { resolve } from 'node:path';

/** The resolved configuration of Vite, as far as it is used. */
export interface ViteConfig {
  root: string;
  command: string;
  server: { fs: { strict?: boolean | undefined; allow: string[] } };
  /** Tests for a file of `server.fs.deny`. */
  fsDenyGlob?: (file: string) => boolean;
  /** Files that modules of the project import, wherever they are. */
  safeModulePaths?: ReadonlySet<string>;
}

/**
 * Returns true if a server of Vite may give the file to a browser, by the rules of `server.fs`. Vite leaves this to plugins that load a
 * file themselves.
 */
export function isServed({ command, server, fsDenyGlob, safeModulePaths }: ViteConfig, file: string): boolean {
  const { strict = true, allow } = server.fs;
  if (command !== 'serve' || !strict) return true;
  // The address of a request may hold `..`.
  const path = resolve(file).replaceAll('\\', '/');
  if (fsDenyGlob?.(path)) return false;
  return safeModulePaths?.has(path) || allow.some((folder) => `${path}/`.startsWith(`${folder.replace(/\/$/, '')}/`));
}
