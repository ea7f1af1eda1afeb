import { join } from 'node:path';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import type { Transaction } from '#contract';
import { createI18n, loadLocale } from '../../widget/i18n/index.ts';
import { FIXTURES } from './api-client.ts';
import { type SharedBrowser, sharedBrowser, type Tab } from './browser.ts';
import { type FakeVisionServer, startFakeVisionServer } from './fake-vision-server.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { type EVENT_NAMES, type HostPage, hostFiles } from './host-page.ts';
import { keptInProcess } from './kept-in-process.ts';
import { startTestService, type TestAccount, type TestService } from './service.ts';
import type { SharedService } from './shared-service.ts';
import { plainImages, type SmallImage } from './small-images.ts';

/** An event of the element, as the page saw it; files stand as `{name, size, type}`. */
export interface RecordedEvent {
  type: (typeof EVENT_NAMES)[number];
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the detail it looks at
  detail: any;
  target: string;
  cancelable: boolean;
  composed: boolean;
}

/** A page with the element in it. */
export interface WidgetTab extends Tab {
  account: TestAccount;
  /** The first element. */
  widget: Locator;
  /** Adds fixtures, or small pictures, through the file input, as the file dialog does. */
  pick(...files: (string | SmallImage)[]): Promise<void>;
  /** Adds `count` small pictures and waits until they are uploaded. */
  upload(count: number): Promise<void>;
  /** Presses "Export" and says yes. */
  exportAll(): Promise<void>;
  /** Events so far, of one name or all. */
  events(type?: RecordedEvent['type']): Promise<RecordedEvent[]>;
  /** Messages of the live regions, `polite: …` or `assertive: …`. */
  spoken(): Promise<string[]>;
  /** Waits until the element is in this state. */
  untilState(state: string): Promise<void>;
  /** Goes to the page anew, optionally another one; the account stays. */
  reload(page?: HostPage): Promise<void>;
  button(name: string | RegExp): Locator;
  /** Opens the menu of the toolbar and chooses an entry. */
  choose(entry: string): Promise<void>;
  /** Charges and refunds of the account. */
  ledger(): Promise<{ charged: number; refunded: number; charges: number }>;
}

/** Options of a test page. */
export interface OpenOptions extends HostPage {
  credits?: number;
  /** Account of the page. @default a new one */
  account?: TestAccount;
  context?: BrowserContextOptions;
  /** Pages of another origin have no fault proxy between. @default true */
  throughProxy?: boolean;
}

/** The real service with a fake vision model, behind a proxy that can do damage, and a real browser before it. */
export interface WidgetRig {
  test: SharedService;
  vision: FakeVisionServer;
  proxy: FaultProxy;
  browser: SharedBrowser;
  open(options?: OpenOptions): Promise<WidgetTab>;
}

const { t } = createI18n({ locale: 'en', messages: await loadLocale('en') });

/** An English text of the element, as a page shows it. */
export const text = t;

/** Path of a fixture. */
export const fixture = (name: string) => join(FIXTURES, name);

type Running = { vision: FakeVisionServer; test: TestService; proxy: FaultProxy };
const kept = new Map<string, () => Promise<Running>>();

/** Service, vision model and proxy: one of each, by settings of the service, for the test files of this process. */
function runningWith(settings: Record<string, string>): Promise<Running> {
  const key = JSON.stringify(settings);
  const running = kept.get(key) ?? keptInProcess(() => start(settings), stop);
  kept.set(key, running);
  return running();
}

async function start(settings: Record<string, string>): Promise<Running> {
  const vision = await startFakeVisionServer();
  const test = await startTestService({
    AI_PROVIDER: 'openai-compatible',
    AI_BASE_URL: vision.url,
    AI_MODEL: 'fake-model',
    AI_CANARY: 'off',
    AI_MAX_RETRIES: '0',
    ...settings,
  });
  return { vision, test, proxy: await startFaultProxy(test.url) };
}

async function stop({ vision, test, proxy }: Running): Promise<void> {
  await proxy.close();
  await test.close();
  await vision.close();
}

/**
 * Returns the rig that this process shares, without the faults and answers that the file before has set up. Other
 * `settings` of the service have a rig of their own.
 */
