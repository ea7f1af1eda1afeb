// ADMIN_PASSWORD=… IMAGEWRIGHT_API_KEY=iw_… npm start
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { imagewright, openMedia } from '@imagewright/host/server';
import express from 'express';

const { IMAGEWRIGHT_URL: service = 'http://127.0.0.1:8080', IMAGEWRIGHT_API_KEY: apiKey = '' } = process.env;
const { ADMIN_PASSWORD, PORT = '3000' } = process.env;

// Your list of images: here the files of a folder with texts beside it, in a CMS a table of its database.
await mkdir('media', { recursive: true });
const texts = JSON.parse(await readFile('texts.json', 'utf8').catch(() => '{}'));
const media = openMedia({
  folder: 'media',
  url: '/media',
  list: async () => (await readdir('media')).sort().map((file) => ({ id: file, file, ...texts[file] })),
  saveTexts(id, changed) {
    texts[id] = { ...texts[id], ...changed };
    return writeFile('texts.json', JSON.stringify(texts));
  },
});

// Your log-in: returns who may edit media, and null for all others. Here one editor with a password.
const expected = `Basic ${btoa(`editor:${ADMIN_PASSWORD}`)}`;
const userOf = (req) => (ADMIN_PASSWORD && req.headers.authorization === expected ? 'editor' : null);

const app = express();
app.use('/media', media.serve, express.static('media'));
app.use('/packages', express.static('node_modules/@imagewright'));
app.use('/admin', (req, res, next) => {
  if (userOf(req)) next();
  else res.set('WWW-Authenticate', 'Basic').sendStatus(401);
});
app.use('/admin', express.static('admin'));
app.use('/admin/imagewright', imagewright({ service, apiKey, userOf, host: media }));
const server = app.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/admin/`);
});
