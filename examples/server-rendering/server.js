// IMAGEWRIGHT_URL=http://127.0.0.1:8080 IMAGEWRIGHT_API_KEY=iw_… npm start, then open the address that is printed.
// The element is a tag on the server, and becomes alive in the browser, which talks to the service with a token of this page.
import { fileURLToPath } from 'node:url';
import '@imagewright/element/react';
import express from 'express';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';

const { IMAGEWRIGHT_URL = 'http://127.0.0.1:8080', IMAGEWRIGHT_API_KEY = '', PORT = '3000' } = process.env;
const folderOf = (/** @type {string} */ name) => fileURLToPath(new URL('.', import.meta.resolve(name)));

const app = express();
app.use('/packages/element', express.static(folderOf('@imagewright/element/package.json')));
app.use(express.static(fileURLToPath(new URL('./public', import.meta.url))));

app.get('/', (_, res) => {
  const page = renderToString(createElement('image-optimizer', { endpoint: IMAGEWRIGHT_URL, locale: 'en' }));
  res.send(`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Rendered on a server</title>
    <script type="module" src="/packages/element/define.js"></script>
    <script type="module" src="/page.js"></script>
  </head>
  <body>${page}</body>
</html>`);
});

// The key stays here; the page gets a token that spends at most 20 credits. Put your log-in before it, and check that the session is of who asks.
app.post('/image-token', async (req, res) => {
  const { session } = req.query;
  const wanted = {
    origin: `${req.protocol}://${req.get('host')}`,
    maxCredits: 20,
    ...(session && { sessionId: session }),
  };
  const answer = await fetch(`${IMAGEWRIGHT_URL}/v1/tokens`, {
    method: 'POST',
    headers: { 'X-API-Key': IMAGEWRIGHT_API_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify(wanted),
  });
  res.status(answer.status).json(await answer.json());
});

const server = app.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address();
  console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : PORT}`);
});
