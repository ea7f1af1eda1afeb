import { beforeAll, expect, it } from 'vitest';
import { type SharedService, sharedService } from '../support/shared-service.ts';

let test: SharedService;
beforeAll(async () => {
  test = await sharedService();
});

it('every address below /dashboard is the page, under a policy without inline code; files that are missing are not', async () => {
  const bodies = new Set<string>();
  for (const path of ['/dashboard', '/dashboard/', '/dashboard/settings/keys', '/dashboard/claim']) {
    const answer = await fetch(test.url + path);
    expect([path, answer.status, answer.headers.get('Content-Type')]).toEqual([path, 200, 'text/html; charset=utf-8']);
    const policy = answer.headers.get('Content-Security-Policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    bodies.add(await answer.text());
  }
  expect(bodies.size).toBe(1);
  const [html = ''] = bodies;
  expect(html).not.toMatch(/\sstyle=|<style|<script(?![^>]*src=)/);
  const assets = [...html.matchAll(/(?:src|href)="(\/dashboard\/[^"]+)"/g)].map(([, path]) => path);
  expect(assets.length).toBeGreaterThan(2);
  for (const path of assets) expect((await fetch(test.url + path)).status).toBe(200);
  expect((await fetch(`${test.url}/dashboard/assets/gone-12345678.js`)).status).toBe(404);
});

it('the bare address leads to it, and only that', async () => {
  const answer = await fetch(test.url, { redirect: 'manual' });
  expect([answer.status, answer.headers.get('Location')]).toEqual([302, '/dashboard']);
  expect(answer.headers.get('Cache-Control')).toBe('no-store');
  expect((await fetch(`${test.url}/elsewhere`, { redirect: 'manual' })).status).toBe(404);
});
