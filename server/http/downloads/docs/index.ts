// Owns the documentation: the pages as Markdown, the reference of the API, rendered when it is first asked for, and a page to try requests.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { OpenApiDocument } from '#contract';
import { type StaticFile, type StaticPolicy, type StaticRoute, serveFiles } from '../pages.ts';
import { CONSOLE_SCRIPT, STYLES, THEME_SCRIPT } from './assets.ts';
import { groupEndpoints, type OpenApi, renderAddress, tryFragment } from './endpoint-list.ts';
import { markdownPages } from './markdown.ts';
import { html, page } from './page.ts';
import { renderReference } from './reference-page.ts';

/** Only the own origin; the viewer sets inline styles and has its icons as data URLs. */
const VIEWER: StaticPolicy = {
  sources: {
    'script-src': "'self'",
    'style-src': "'self' 'unsafe-inline'",
    'img-src': "'self' data: blob:",
    'connect-src': "'self'",
  },
};

/** Only files of the own origin. */
const REFERENCE: StaticPolicy = { sources: { 'script-src': "'self'", 'style-src': "'self'", 'img-src': "'self'" } };

const TYPES = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

/** Creates the routes of the documentation; `/docs/try` sends real requests by Swagger UI. */
export function createDocsPages(document: () => OpenApiDocument): StaticRoute[] {
  const api = () => document() as unknown as OpenApi;
  return [
    ...serveFiles([own('/docs', TYPES.html, () => renderReference(api())), ...markdownPages()], REFERENCE),
    ...serveFiles(
      [
        own('/docs/try', TYPES.html, () => renderConsole(api())),
        own('/docs/docs.css', TYPES.css, () => STYLES),
        own('/docs/theme.js', TYPES.js, () => THEME_SCRIPT),
        own('/docs/start.js', TYPES.js, () => CONSOLE_SCRIPT),
        packaged('swagger-ui.css', TYPES.css),
        packaged('swagger-ui-bundle.js', TYPES.js),
        packaged('favicon-32x32.png', 'image/png'),
      ],
      VIEWER,
    ),
  ];
}

function own(path: string, type: string, text: () => string): StaticFile {
  return { path, type, read: async () => Buffer.from(text()) };
}

function packaged(name: string, type: string): StaticFile {
  const read = () => readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`));
  return { path: `/docs/${name}`, type, read };
}

/**
 * Renders the page that sends requests: a list of all endpoints. Swagger UI, 1.7 MB of script, takes its place when
 * a reader chooses an endpoint or comes with one.
 */
function renderConsole(api: OpenApi): string {
  const content = html`<div id="content" role="main"><section aria-labelledby="try"><h1 id="try">Try the API</h1>
<p>Requests are sent to this service, and count. Logged in, you need no key.</p>
<p id="state" role="status">Choose a request to fill in and send.</p>
<noscript><p>This page needs JavaScript. The <a href="/docs">reference</a> does not.</p></noscript></section>
<div id="docs"><div class="requests">${groupEndpoints(api).map(
    ({ name, endpoints }) =>
      html`<h2>${name}</h2><ul>${endpoints.map(
        (endpoint) =>
          html`<li><a href="${tryFragment(endpoint)}">${renderAddress(endpoint)} <span>${endpoint.summary}</span></a></li>`,
      )}</ul>\n`,
  )}</div></div></div>`;
  return page({ title: 'Try the API', current: '/docs/try', content, scripts: ['/docs/start.js'] });
}
