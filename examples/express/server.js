// IMAGEWRIGHT_URL=http://127.0.0.1:8080 IMAGEWRIGHT_API_KEY=iw_… npm start, then open the address that is printed.
import { mkdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import express from 'express';
import { createAdmin } from './admin.js';
import { Media } from './media.js';

const {
  IMAGEWRIGHT_URL = 'http://127.0.0.1:8080',
  IMAGEWRIGHT_API_KEY = '',
  MEDIA_DIR = 'media',
  PORT = '3000',
} = process.env;
await mkdir(MEDIA_DIR, { recursive: true });
const media = await new Media(MEDIA_DIR).open();
// Images to begin with: `npm start -- ~/photos/*.jpg`.
for (const path of process.argv.slice(2)) await media.add(basename(path), await readFile(path));

const app = createAdmin({ media, service: IMAGEWRIGHT_URL, apiKey: IMAGEWRIGHT_API_KEY });
const folderOf = (/** @type {string} */ name) => fileURLToPath(new URL('.', import.meta.resolve(name)));
app.use('/packages/element', express.static(folderOf('@imagewright/element/package.json')));
app.use('/packages/host', express.static(folderOf('@imagewright/host/package.json')));
app.use(express.static(fileURLToPath(new URL('./public', import.meta.url))));
const server = app.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address();
  console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : PORT}`);
});
