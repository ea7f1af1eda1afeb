import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDocsPage } from '../../server/http/downloads/docs-page.ts';

describe('createDocsPage', () => {
  const routes = createDocsPage();
  const app = new Koa();
  app.use((ctx, next) => routes.find(({ path }) => path === ctx.path)?.handler(ctx, next));
  const server = app.listen(0, '127.0.0.1');
  let origin: string;

  beforeAll(() => {
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  it('serves everything that the page loads from its own origin', async () => {
    const page = await (await fetch(`${origin}/docs`)).text();
    const named = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]);
    expect(named.length).toBeGreaterThan(3);
    for (const path of named) {
      expect(path).toMatch(/^\/docs\/[\w.-]+$/);
      const response = await fetch(origin + path);
      expect(response.status, path).toBe(200);
      expect((await response.arrayBuffer()).byteLength, path).toBeGreaterThan(100);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('allows no inline script, no foreign host and no framing', async () => {
    const response = await fetch(`${origin}/docs`);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
    expect(await response.text()).not.toMatch(/<script>|<script [^>]*>[^<]|https?:\/\//);
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
