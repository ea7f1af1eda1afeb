import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Middleware } from 'koa';

/** A path below `/docs` and what answers it. */
export interface DocsRoute {
  path: string;
  handler: Middleware;
}

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Imagewright API</title>
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="docs"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

/** A file of its own, because the page allows no inline script; `validatorUrl: null` keeps the viewer off foreign hosts. */
const START = `SwaggerUIBundle({
  url: '/v1/openapi.json',
  dom_id: '#docs',
  presets: [SwaggerUIBundle.presets.apis],
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

/** Nothing but our own origin; the viewer sets inline styles and has its icons as data URLs. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const ASSETS = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const;

/** Makes the routes of the API's documentation: the page, its start script and the viewer's files, by an explicit list. */
export function createDocsPage(): DocsRoute[] {
  return [
    { path: '/docs', handler: answer('text/html; charset=utf-8', async () => PAGE) },
    { path: '/docs/start.js', handler: answer('text/javascript; charset=utf-8', async () => START) },
    ...Object.entries(ASSETS).map(([name, type]) => ({
      path: `/docs/${name}`,
      handler: answer(type, () => readAsset(name)),
    })),
  ];
}

function answer(type: string, body: () => Promise<string | Buffer>): Middleware {
  return async (ctx) => {
    ctx.set({
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      'Cache-Control': 'public, max-age=3600',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    });
    ctx.type = type;
    ctx.body = await body();
  };
}

async function readAsset(name: string): Promise<Buffer> {
  return readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`));
}
