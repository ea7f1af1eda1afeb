// Owns the documentation of the API: the reference, rendered when it is first asked for, and a page to try requests.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { OpenApiDocument } from '#contract';
import { type StaticFile, type StaticPolicy, type StaticRoute, serveFiles } from '../static-files.ts';
import { renderConsole } from './console-page.ts';
import type { OpenApi } from './open-api-types.ts';
import { renderReference } from './reference-page.ts';
import { CONSOLE_SCRIPT, THEME_SCRIPT } from './scripts.ts';
import { STYLES } from './styles.ts';

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
    ...serveFiles([own('/docs', TYPES.html, () => renderReference(api()))], REFERENCE),
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
