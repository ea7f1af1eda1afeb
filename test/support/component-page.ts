import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';
import { serveLocally } from './serve-locally.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A page that shows what one module of the sources does, under the strictest policy it is made for. */
export interface ComponentPage {
  url: string;
  close(): Promise<void>;
}

/** Content security policy that allows only scripts, style sheets, images and answers of the page's own origin. */
export const STRICT_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'";

/** Markup of a page whose elements have the page's own background. */
const STYLE = `
  :root { color-scheme: light dark; }
  body { margin: 24px; font: 16px/1.5 system-ui, sans-serif; background: light-dark(#fff, #17191f); color: light-dark(#1b1e25, #eceef2); }
`;

/**
 * Builds `entry` (a path below the repository) with everything it imports and serves it in an empty page on a free port.
 * `files` are served beside it, by name.
 */
export async function serveComponent({
  entry,
  files = {},
  policy = STRICT_POLICY,
  lang = 'en',
}: {
  entry: string;
  files?: Record<string, Uint8Array>;
  policy?: string;
  lang?: string;
}): Promise<ComponentPage> {
  const served = new Map<string, { body: string | Uint8Array; type: string }>();
  const html = `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><title>component</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="/icon.png"><link rel="stylesheet" href="/page.css">
<script type="module" src="/entry.js"></script></head><body><main></main></body></html>`;
  served.set('/', { body: html, type: 'text/html' });
  served.set('/icon.png', { body: '', type: 'image/png' });
  served.set('/page.css', { body: STYLE, type: 'text/css' });
  for (const [name, body] of Object.entries(files)) served.set(`/${name}`, { body, type: 'application/octet-stream' });
  for (const chunk of await buildEntry(entry)) {
    if (chunk.type === 'chunk') served.set(`/${chunk.fileName}`, { body: chunk.code, type: 'text/javascript' });
  }

  const server = createServer((request, response) => {
    const file = served.get(new URL(request.url ?? '/', 'http://page').pathname);
    response.writeHead(file ? 200 : 404, {
      'Content-Type': `${file?.type ?? 'text/plain'}; charset=utf-8`,
      'Content-Security-Policy': policy,
    });
    response.end(file?.body);
  });
  const { url, close } = await serveLocally(server);
  return { url: `${url}/`, close };
}

async function buildEntry(entry: string): Promise<Rolldown.RolldownOutput['output'][number][]> {
  const built = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    // As in a page of a site: tests run as neither development nor production.
    resolve: { tsconfigPaths: true, conditions: ['production', 'browser', 'module', 'import', 'default'] },
    build: {
      write: false,
      target: 'chrome123',
      modulePreload: false,
      minify: false,
      rolldownOptions: {
        input: { entry: `${root}${entry}` },
        preserveEntrySignatures: 'strict',
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
  return [built].flat().flatMap((result) => ('output' in result ? result.output : []));
}
