import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, type TestBrowser } from '../support/browser.ts';

describe('the test browser', () => {
  let browser: TestBrowser;
  let server: Server;
  let url: string;

  beforeAll(async () => {
    server = createServer((_, response) => {
      response.setHeader('Content-Security-Policy', "default-src 'none'");
      response.setHeader('Content-Type', 'text/html');
      response.end('<!doctype html><title>a page</title><link rel="icon" href="data:,"><p style="color: red">text');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  it('reports errors of a page, and none of a correct page', async () => {
    const tab = await browser.open();
    await tab.page.goto('about:blank');
    tab.expectQuiet();
    await tab.page.goto(url);
    await tab.page.evaluate(() => {
      console.error('told');
      setTimeout(() => {
        throw new Error('thrown');
      });
    });
    await expect.poll(() => tab.complaints.join('\n')).toMatch(/thrown/);
    await expect.poll(() => tab.complaints.join('\n')).toMatch(/violation: style-src-attr inline/);
    expect(tab.complaints.join('\n')).toContain('error: told');
    expect(() => tab.expectQuiet()).toThrow();
    tab.expectQuiet([/./]);
  });

  it('cannot reach other machines', async () => {
    const tab = await browser.open();
    for (const address of ['http://example.com/', 'http://192.0.2.1/']) {
      await expect(tab.page.goto(address)).rejects.toThrow(/ERR_PROXY_CONNECTION_FAILED/);
    }
    expect(tab.complaints).toEqual(expect.arrayContaining(['foreign request: http://example.com/']));
  });
});
