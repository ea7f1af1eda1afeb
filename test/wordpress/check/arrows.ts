import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const INCLUDES = fileURLToPath(new URL('../../../plugin-bridge/wordpress/includes/', import.meta.url));

/** Folders of the plugin's classes, and the other folders whose classes each may name. */
export const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  Service: [],
  Media: ['Service'],
  Texts: ['Media', 'Service'],
  Deliver: ['Media', 'Service'],
  Replace: ['Media', 'Service'],
  Bulk: ['Media', 'Replace', 'Service', 'Texts'],
  Report: ['Deliver', 'Media', 'Service', 'Texts'],
  Admin: ['Bulk', 'Media', 'Replace', 'Service'],
  Rest: ['Admin', 'Bulk', 'Media', 'Replace', 'Report', 'Service', 'Texts'],
  Cli: ['Bulk', 'Media', 'Report', 'Service', 'Texts'],
};

/** The composition root: it names classes of all folders, and no class names it. */
export const ROOT = 'Imagewright_Plugin';
/** Parameters that classes get from the composition root to register their hooks. */
const FOR_ALL = 'Imagewright_Hooks';

/** A PHP file with one class, without its comments. */
export interface PhpClass {
  name: string;
  /** Empty for the composition root and what it hands out. */
  folder: string;
  file: string;
  code: string;
}

/** Reads the classes of a folder of PHP files. */
export function readClasses(root = INCLUDES): PhpClass[] {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.php'));
  return files.sort().flatMap((name) => {
    const code = withoutComments(readFileSync(join(root, name), 'utf8'));
    const found = /^(?:abstract |final )?class (\w+)/m.exec(code)?.[1];
    const folder = dirname(relative(root, join(root, name)));
    return found ? [{ name: found, folder: folder === '.' ? '' : folder, file: basename(name), code }] : [];
  });
}

/** Removes comments, and keeps texts that look like comments. */
function withoutComments(php: string): string {
  return php.replace(/'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, (part) =>
    part.startsWith('/') ? '' : part,
  );
}

/** Returns the classes that each class names, in its code or in a callback. */
export function namedClasses(classes: readonly PhpClass[]): Map<string, string[]> {
  const known = new Set(classes.map(({ name }) => name));
  return new Map(
    classes.map(({ name, code }) => {
      const names = new Set([...code.matchAll(/\bImagewright_\w+/g)].map(([found]) => found));
      return [name, [...names].filter((other) => other !== name && known.has(other))];
    }),
  );
}

/** Lists arrows between folders that `folders` does not allow, and folders that are not in it. */
export function forbiddenArrows(classes: readonly PhpClass[], folders = FOLDERS): string[] {
  const of = new Map(classes.map(({ name, folder }) => [name, folder]));
  return [...namedClasses(classes)].flatMap(([from, names]) => {
    const own = of.get(from) ?? '';
    if (own === '') return [];
    const allowed = folders[own];
    if (!allowed) return [`${own} is not a folder of the table`];
    return names
      .filter((name) => name !== FOR_ALL && of.get(name) !== own && !allowed.includes(of.get(name) ?? ''))
      .map((name) => `${own}/${from} -> ${of.get(name)}/${name}`);
  });
}

/** Lists permissions that no arrow needs. */
export function unusedPermissions(classes: readonly PhpClass[], folders = FOLDERS): string[] {
  const of = new Map(classes.map(({ name, folder }) => [name, folder]));
  const arrows = new Set(
    [...namedClasses(classes)].flatMap(([from, names]) => names.map((name) => `${of.get(from)} -> ${of.get(name)}`)),
  );
  return Object.entries(folders).flatMap(([from, allowed]) =>
    allowed.map((to) => `${from} -> ${to}`).filter((arrow) => !arrows.has(arrow)),
  );
}

/** Returns the groups of two or more classes that name each other in a circle. */
export function cycles(classes: readonly PhpClass[]): string[][] {
  const arrows = namedClasses(classes);
  const reached = new Map<string, Set<string>>();
  for (const { name } of classes) {
    const seen = new Set<string>();
    const open = [...(arrows.get(name) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...(arrows.get(next) ?? []));
    }
    reached.set(name, seen);
  }
  const groups = classes.map(({ name }) =>
    classes
      .map((other) => other.name)
      .filter((other) => reached.get(name)?.has(other) && reached.get(other)?.has(name)),
  );
  return [...new Map(groups.filter((group) => group.length > 1).map((group) => [group.join(), group])).values()];
}
