import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildOpenApi, ENDPOINTS } from '#contract';
import { createDocsPages } from '../../server/http/downloads/docs/index.ts';

describe('createDocsPages', () => {
  const routes = createDocsPages(() => buildOpenApi('1.2.3'));
  const app = new Koa();
  app.use((ctx, next) => routes.find(({ path }) => path === ctx.path)?.handler(ctx, next));
  const server = app.listen(0, '127.0.0.1');
  let origin: string;

  beforeAll(() => {
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  it.each(['/docs', '/docs/try'])('%s loads everything from its own origin', async (address) => {
    const page = await (await fetch(origin + address)).text();
    const script = await (await fetch(`${origin}/docs/start.js`)).text();
    const named = [
      ...page.matchAll(/(?:<script[^>]+src|<link[^>]+href)="([^"]+)"/g),
      ...script.matchAll(/(?:src|href): '([^']+)'/g),
    ].map((match) => match[1]);
    expect(named.length).toBeGreaterThan(2);
    for (const path of named) {
      // The element's tokens and colours, which the service serves with the element.
      if (path?.startsWith('/widget/')) {
        expect(existsSync(new URL(`../../dist${path}`, import.meta.url)), path).toBe(true);
        continue;
      }
      expect(path).toMatch(/^\/docs\/[\w.-]+$/);
      const response = await fetch(origin + path);
      expect(response.status, path).toBe(200);
      expect((await response.arrayBuffer()).byteLength, path).toBeGreaterThan(100);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('has every page as it was written, and lists them in llms.txt for machines', async () => {
    const response = await fetch(`${origin}/llms.txt`);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const list = await response.text();
    expect(list).toMatch(/^# Imagewright\n\n> /);
    for (const shelf of ['Start', 'Guides', 'Reference', 'Decisions']) expect(list).toContain(`\n## ${shelf}\n`);
    const links = [...list.matchAll(/\]\((\/docs\/[^)#]+)/g)].map(([, path = '']) => path);
    expect(list.match(/\]\((?!\/)/g)).toBeNull();
    const pages = readdirSync('docs').filter((name) => name.endsWith('.md') && name !== 'README.md');
    expect(new Set(links)).toEqual(new Set([...pages, 'adr/README.md'].map((name) => `/docs/${name}`)));
    for (const path of links) {
      const page = await fetch(origin + path);
      expect(page.headers.get('content-type'), path).toBe('text/markdown; charset=utf-8');
      expect(await page.text()).toBe(readFileSync(path.slice(1), 'utf8'));
    }
  });

  it.each(['/docs', '/docs/try'])('%s allows no inline script, no foreign host and no framing', async (address) => {
    const response = await fetch(origin + address);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
    expect(await response.text()).not.toMatch(/<script>|<script [^>]*>[^<]|(src|href)="https?:\/\//);
  });

  it('shows every endpoint with a way to try it, and every named schema', async () => {
    const page = await (await fetch(`${origin}/docs`)).text();
    for (const name of Object.keys(ENDPOINTS)) expect(page).toContain(`/${name}">Try it`);
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(targets.length).toBeGreaterThan(100);
    expect(targets.filter((id) => !ids.has(id))).toEqual([]);
    expect(ids.size).toBe([...page.matchAll(/ id="/g)].length);
    // The text of a description is never markup.
    expect(page).not.toMatch(/\[object|undefined|<script>/);
  });

  it('shows the document of this service and contacts no validator', async () => {
    const script = await (await fetch(`${origin}/docs/start.js`)).text();
    expect(script).toContain("url: '/v1/openapi.json'");
    expect(script).toContain('validatorUrl: null');
    expect(script).not.toMatch(/https?:\/\//);
  });

  it('serves no other file of the package', async () => {
    for (const path of [
      '/docs/package.json',
      '/docs/index.html',
      '/docs/../package.json',
      '/docs/oauth2-redirect.html',
    ]) {
      expect((await fetch(origin + path)).status, path).toBe(404);
    }
  });
});
