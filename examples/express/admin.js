import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import express, { Router } from 'express';
import { imagewrightProxy } from './imagewright-proxy.js';
import { MediaError } from './media.js';

/**
 * Makes the admin of a small CMS, as docs/embedding.md describes it. Everybody who can open it is the one editor: put your log-in before it.
 * @param {object} options
 * @param {import('./media.js').Media} options.media
 * @param {string} options.service Address of the image service.
 * @param {string} options.apiKey Key of the site.
 */
export function createAdmin({ media, service, apiKey }) {
  const token = randomBytes(24).toString('hex');
  /** Sessions of the image service that the editor has created. @type {Set<string>} */
  const sessions = new Set();
  /** @param {import('express').Request} req */
  const editorOf = (req) => (req.get('X-CSRF-Token') === token ? 'editor' : null);
  const app = express();
  const proxy = imagewrightProxy({
    ...{ service, apiKey, userOf: editorOf },
    owns: (_, session) => sessions.has(session),
    remember: (_, session) => sessions.add(session),
  });
  app.use('/imagewright', proxy);
  app.get('/api/csrf-token', (_, res) => void res.type('text').send(token));
  app.use('/api/media', (req, res, next) => void (editorOf(req) ? next() : res.sendStatus(403)));
  app.use('/api/media', mediaRoutes(media));
  // What visitors see: an address stays, and gives the file that stands for the image now.
  app.get('/media/:id/:name', async ({ params: { id, name } }, res) => {
    const { original, replaced } = media.find(id);
    await send(res, media, replaced?.find((one) => one.name === name) ?? replaced?.[0] ?? original);
  });
  app.use(answerErrors);
  return app;
}

/** @param {import('./media.js').Media} media */
function mediaRoutes(media) {
  const router = Router();

  router.get('/', ({ query: { ids, search = '', optimized, page = '1', limit = '50' } }, res) => {
    const wanted = ids === undefined ? null : String(ids).split(',');
    const present = media.list();
    const found = (wanted?.flatMap((id) => present.find((one) => `${one.id}` === id) ?? []) ?? present)
      .filter(({ name }) => name.includes(String(search)))
      .filter(({ replaced }) => optimized === undefined || String(replaced !== null) === optimized);
    const end = Number(page) * Number(limit);
    const images = found.slice(end - Number(limit), end).map(describe);
    res.json({ media: images, next: end < found.length ? String(Number(page) + 1) : null, total: found.length });
  });

  router.get('/:id/original', ({ params: { id } }, res) => send(res, media, media.find(id).original));

  router.post('/:id/replace', async (req, res) => {
    const body = /** @type {BodyInit} */ (/** @type {unknown} */ (Readable.toWeb(req)));
    const form = await new Response(body, { headers: { 'Content-Type': req.get('Content-Type') ?? '' } }).formData();
    const files = [];
    for (const [name, file] of form) {
      if (typeof file === 'string') continue;
      files.push({ name, filename: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
    }
    const alt = /** @type {string | null} */ (form.get('alt'));
    await media.replace(req.params.id, { files, uploaded: String(form.get('original-sha256')), alt });
    res.json({ url: addressOf(media.find(req.params.id)) });
  });

  router.post('/:id/restore', async ({ params: { id } }, res) => {
    const restored = await media.restore(id);
    res.json({ url: addressOf(media.find(id)), restored });
  });

  return router;
}

/**
 * @param {any} error @param {import('express').Request} _req @param {import('express').Response} res
 * @param {import('express').NextFunction} _next
 */
function answerErrors(error, _req, res, _next) {
  const status = error instanceof MediaError ? error.status : error.code === 'ENOSPC' ? 507 : 500;
  res.status(status).json({ error: status === 500 ? 'Something went wrong.' : error.message });
}

/** @param {import('express').Response} res @param {import('./media.js').Media} media @param {import('./media.js').StoredFile} stored */
async function send(res, media, stored) {
  res.type(stored.file).send(await media.read(stored));
}

/** @param {import('./media.js').Image} image */
const addressOf = ({ id, name }) => `/media/${id}/${encodeURIComponent(name)}`;

/** @param {import('./media.js').Image} image */
function describe(image) {
  const { id, name, title, alt, replaced } = image;
  const unknown = { width: null, height: null, mime: '' };
  return { id, name, title, alt, url: addressOf(image), optimized: replaced !== null, ...unknown };
}
