import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type StaticPolicy, type StaticRoute, serveFiles } from './static-files.ts';

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

/** A separate file, since the page allows no inline script; `validatorUrl: null` prevents requests to other hosts. */
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

/** Only the own origin; the viewer sets inline styles and has its icons as data URLs. */
const POLICY: StaticPolicy = {
  sources: {
    'script-src': "'self'",
    'style-src': "'self' 'unsafe-inline'",
    'img-src': "'self' data: blob:",
    'connect-src': "'self'",
  },
};

const ASSETS = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const;

/** Creates the routes of the API documentation: the page, its start script and a fixed list of the viewer's files. */
export function createDocsPage(): StaticRoute[] {
  return serveFiles(
    [
      { path: '/docs', type: 'text/html; charset=utf-8', read: async () => Buffer.from(PAGE) },
      { path: '/docs/start.js', type: 'text/javascript; charset=utf-8', read: async () => Buffer.from(START) },
      ...Object.entries(ASSETS).map(([name, type]) => ({ path: `/docs/${name}`, type, read: () => readAsset(name) })),
    ],
    POLICY,
  );
}

async function readAsset(name: string): Promise<Buffer> {
  return readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`));
}
