import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Middleware } from 'koa';
import { createDocument } from './document.ts';

/** A folder below `dist` and the path under which it is served. */
interface Pages {
  folder: string;
  base: string;
  policy: StaticPolicy;
  /** True if the page has routes of its own below `base`: its index.html responds to every path that is not a file. */
  deepLinks?: boolean;
}

/** Only the own origin, without inline styles, inline scripts, or `data:` and `blob:` URLs. */
const OWN_ORIGIN = {
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self'",
  'connect-src': "'self'",
};

const PAGES: Pages[] = [
  { folder: 'demo', base: '/demo', policy: { sources: OWN_ORIGIN } },
  { folder: 'dashboard', base: '/dashboard', policy: { sources: OWN_ORIGIN }, deepLinks: true },
  // Its pictures are fetched with the link's token, so they are shown from memory.
  {
    folder: 'share',
    base: '/share',
    policy: { sources: { ...OWN_ORIGIN, 'img-src': "'self' blob:" }, hidden: true },
    deepLinks: true,
  },
  // Loaded by pages of other sites.
  { folder: 'widget', base: '/widget', policy: { sources: {}, shared: true } },
];

/** Page that `/` redirects to. */
const FIRST_PAGE = '/dashboard';

/** Creates the routes of everything that was built for browsers. */
export function createPages(directory = builtFolder()): StaticRoute[] {
  const pages = PAGES.flatMap(({ folder, base, policy, deepLinks }) => {
    const routes = serveFiles(loadFolder(join(directory, folder), base), policy);
    const page = routes.find(({ path }) => path === base);
    return deepLinks && page ? [...routes, servePathsBelow(page)] : routes;
  });
  return pages.some(({ path }) => path === FIRST_PAGE) ? [...pages, redirectToFirstPage()] : pages;
}

/** Redirects `/` to the first page; not cached, since the target may change. */
function redirectToFirstPage(): StaticRoute {
  return {
    path: '/',
    handler(ctx) {
      ctx.set('Cache-Control', 'no-store');
      ctx.redirect(FIRST_PAGE);
    },
  };
}

/** Responds to the paths below a page with the page. Names with an extension are files, which must not respond with the page. */
function servePathsBelow({ path, handler }: StaticRoute): StaticRoute {
  return {
    path: `${path}/{*page}`,
    handler: (ctx, next) => (/\.\w+$/.test(ctx.path) ? next() : handler(ctx, next)),
  };
}

/** Returns the `dist` folder, if this module runs from there or from its source. */
export function builtFolder(): string {
  const above = resolve(fileURLToPath(import.meta.url), '../../../..');
  return basename(above) === 'dist' ? above : join(above, 'dist');
}

/** A path and its handler. */
export interface StaticRoute {
  path: string;
  handler: Middleware;
}

/** A file that is served unchanged. */
export interface StaticFile {
  /** Path of the URL. */
  path: string;
  /** Media type, with the charset if it has one. */
  type: string;
  read: () => Promise<Buffer>;
}

/** Content security policy of a group of files. */
export interface StaticPolicy {
  /** Allowed sources by directive; others are forbidden. */
  sources: Record<string, string>;
  /** True if pages of other sites may load the files. @default false */
  shared?: boolean;
  /** True if search engines must not list the files. @default false */
  hidden?: boolean;
}

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ts': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
};
/** The build puts a hash of the content into the names of these folders. */
const IMMUTABLE = /\/(assets|chunks)\/[^/]+-[\w-]{8}\.\w+(\.map)?$/;
const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * Reads the files below a folder once, so that a later build does not mix with the served files. A missing folder has
 * none. Skips dot files and unknown types.
 * @param base path under which they are served; an `index.html` is served as `base` itself
 */
function loadFolder(folder: string, base: string): StaticFile[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || !type || entry.name.startsWith('.')) return [];
    const file = join(entry.parentPath, entry.name);
    const name = file.slice(folder.length + 1).replaceAll(sep, '/');
    const bytes = readFileSync(file);
    return [{ path: name === 'index.html' ? base : `${base}/${name}`, type, read: async () => bytes }];
  });
}

/** Creates the routes of files, with strong validators, compression, `nosniff` and a ban on framing. */
export function serveFiles(files: StaticFile[], policy: StaticPolicy): StaticRoute[] {
  const headers = protectionBy(policy);
  return files.map((file) => ({ path: file.path, handler: createHandler(file, headers) }));
}

function protectionBy({ sources, shared, hidden }: StaticPolicy): Record<string, string> {
  const directives = {
    'default-src': "'none'",
    ...sources,
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
  };
  return {
    'Content-Security-Policy': Object.entries(directives)
      .map(([name, value]) => `${name} ${value}`)
      .join('; '),
    'Cross-Origin-Resource-Policy': shared ? 'cross-origin' : 'same-origin',
    ...(shared ? { 'Access-Control-Allow-Origin': '*' } : {}),
    ...(hidden ? { 'X-Robots-Tag': 'noindex, nofollow, noarchive' } : {}),
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  };
}

function createHandler({ path, type, read }: StaticFile, headers: Record<string, string>): Middleware {
  const send = createDocument({ type, read, ...(IMMUTABLE.test(path) && { caching: FOR_EVER }) });
  return async (ctx) => {
    await send(ctx);
    ctx.set(headers);
  };
}
