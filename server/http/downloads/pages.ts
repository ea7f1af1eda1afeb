import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadFolder, type StaticPolicy, type StaticRoute, serveFiles } from './static-files.ts';

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
function builtFolder(): string {
  const above = resolve(fileURLToPath(import.meta.url), '../../../..');
  return basename(above) === 'dist' ? above : join(above, 'dist');
}
