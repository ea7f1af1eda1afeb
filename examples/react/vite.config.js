import * as imagewright from '@imagewright/unplugin';
import { defineConfig } from 'vite';

const { IMAGEWRIGHT_URL = 'http://127.0.0.1:8080', IMAGEWRIGHT_API_KEY = '' } = process.env;

// While it is worked on, Vite adds the key. In production your server does: docs/proxies.md.
const proxy = {
  '/imagewright': {
    target: IMAGEWRIGHT_URL,
    rewrite: (/** @type {string} */ path) => path.slice('/imagewright'.length),
    headers: { 'X-API-Key': IMAGEWRIGHT_API_KEY },
  },
};

export default defineConfig({ plugins: [imagewright.vite()], server: { proxy }, preview: { proxy } });
