import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedBrowser, sharedBrowser } from '../../support/browser.ts';
import { type ComponentPage, serveComponent } from '../../support/component-page.ts';
import type { FolderActions, VariantInput } from './folder-page.ts';

const BACKUP = '.imagewright-backup';

describe('a folder as a CMS', () => {
  let browser: SharedBrowser;
  let served: ComponentPage;

  beforeAll(async () => {
    served = await serveComponent({ entry: 'test/plugin-bridge/host/folder-page.ts' });
    browser = await sharedBrowser();
  });
  afterAll(async () => {
    await served?.close();
  });

  /** Opens a new folder with these files; each method runs in the page. */
  async function open(files: Record<string, string>) {
    const { page } = await browser.open();
    await page.goto(served.url);
    await page.waitForFunction(() => 'actions' in window);
    const call = <Name extends keyof FolderActions>(name: Name, ...args: Parameters<FolderActions[Name]>) =>
      page.evaluate(
        ([action, values]) => {
          const { actions } = window as unknown as { actions: Record<string, (...args: unknown[]) => unknown> };
          return actions[action]?.(...values);
        },
        [name, args] as [string, unknown[]],
      ) as Promise<Awaited<ReturnType<FolderActions[Name]>>>;
    for (const [path, text] of Object.entries(files)) await call('put', path, text);
    return { page, call };
  }

  const webp = (base: string, text = 'small'): VariantInput[] => [
    { name: 'full', filename: `${base}.webp`, text },
    { name: '480w', filename: `${base}-480w.webp`, text: `${text} at 480` },
  ];

  it('lists its images, folders in it included, page by page, by name, state and id', async () => {
    const { call } = await open({
      'b.PNG': 'b',
      'a.jpg': 'aa',
      'press/c.webp': 'c',
      'notes.txt': 't',
      '.hidden/d.jpg': 'd',
    });
    const ids = async (query: object) => (await call('list', query)).images.map(({ id }) => id);
    expect(await ids({})).toEqual(['a.jpg', 'b.PNG', 'press/c.webp']);
    expect(await call('list', { limit: 2 })).toMatchObject({ nextCursor: '2', total: 3 });
    expect(await call('list', { limit: 2, cursor: '2' })).toMatchObject({
      images: [{ id: 'press/c.webp', filename: 'c.webp', mime: 'image/webp', bytes: 1, status: 'original' }],
      nextCursor: null,
    });
    expect(await ids({ search: 'PRESS' })).toEqual(['press/c.webp']);
    expect(await ids({ ids: ['b.PNG', 'gone.jpg'] })).toEqual(['b.PNG']);
    await call('replace', 'a.jpg', webp('a'));
    expect(await ids({ status: 'replaced' })).toEqual(['a.jpg']);
    expect(await ids({ status: 'original' })).toEqual(['b.PNG', 'press/c.webp']);
  });

  it('replaces an image and keeps the original, which `fetch` still returns', async () => {
    const { call } = await open({ 'press/harbour.jpg': 'the original' });
    expect(await call('replace', 'press/harbour.jpg', webp('ships-at-anchor'))).toEqual({ url: null });
    const files = await call('files');
    expect(Object.keys(files)).toEqual([
      `${BACKUP}/manifest.json`,
      `${BACKUP}/press/harbour.jpg`,
      // Its own name: pages find it under the name they know.
      'press/harbour-480w.webp',
      'press/harbour.webp',
    ]);
    expect(files[`${BACKUP}/press/harbour.jpg`]).toBe('the original');
    expect(files['press/harbour.webp']).toBe('small');
    expect(await call('fetch', 'press/harbour.jpg')).toBe('the original');
  });

  it('uses the name a person chose, and stores the texts', async () => {
    const { call } = await open({ 'IMG_1.jpg': 'the original' });
    const metadata = { filename: 'ships', title: 'Ships', alt: 'Two ships', source: { filename: 'user' } };
    await call('replace', 'IMG_1.jpg', webp('ships'), { metadata });
    expect(Object.keys(await call('files'))).toContain('ships.webp');
    expect(await call('list', {})).toMatchObject({ images: [{ id: 'IMG_1.jpg', title: 'Ships', alt: 'Two ships' }] });
  });

  it('restores every file byte for byte, also repeatedly', async () => {
    const before = { 'a.jpg': 'first', 'b.webp': 'second', 'deep/er/c.png': 'third', 'notes.txt': 'none of ours' };
    const { call } = await open(before);
    await call('replace', 'a.jpg', webp('a'));
    await call('replace', 'b.webp', webp('b', 'in place'));
    await call('replace', 'deep/er/c.png', webp('c'));
    expect((await call('files'))['b.webp']).toBe('in place');
    for (const id of ['a.jpg', 'b.webp', 'deep/er/c.png']) {
      expect(await call('restore', id)).toEqual({ url: null, restored: true });
      expect(await call('restore', id)).toEqual({ url: null, restored: false });
    }
    expect(await call('files')).toEqual(before);
  });

  it('replaces again without losing the first original', async () => {
    const { call } = await open({ 'a.jpg': 'the original' });
    await call('replace', 'a.jpg', webp('a'));
    const avif = [{ name: 'full', filename: 'a.avif', text: 'smaller' }];
    await call('replace', 'a.jpg', avif, { size: 12 });
    expect(Object.keys(await call('files'))).toEqual([`${BACKUP}/a.jpg`, `${BACKUP}/manifest.json`, 'a.avif']);
    await call('restore', 'a.jpg');
    expect(await call('files')).toEqual({ 'a.jpg': 'the original' });
  });

  it('numbers equal names, ignoring case, and never overwrites another file', async () => {
    const before = { 'a.jpg': 'one', 'a.jpeg': 'two', 'A.png': 'three', 'b.jpg': 'four', 'B-480W.WEBP': 'a stranger' };
    const { call } = await open(before);
    for (const id of ['a.jpg', 'a.jpeg', 'A.png', 'b.jpg']) await call('replace', id, webp('x', `of ${id}`));
    const files = await call('files');
    expect(files['a.webp']).toBe('of a.jpg');
    expect(files['a-2.webp']).toBe('of a.jpeg');
    expect(files['A-3.webp']).toBe('of A.png');
    expect(files['b-2.webp']).toBe('of b.jpg');
    expect(files['B-480W.WEBP']).toBe('a stranger');
    for (const id of ['a.jpeg', 'A.png', 'b.jpg', 'a.jpg']) await call('restore', id);
    expect(await call('files')).toEqual(before);
  });

  it('rejects an image that was changed or deleted since its upload', async () => {
    const { call } = await open({ 'a.jpg': 'edited meanwhile' });
    expect(await call('replace', 'a.jpg', webp('a'), { size: 4 })).toMatchObject({ code: 'changed' });
    expect(await call('replace', 'gone.jpg', webp('a'), { size: 4 })).toMatchObject({ code: 'not_found' });
    expect(await call('files')).toEqual({ 'a.jpg': 'edited meanwhile' });
    expect(await call('fetch', 'gone.jpg')).toMatchObject({ code: 'not_found' });
  });

  it('leaves an image unchanged if a file cannot be written', async () => {
    const { call } = await open({ 'a.jpg': 'the original' });
    await call('refuse', '480w');
    expect(await call('replace', 'a.jpg', webp('a'))).toMatchObject({ code: 'no_space' });
    expect(await call('files')).toEqual({ 'a.jpg': 'the original' });
  });

  it('changes nothing if there is no space for the backup', async () => {
    const { call } = await open({ 'a.jpg': 'the original' });
    await call('refuse', 'a.jpg');
    expect(await call('replace', 'a.jpg', webp('a'))).toMatchObject({ code: 'no_space' });
    expect((await call('files'))['a.jpg']).toBe('the original');
    expect(Object.keys(await call('files'))).not.toContain('a.webp');
  });

  it('restores an image whose replacement was interrupted', async () => {
    const { call } = await open({ 'a.jpg': 'the original' });
    await call('replace', 'a.jpg', webp('a'));
    const manifest = (await call('files'))[`${BACKUP}/manifest.json`] ?? '';
    await call('restore', 'a.jpg');
    // The state after a page was closed behind the first new file: the original still exists.
    await call('put', `${BACKUP}/a.jpg`, 'the original');
    await call('put', `${BACKUP}/manifest.json`, manifest);
    await call('put', 'a.webp', 'small');
    await call('put', 'a-480w.webp', '');
    expect(await call('restore', 'a.jpg')).toEqual({ url: null, restored: true });
    expect(await call('files')).toEqual({ 'a.jpg': 'the original' });
  });

  it('keeps an edited result, and another file under the old name', async () => {
    const { call } = await open({ 'a.jpg': 'the original', 'b.jpg': 'b' });
    await call('replace', 'a.jpg', webp('a'));
    await call('replace', 'b.jpg', webp('b'));
    await call('put', 'a.webp', 'painted over');
    await call('put', 'b.jpg', 'a new photograph');
    await call('restore', 'a.jpg');
    expect(await call('restore', 'b.jpg')).toMatchObject({ code: 'changed' });
    const files = await call('files');
    expect(files['a.webp']).toBe('painted over');
    expect(files['a.jpg']).toBe('the original');
    expect(files['b.jpg']).toBe('a new photograph');
    expect(files[`${BACKUP}/b.jpg`]).toBe('b');
  });

  it('does not replace again over another file under the old name, nor over an edited result', async () => {
    const { call } = await open({ 'a.jpg': 'the original', 'b.jpg': 'b', 'c.webp': 'cc' });
    for (const [id, base] of [
      ['a.jpg', 'a'],
      ['b.jpg', 'b'],
      ['c.webp', 'c'],
    ] as const)
      await call('replace', id, webp(base));
    await call('put', 'a.jpg', 'a new photograph');
    await call('put', 'b-480w.webp', 'painted over');
    await call('put', 'c.webp', 'painted in its place');
    const before = await call('files');
    // The check needs no export, and the original can still be fetched.
    for (const id of ['a.jpg', 'b.jpg', 'c.webp']) expect(await call('check', id)).toMatchObject({ code: 'changed' });
    expect(await call('fetch', 'a.jpg')).toBe('the original');
    // Without the image itself, it would be removed and only its sizes be left.
    const sizes = [{ name: '480w', filename: 'x-480w.webp', text: 'small' }];
    expect(await call('replace', 'a.jpg', sizes)).toMatchObject({ code: 'no_gain' });
    // One would be overwritten, the other removed, since the new files have other names and fewer sizes.
    const jpg = (base: string) => [{ name: 'full', filename: `${base}.jpg`, text: 'again' }];
    for (const variants of [webp('x', 'again'), jpg('x')]) {
      expect(await call('replace', 'a.jpg', variants, { size: 12 })).toMatchObject({ code: 'changed' });
      expect(await call('replace', 'b.jpg', variants, { size: 1 })).toMatchObject({ code: 'changed' });
      expect(await call('replace', 'c.webp', variants, { size: 2 })).toMatchObject({ code: 'changed' });
    }
    expect(await call('files')).toEqual(before);
    // After the file was moved away.
    await call('put', 'b-480w.webp', 'small at 480');
    expect(await call('check', 'b.jpg')).toBeUndefined();
    expect(await call('replace', 'b.jpg', jpg('x'), { size: 1 })).toEqual({ url: null });
    expect((await call('files'))['b.jpg']).toBe('again');
  });

  it('detects before an export that a file was changed or moved since its upload', async () => {
    const { call } = await open({ 'a.jpg': 'the original' });
    expect(await call('check', 'a.jpg')).toBeUndefined();
    expect(await call('check', 'a.jpg', 12)).toBeUndefined();
    await call('put', 'a.jpg', 'a new photograph');
    expect(await call('check', 'a.jpg', 12)).toMatchObject({ code: 'changed' });
    await call('put', 'a.jpg', 'the originaL');
    expect(await call('check', 'a.jpg', 12, 'the original')).toMatchObject({ code: 'changed' });
    expect(await call('check', 'a.jpg', 12, 'the originaL')).toBeUndefined();
    expect(await call('check', 'b.jpg', 12)).toMatchObject({ code: 'not_found' });
    // For a replaced image the backup was uploaded, whatever file is at its path.
    await call('replace', 'a.jpg', webp('a'));
    expect(await call('check', 'a.jpg', 16)).toBeUndefined();
  });

  it('reports a damaged backup and removes nothing', async () => {
    const { call } = await open({ 'a.jpg': 'the original' });
    await call('replace', 'a.jpg', webp('a'));
    await call('put', `${BACKUP}/a.jpg`, 'the originaL');
    expect(await call('restore', 'a.jpg')).toMatchObject({ code: 'no_backup' });
    expect(Object.keys(await call('files'))).toContain('a.webp');
    await call('put', `${BACKUP}/manifest.json`, '{"images":');
    expect(await call('fetch', 'a.jpg')).toMatchObject({ code: 'no_backup' });
  });
});
