import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KEYS, type WebKitTab } from './webkit.ts';

const PASSWORD = 'a long enough sentence';
const ALT = 'textarea[data-text=alt]';

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

/** Returns errors and warnings of the console, and errors that nothing caught. */
export const complaintsOf = (tab: WebKitTab) => tab.run(() => (window as unknown as { said: string[] }).said);

/** Opens the first link, chooses a password, and uploads a picture in the playground. */
export async function claimAndUpload(tab: WebKitTab, link: string, picture: Uint8Array): Promise<void> {
  await tab.go(link);
  await tab.type('input[name=email]', 'owner@example.com');
  await tab.type('input[name=password]', PASSWORD);
  await tab.press('button', 'Create my log-in');
  await tab.until('the overview', async () => (await tab.count('h1', 'Overview')) > 0);
  await tab.press('a', 'Playground');
  await tab.until('the element', async () => (await tab.count('image-optimizer')) > 0);
  await tab.run(listen);
  const path = join(tab.folder, '../hill.png');
  await writeFile(path, picture);
  await tab.type('input[type=file]', path);
  await tab.until('an uploaded image', async () => (await tab.count('io-row')) === 1);
  await untilIdle(tab);
}

const untilIdle = (tab: WebKitTab) =>
  tab.until('the end of the work', async () =>
    ['ready', 'done'].includes(`${await tab.property('image-optimizer', 'state')}`),
  );

const altOf = async (tab: WebKitTab) => `${await tab.property(ALT, 'value')}`;

const openMenu = async (tab: WebKitTab) => {
  await tab.press('button.more[popovertarget]');
  await tab.until('the menu', async () => (await tab.count('#menu:popover-open')) === 1);
};

/** Adds to the alternative text, and takes it back by one press. @returns the text before and after */
export async function writeAndUndo(tab: WebKitTab): Promise<string[]> {
  const before = await altOf(tab);
  await tab.type(ALT, ' in rain');
  const written = await altOf(tab);
  await openMenu(tab);
  await tab.press('[role=menuitem]', 'Undo');
  await tab.until('the text taken back', async () => (await altOf(tab)) === before).catch(() => {});
  return [written, await altOf(tab)];
}

/** Opens the menu, and closes it by a key. @returns place and size, in pixels, beside its button */
export async function measureMenu(tab: WebKitTab) {
  await tab.run(() => (document.activeElement as HTMLElement | null)?.blur());
  await openMenu(tab);
  const [menu, button] = [await tab.rectOf('#menu'), await tab.rectOf('button.more[popovertarget]')];
  await tab.keys(KEYS.escape);
  await tab.until('the closed menu', async () => (await tab.count('#menu:popover-open')) === 0);
  const aside = menu.x + menu.width - (button.x + button.width);
  return { height: menu.height, below: menu.y - (button.y + button.height), aside };
}

/** Has the picture described. @returns the model's text */
export async function describePicture(tab: WebKitTab): Promise<string> {
  await tab.press('button.analyze');
  await tab.until('a description', async () => (await altOf(tab)) !== '');
  await untilIdle(tab);
  return altOf(tab);
}

/** Replaces the text. @returns the one that the service then has */
export async function editText(tab: WebKitTab, text: string): Promise<string> {
  const before = await altOf(tab);
  await tab.press(ALT);
  await tab.invoke(ALT, 'select');
  await tab.keys(...text, KEYS.tab);
  const stored = async (path: string) => {
    const answer = (await (await fetch(path)).json()) as { images: { metadata: { alt: string } }[] };
    return `${answer.images[0]?.metadata.alt}`;
  };
  const path = `/v1/sessions/${await tab.property('image-optimizer', 'sessionId')}`;
  return tab.until('the stored text', async () => {
    const alt = await tab.run(stored as (...values: never[]) => Promise<string>, path);
    return alt !== before && alt;
  });
}

/** Compares a sample by keys. @returns the place of the divider before and after an arrow */
export async function compareSample(tab: WebKitTab): Promise<number[]> {
  await tab.press('button.sample');
  await tab.until('the sample', async () => (await tab.count('io-compare input[type=range], input[type=range]')) > 0);
  await tab.until('both pictures', async () => (await tab.count('.cover')) === 0);
  const divider = async () => Number(await tab.property('input[type=range]', 'value'));
  const before = await divider();
  await tab.type('input[type=range]', KEYS.right);
  const after = await divider();
  await tab.keys(KEYS.escape);
  await tab.until('the closed sample', async () => (await tab.count('io-compare')) === 0);
  return [before, after];
}

/** Exports by keys alone, from the focused button on, and downloads the file. @returns its first bytes, and the height of the question */
export async function exportAndDownload(tab: WebKitTab) {
  await tab.type('button.export', KEYS.enter);
  await tab.until('the question', async () => (await tab.count('dialog button[value=yes]')) > 0);
  const { height } = await tab.rectOf('dialog');
  await tab.keys(KEYS.enter);
  await tab.press('button[data-control=download]');
  const [name = ''] = await tab.until('a downloaded file', async () => {
    const names = (await tab.downloads()).filter((file) => !file.endsWith('.wkdownload'));
    return names.length > 0 && names;
  });
  return { file: (await readFile(join(tab.folder, name))).subarray(0, 16).toString('latin1'), height };
}

/** Makes a link for somebody else, and approves the picture behind it. @returns what the console of that page says */
export async function shareAndApprove(tab: WebKitTab): Promise<string[]> {
  await tab.press('button', 'Share for approval');
  await tab.press('button.primary', 'Create link');
  const link = await tab.until('the link', () => tab.property('.new input', 'value') as Promise<string>);
  await tab.go(link);
  await tab.run(listen);
  await tab.until('the picture', async () => (await tab.count('share-image img')) + (await tab.count('img')) > 0);
  await tab.press('button.approve');
  await tab.until('the answer', async () => (await tab.count('button.again')) > 0);
  return complaintsOf(tab);
}
