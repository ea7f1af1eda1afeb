import { copyFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { type Express } from 'express';
import { imagewright } from '../../plugin-bridge/host/server/index.ts';
import { serveLocally } from '../support/serve-locally.ts';
import { findPhp } from '../wordpress/site/php.ts';
import { readBlock } from './blocks.ts';
import { findProgram, startProgram } from './programs.ts';
import { startNginx } from './tls-proxies.ts';

/** A small CMS whose proxy forwards to the service. */
export interface CmsProxy {
  /** Address before `/v1/…`. */
  endpoint: string;
  /** Logs an editor in; returns the headers of the browser's requests. */
  logIn(user: string): Promise<Record<string, string>>;
  stop(): Promise<void>;
}

/** Options of a CMS. */
export interface CmsOptions {
  /** Path of the program; absent where the CMS is a Node program. */
  file?: string | null;
  /** Address of the service. */
  service: string;
  apiKey: string;
  /** Adds pages to the CMS, where it is an Express application. */
  extend?: (app: Express) => void;
}

const CSRF = 'token-of-the-page';
const logIn = async (user: string) => ({ Cookie: `cms=${user}; other=1`, 'X-CSRF-Token': CSRF });

/** Returns the editor of a request to a CMS that is a Node program. */
function editorOf(headers: IncomingHttpHeaders): string | null {
  const user = /(?:^|; )cms=([\w-]+)/.exec(headers.cookie ?? '')?.[1];
  return headers['x-csrf-token'] === CSRF ? (user ?? null) : null;
}

async function listen(handler: RequestListener) {
  const { port, close } = await serveLocally(createServer(handler));
  return { host: `127.0.0.1:${port}`, stop: close };
}

/** Starts an Express application with `imagewright` of `@imagewright/host/server`. */
async function startExpressCms({ service, apiKey, extend }: CmsOptions): Promise<CmsProxy> {
  const app = express();
  const uploads = new Map<string, string>();
  const proxy = imagewright({
    ...{ service, apiKey },
    userOf: async (req) => editorOf(req.headers),
    owns: async (user, sessionId) => uploads.get(sessionId) === user,
    remember: async (user, sessionId) => void uploads.set(sessionId, user),
  });
  app.use('/imagewright', proxy);
  extend?.(app);
  const { host, stop } = await listen(app);
  return { endpoint: `http://${host}/imagewright`, logIn, stop };
}

/** Starts PHP with the files of `examples/php` as they are. */
async function startPhpCms({ file, service, apiKey }: CmsOptions): Promise<CmsProxy> {
  const running = await startProgram(async ({ folder, port }) => {
    for (const name of ['imagewright-proxy.php', 'cms.php']) {
      await copyFile(fileURLToPath(new URL(`../../examples/php/${name}`, import.meta.url)), join(folder, name));
    }
    const page = `<?php session_start(); $_SESSION = ['user' => $_GET['user'], 'csrf' => '${CSRF}'];`;
    await writeFile(join(folder, 'log-in.php'), page);
    const settings = {
      ...{ upload_max_filesize: '64M', post_max_size: '64M', 'session.save_path': folder },
      // As a host may have set them; they must not hold events back.
      ...{ output_buffering: '4096', 'zlib.output_compression': '1', display_errors: '1' },
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-d', `${name}=${value}`]);
    const env = { IMAGEWRIGHT_URL: service, IMAGEWRIGHT_API_KEY: apiKey, PHP_CLI_SERVER_WORKERS: '6' };
    return { file: file ?? 'php', args: [...flags, '-S', `127.0.0.1:${port}`, '-t', folder], env };
  });
  const site = `http://127.0.0.1:${running.port}`;
  return {
    endpoint: `${site}/imagewright-proxy.php`,
    async logIn(user) {
      const { headers } = await fetch(`${site}/log-in.php?user=${user}`);
      return { Cookie: headers.get('Set-Cookie')?.split(';')[0] ?? '', 'X-CSRF-Token': CSRF };
    },
    stop: running.stop,
  };
}

/** Starts nginx with the block for a CMS, and a CMS that answers who may edit media. */
async function startNginxCms({ file, service, apiKey }: CmsOptions): Promise<CmsProxy> {
  const cms = await listen(({ url, headers }, res) => {
    const isPermissionRequest =
      url === '/api/may-edit-media' && String(headers['x-original-uri']).startsWith('/imagewright/');
    const editor = editorOf(headers);
    res.writeHead(isPermissionRequest ? (editor ? 204 : 401) : 500, editor ? { 'X-User': editor } : {}).end();
  });
  const running = await startNginx(file ?? 'nginx', ({ port }) =>
    readBlock('A CMS behind nginx', 'nginx', {
      'listen 443 ssl': `listen 127.0.0.1:${port}`,
      '127.0.0.1:8080': new URL(service).host,
      '127.0.0.1:3000': cms.host,
      iw_THE_KEY_OF_THE_SITE: apiKey,
    }),
  );
  return {
    endpoint: `http://127.0.0.1:${running.port}/imagewright`,
    logIn,
    async stop() {
      await running.stop();
      await cms.stop();
    },
  };
}

/** The CMS proxies of `docs/proxies.md`, by the name of the program that they need. */
export const CMS_PROXIES = { express: startExpressCms, php: startPhpCms, nginx: startNginxCms } as const;

/** Path of the program that runs each proxy; null where it is not installed. */
export const PROGRAMS = { express: process.execPath, php: await findPhp(), nginx: findProgram('nginx') };
if (!PROGRAMS.php)
  console.warn('SKIPPED: the PHP proxy is not tested, since this machine has no PHP with the extensions it needs.');
