import type { Browser, BrowserContext, BrowserContextOptions, LaunchOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { launchAnyBrowser } from './find-browser.ts';
import { keptInProcess } from './kept-in-process.ts';
import { PATIENCE_MS } from './patience.ts';

/** A browser for one test file. */
export interface TestBrowser {
  browser: Browser;
  /** Opens a page in a context of its own, which is closed when the test ends. */
  open(options?: BrowserContextOptions): Promise<Tab>;
  close(): Promise<void>;
}

/** A page and all it complained of. */
export interface Tab {
  page: Page;
  context: BrowserContext;
  /** Console errors and warnings, uncaught errors, CSP violations and requests to other machines, in order. */
  complaints: string[];
  /** Holds that the page complained of nothing but what `except` names. */
  expectQuiet(except?: RegExp[]): void;
}

/**
 * No sandbox as root, since Chromium refuses; background throttling would make hidden tabs late; everything but loopback
 * goes to a proxy that does not exist.
 */
const ARGS = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-dev-shm-usage',
  '--disable-background-timer-throttling',
  '--disable-renderer-backgrounding',
  '--font-render-hinting=none',
  '--proxy-server=http://127.0.0.1:1',
];

/** Launches a browser without a window. `args` are added to Chromium's command line. @throws Error when there is none */
export async function launchBrowser({
  args = [],
  firefoxUserPrefs,
}: Pick<LaunchOptions, 'args' | 'firefoxUserPrefs'> = {}): Promise<TestBrowser> {
  const browser = await launchAnyBrowser({
    ...{ headless: true, args: [...ARGS, ...args], firefoxUserPrefs },
    // The test runner ends this process, and the browser ends with it.
    ...{ handleSIGHUP: false, handleSIGINT: false, handleSIGTERM: false },
  });
  return {
    browser,
    async open(options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
      context.setDefaultTimeout(PATIENCE_MS);
      onTestFinished(() => context.close());
      return watch(context, await context.newPage());
    },
    close: () => browser.close(),
  };
}

/** A browser that other test files of this process use, too. Contexts keep them apart. */
export type SharedBrowser = Omit<TestBrowser, 'close'>;

/** Returns the browser that this process shares. */
export const sharedBrowser: () => Promise<SharedBrowser> = keptInProcess(
  () => launchBrowser(),
  (browser) => browser.close(),
);

/** Starts to collect what a page complains of. */
async function watch(context: BrowserContext, page: Page): Promise<Tab> {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.stack ?? error.message}`));
  page.on('crash', () => complaints.push('the page crashed'));
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (/^(https?|wss?):$/.test(protocol) && !['127.0.0.1', 'localhost', '[::1]'].includes(hostname)) {
      complaints.push(`foreign request: ${request.url()}`);
    }
  });
  await page.exposeFunction('reportViolation', (violation: string) => complaints.push(`violation: ${violation}`));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const { effectiveDirective, blockedURI, sourceFile, lineNumber } = event;
      const report = (window as unknown as { reportViolation(violation: string): void }).reportViolation;
      report(`${effectiveDirective} ${blockedURI} ${sourceFile ?? ''}:${lineNumber}`);
    });
  });
  return {
    page,
    context,
    complaints,
    expectQuiet(except = []) {
      expect(complaints.filter((complaint) => !except.some((pattern) => pattern.test(complaint)))).toEqual([]);
    },
  };
}
