import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDisplay } from './display.ts';

const DRIVER = '/usr/bin/WebKitWebDriver';
const VIEWERS = ['4.1', '6.0', '4.0'].map((api) => `/usr/lib/x86_64-linux-gnu/webkit2gtk-${api}/MiniBrowser`);
/** Names by which WebDriver marks an element in JSON. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
const PATIENCE_MS = 60_000;

/** Keys that have no letter, as WebDriver writes them. */
export const KEYS = { tab: '\uE004', enter: '\uE007', escape: '\uE00C', right: '\uE014' } as const;

/** Programs that WebKit's driver lacks; empty where it can be started. */
export const absentForWebKit = (): string[] => [
  ...(existsSync(DRIVER) && VIEWERS.some((path) => existsSync(path)) ? [] : ['webkit2gtk-driver']),
  ...(existsSync('/usr/bin/Xvfb') ? [] : ['xvfb']),
  ...(existsSync('/usr/bin/dbus-run-session') ? [] : ['dbus']),
];

/** Finds elements through all shadow roots, by selector and by the beginning of name or text. */
const FIND = `function find(css, text) {
  const found = [];
  const visit = (root) => {
    for (const element of root.querySelectorAll('*')) {
      if (element.matches(css)) {
        const name = (element.getAttribute('aria-label') || element.textContent).replace(/\\s+/g, ' ').trim();
        const isSeen = element.checkVisibility({ visibilityProperty: true }) || element.matches('input[type=file]');
        if (isSeen && (!text || name.startsWith(text))) found.push(element);
      }
      if (element.shadowRoot) visit(element.shadowRoot);
    }
  };
  visit(document);
  return found;
}`;

/** A tab of WebKit. */
export type WebKitTab = Awaited<ReturnType<typeof openWebKit>>;

/** Starts WebKit with one tab, in a home of its own. */
export async function openWebKit({ width = 1280, height = 900, dark = false } = {}) {
  const home = await mkdtemp(join(tmpdir(), 'webkit-'));
  const downloads = join(home, 'Downloads');
  await mkdir(downloads);
  await mkdir(join(home, '.config'));
  await writeFile(join(home, '.config/user-dirs.dirs'), `XDG_DOWNLOAD_DIR="${downloads}"\n`);
  const display = await openDisplay();
  const { driver, base } = await startDriver(home, display.name, dark);
  const binary = VIEWERS.find((path) => existsSync(path));
  const options = { binary, args: ['--automation'] };
  const always = { browserName: 'MiniBrowser', acceptInsecureCerts: true, 'webkitgtk:browserOptions': options };
  const session = await call(base, 'POST', '/session', { capabilities: { alwaysMatch: always } });
  const send = (method: string, path: string, body?: object) =>
    call(base, method, `/session/${session.sessionId}${path}`, body);
  await send('POST', '/timeouts', { script: PATIENCE_MS, pageLoad: PATIENCE_MS });
  await send('POST', '/window/rect', { x: 0, y: 0, width, height });

  /** Runs a function in the page; a promise is awaited. */
  async function run<T>(work: (...values: never[]) => T | Promise<T>, ...args: unknown[]): Promise<T> {
    const script = `globalThis.__name ??= (work) => work; const [done, ...values] = [...arguments].reverse(); Promise.resolve().then(() => (${work})(...values.reverse()))
      .then((value) => done({ value }), (error) => done({ fault: String(error) }));`;
    const { value, fault } = await send('POST', '/execute/async', { script, args });
    if (fault) throw new Error(fault);
    return value as T;
  }

  async function until<T>(what: string, look: () => Promise<T | null | undefined | false>): Promise<T> {
    const end = Date.now() + PATIENCE_MS;
    for (;;) {
      const found = await look();
      if (found) return found;
      if (Date.now() > end) throw new Error(`not found in WebKit: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  const findAll = (css: string, text = ''): Promise<Record<string, string>[]> =>
    send('POST', '/execute/sync', { script: `return (${FIND})(...arguments)`, args: [css, text] });
  const find = async (css: string, text = '') =>
    until(`${css} ${text}`, async () => (await findAll(css, text))[0]?.[ELEMENT]);

  return {
    version: session.browserVersion ?? session.capabilities?.browserVersion,
    downloads: () => readdir(downloads),
    folder: downloads,
    go: (url: string) => send('POST', '/url', { url }),
    address: () => send('GET', '/url') as Promise<string>,
    run,
    until,
    count: async (css: string, text = '') => (await findAll(css, text)).length,
    /** Waits for an element, and returns its text. */
    textOf: async (css: string, text = ''): Promise<string> => send('GET', `/element/${await find(css, text)}/text`),
    property: async (css: string, name: string): Promise<unknown> =>
      send('GET', `/element/${await find(css)}/property/${name}`),
    /** Calls a method of an element. */
    invoke: (css: string, method: string, ...values: string[]) =>
      send('POST', '/execute/sync', {
        script: `const [css, name, ...values] = arguments; (${FIND})(css)[0][name](...values)`,
        args: [css, method, ...values],
      }),
    rectOf: async (css: string): Promise<DOMRect> => send('GET', `/element/${await find(css)}/rect`),
    press: async (css: string, text = '') => send('POST', `/element/${await find(css, text)}/click`, {}),
    /** Types into an element, or gives a file to an input. */
    type: async (css: string, keys: string, text = '') =>
      send('POST', `/element/${await find(css, text)}/value`, { text: keys }),
    /** Presses keys wherever the focus is. */
    async keys(...keys: string[]) {
      const actions = keys.flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ]);
      await send('POST', '/actions', { actions: [{ type: 'key', id: 'keyboard', actions }] });
    },
    screenshot: async (path: string) => writeFile(path, Buffer.from(await send('GET', '/screenshot'), 'base64')),
    async close() {
      await send('DELETE', '').catch(() => {});
      stop(driver);
      display.close();
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function startDriver(home: string, display: string, dark: boolean) {
  const port = await freePort();
  const driver = spawn('dbus-run-session', ['--', DRIVER, `--port=${port}`], {
    detached: true,
    stdio: 'ignore',
    env: {
      ...process.env,
      ...{ DISPLAY: display, HOME: home, XDG_CONFIG_HOME: join(home, '.config'), XDG_CACHE_HOME: join(home, '.cache') },
      ...{ XDG_DATA_HOME: join(home, '.local/share'), GTK_THEME: dark ? 'Adwaita:dark' : 'Adwaita', NO_AT_BRIDGE: '1' },
      // Its sandbox needs rights that containers lack; it opens pages of this machine alone.
      ...{ WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1', LIBGL_ALWAYS_SOFTWARE: '1' },
    },
  });
  const base = `http://127.0.0.1:${port}`;
  const end = Date.now() + PATIENCE_MS;
  while (!(await fetch(`${base}/status`).catch(() => null))) {
    if (Date.now() > end) throw new Error('WebKitWebDriver does not answer');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { driver, base };
}

/** Ends a process with all that it has started. */
function stop({ pid }: ChildProcess): void {
  try {
    if (pid) process.kill(-pid);
  } catch {
    // It has ended by itself.
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of WebDriver are of many kinds
async function call(base: string, method: string, path: string, body?: object): Promise<any> {
  const init = body ? { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } } : {};
  const { value } = (await (await fetch(base + path, { method, ...init })).json()) as { value: Record<string, string> };
  if (value?.error) throw new Error(`${path}: ${value.error}: ${value.message}`);
  return value;
}
