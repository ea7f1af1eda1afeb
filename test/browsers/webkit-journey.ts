import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KEYS, type WebKitTab } from './webkit.ts';

/** Observations of the journey. */
export interface Journey {
  /** Place and size of the menu and its button, in pixels. */
  menu: { width: number; height: number; below: number; aside: number };
  /** The alternative text before, after the press of Undo. */
  texts: string[];
  /** First bytes of the file that was downloaded, as text. */
  downloaded: string;
  /** Text of the row whose file was removed from the disk before its upload. */
  removed: string;
  /** Errors and warnings of the console, and errors that nothing caught. */
  complaints: string[];
}

const PASSWORD = 'a long enough sentence';

/** Keeps what the console says from here on. */
function listen(): void {
  const said: string[] = [];
  Object.assign(window, { said });
  for (const name of ['error', 'warn'] as const) {
    console[name] = (...words: unknown[]) => void said.push(`${name}: ${words.join(' ')}`);
  }
  addEventListener('error', ({ message }) => said.push(message));
  addEventListener('unhandledrejection', ({ reason }) => said.push(String(reason)));
}

const complaints = (tab: WebKitTab) => tab.run(() => (window as unknown as { said: string[] }).said);

/** Goes from the first link to a downloaded file, with the mouse, and by keys into the menu. */
export async function walkInWebKit(tab: WebKitTab, link: string, picture: Uint8Array): Promise<Journey> {
  const folder = await mkdtemp(join(tmpdir(), 'journey-'));
  try {
    await claim(tab, link);
    await tab.press('a', 'Playground');
    await tab.until('the element', async () => (await tab.count('image-optimizer')) > 0);
    await tab.run(listen);
    const path = join(folder, 'hill.png');
    await writeFile(path, picture);
    await tab.type('input[type=file]', path);
    await tab.until('an uploaded image', async () => (await tab.count('io-row')) === 1 && (await isIdle(tab)));
    const texts = await writeAndUndo(tab);
    const menu = await measureMenu(tab);
    await tab.keys(KEYS.escape);
    await tab.until('the closed menu', async () => (await tab.count('#menu:popover-open')) === 0);
    const downloaded = await exportAndDownload(tab);
    const removed = await uploadRemoved(tab, join(folder, 'gone.png'), picture);
    return { menu, texts, downloaded, removed, complaints: await complaints(tab) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function claim(tab: WebKitTab, link: string): Promise<void> {
  await tab.go(link);
  await tab.type('input[name=email]', 'owner@example.com');
  await tab.type('input[name=password]', PASSWORD);
  await tab.press('button', 'Create my log-in');
  await tab.until('the overview', async () => (await tab.count('h1', 'Overview')) > 0);
}

const isIdle = async (tab: WebKitTab) =>
  ['ready', 'done'].includes(`${await tab.property('image-optimizer', 'state')}`);

const openMenu = async (tab: WebKitTab) => {
  await tab.press('button.more[popovertarget]');
  await tab.until('the menu', async () => (await tab.count('#menu:popover-open')) === 1);
};

/** Writes an alternative text, and takes it back by one press. */
async function writeAndUndo(tab: WebKitTab): Promise<string[]> {
  const alt = 'textarea[data-text=alt]';
  const value = async () => `${await tab.property(alt, 'value')}`;
  await tab.type(alt, 'A hill');
  const written = await value();
  await openMenu(tab);
  await tab.press('[role=menuitem]', 'Undo');
  await tab.until('the text taken back', async () => (await value()) === '').catch(() => {});
  return [written, await value()];
}

async function measureMenu(tab: WebKitTab): Promise<Journey['menu']> {
  await tab.run(() => (document.activeElement as HTMLElement | null)?.blur());
  await openMenu(tab);
  const [menu, button] = [await tab.rectOf('#menu'), await tab.rectOf('button.more[popovertarget]')];
  const aside = menu.x + menu.width - (button.x + button.width);
  return { width: menu.width, height: menu.height, below: menu.y - (button.y + button.height), aside };
}

async function exportAndDownload(tab: WebKitTab): Promise<string> {
  await tab.press('button.export');
  await tab.press('dialog button[value=yes]');
  await tab.press('button[data-control=download]');
  const [name = ''] = await tab.until('a downloaded file', async () => {
    const names = (await tab.downloads()).filter((file) => !file.endsWith('.wkdownload'));
    return names.length > 0 && names;
  });
  return (await readFile(join(tab.folder, name))).subarray(0, 16).toString('latin1');
}

/** Chooses a file that is gone before its upload begins. */
async function uploadRemoved(tab: WebKitTab, path: string, picture: Uint8Array): Promise<string> {
  await writeFile(path, Buffer.concat([picture, Buffer.from('x')]));
  await tab.invoke('image-optimizer', 'pause');
  await tab.type('input[type=file]', path);
  await tab.until('the second row', async () => (await tab.count('io-row')) === 2);
  await rm(path);
  await tab.invoke('image-optimizer', 'resume');
  await tab.until('a refusal', async () => (await tab.count('.error, .notice', 'gone.png')) > 0);
  return tab.textOf('.error, .notice', 'gone.png');
}
