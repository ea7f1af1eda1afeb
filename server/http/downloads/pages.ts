import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadFolder, type StaticPolicy, type StaticRoute, serveFiles } from './static-files.ts';

/** A folder below `dist` and the path under which it is served. */
interface Pages {
  folder: string;
  base: string;
  policy: StaticPolicy;
  /** The page has addresses of its own below its base: its index.html answers all that are not files. */
  deepLinks?: boolean;
}

/** All from our own origin; neither inline styles or scripts nor any address made by the page. */
const OWN_ORIGIN = {
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self'",
  'connect-src': "'self'",
};

const PAGES: Pages[] = [
  { folder: 'demo', base: '/demo', policy: { sources: OWN_ORIGIN } },
  { folder: 'dashboard', base: '/dashboard', policy: { sources: OWN_ORIGIN }, deepLinks: true },
  // Code for other people's pages.
  { folder: 'widget', base: '/widget', policy: { sources: {}, shared: true } },
];

/** Start page of the service's address. */
const FIRST_PAGE = '/dashboard';

/** Makes the routes of all that is built for browsers; what has not been built has none. */
export function createPages(directory = builtFolder()): StaticRoute[] {
  const pages = PAGES.flatMap(({ folder, base, policy, deepLinks }) => {
    const routes = serveFiles(loadFolder(join(directory, folder), base), policy);
    const page = routes.find(({ path }) => path === base);
    return deepLinks && page ? [...routes, answerBelow(page)] : routes;
  });
  return pages.some(({ path }) => path === FIRST_PAGE) ? [...pages, leadToFirstPage()] : pages;
}

/** Not remembered by browsers, since it may lead elsewhere one day. */
function leadToFirstPage(): StaticRoute {
  return {
    path: '/',
    handler(ctx) {
      ctx.set('Cache-Control', 'no-store');
      ctx.redirect(FIRST_PAGE);
    },
  };
}

/** Names with a dot are files, and a file that is not there must not be a page. */
function answerBelow({ path, handler }: StaticRoute): StaticRoute {
  return {
    path: `${path}/{*page}`,
    handler: (ctx, next) => (/\.\w+$/.test(ctx.path) ? next() : handler(ctx, next)),
  };
}

/** This module runs as `dist/server/http/downloads/pages.js`, or from its source. */
function builtFolder(): string {
  const above = resolve(fileURLToPath(import.meta.url), '../../../..');
  return basename(above) === 'dist' ? above : join(above, 'dist');
}