export async function openWidgetRig(settings: Record<string, string> = {}): Promise<WidgetRig> {
  const [{ vision, test, proxy }, browser] = await Promise.all([runningWith(settings), sharedBrowser()]);
  vision.reset();
  proxy.reset();
  return {
    ...{ test, vision, proxy, browser },
    async open(options = {}) {
      // A fault that no request has met yet would meet one of the next test.
      onTestFinished(() => proxy.reset());
      const account = options.account ?? (await test.createAccount({ credits: options.credits }));
      const tab = await browser.open(options.context);
      return openPage(tab, account, options, options.throughProxy === false ? test.url : proxy.url);
    },
  };
}

async function openPage(tab: Tab, account: TestAccount, options: OpenOptions, url: string): Promise<WidgetTab> {
  const { page } = tab;
  let files: ReturnType<typeof hostFiles> = {};
  await page.route(`${url}/host/**`, (route) => {
    const file = files[new URL(route.request().url()).pathname];
    if (!file) return route.fulfill({ status: 404 });
    const headers = { 'Content-Type': file.type, ...(file.policy ? { 'Content-Security-Policy': file.policy } : {}) };
    return route.fulfill({ body: file.body, headers });
  });
  async function show(host: HostPage): Promise<void> {
    files = hostFiles({ ...host, headers: { 'X-API-Key': account.apiKey, ...host.headers } });
    await page.goto(`${url}/host/`);
    await page.waitForFunction(() => (window as unknown as { ready?: boolean }).ready === true);
  }
  await show(options);
  const widget = page.locator('image-optimizer').first();
  const input = widget.locator('input[type=file]').first();
  const pick = (...picked: (string | SmallImage)[]) => {
    const paths = picked.filter((each) => typeof each === 'string').map(fixture);
    const images = picked.filter((each) => typeof each !== 'string');
    const made = images.map(({ name, bytes }) => ({ name, mimeType: 'image/png', buffer: Buffer.from(bytes) }));
    return input.setInputFiles(paths.length > 0 ? paths : made);
  };
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') console.error(`The page of "${task.name}":`, await traceOf(page).catch(String));
  });
  return {
    ...tab,
    account,
    widget,
    pick,
    async upload(count) {
      await pick(...(await plainImages(count, { width: 64, height: 48 })));
      await expect.poll(async () => (await recordedIn(page, 'io-upload')).length).toBe(count);
    },
    async exportAll() {
      await widget.locator('button.export').click();
      await widget.locator('dialog button[value=yes]').click();
    },
    events: (type) => recordedIn(page, type),
    spoken: () => page.evaluate(() => (window as unknown as { spoken: string[] }).spoken),
    async untilState(state) {
      const read = () => widget.evaluate((element) => (element as unknown as { state: string }).state);
      await expect.poll(read).toBe(state);
    },
    reload: (host = options) => show(host),
    button: (name) => widget.getByRole('button', { name, exact: typeof name === 'string' }),
    async choose(entry) {
      await widget.locator('.more[aria-haspopup]').click();
      await widget.getByRole('menuitem', { name: entry, exact: true }).click();
    },
    async ledger() {
      const path = '/v1/credits/transactions?limit=200';
      const { transactions } = await account.api.readJson<{ transactions: Transaction[] }>(path);
      // Not what the account was set up with.
      const jobs = transactions.filter(({ ref }) => ref.startsWith('job_'));
      const of = (kind: string) => jobs.filter((each) => each.kind === kind);
      const sum = (kind: string) => of(kind).reduce((total, { delta }) => total + Math.abs(delta), 0);
      return {
        charged: sum('charge'),
        refunded: sum('refund'),
        charges: of('charge').length,
      };
    },
  };
}

/** Returns the page's messages and last events, which explain a failed test. */
function traceOf(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { spoken, recorded } = window as unknown as { spoken: string[]; recorded: RecordedEvent[] };
    const states = [...document.querySelectorAll('image-optimizer')].map((each) => each.dataset.state);
    const events = recorded.slice(-12).map(({ type, detail }) => `${type} ${JSON.stringify(detail).slice(0, 300)}`);
    return JSON.stringify({ states, spoken: spoken.slice(-12), events }, null, 1);
  });
}

function recordedIn(page: Page, type?: RecordedEvent['type']): Promise<RecordedEvent[]> {
  return page.evaluate(
    (wanted) =>
      (window as unknown as { recorded: RecordedEvent[] }).recorded.filter((event) => !wanted || event.type === wanted),
    type,
  );
}
