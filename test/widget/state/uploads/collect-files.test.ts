import { expect, test } from 'vitest';
import { collectFiles } from '../../../../widget/state/uploads/collect-files.ts';
import { fileOf } from '../started-optimizer.ts';

/** A file as a dropped folder holds it. */
const fileEntry = (path: string) => ({
  isFile: true,
  isDirectory: false,
  name: path.split('/').pop(),
  fullPath: path,
  file: (done: (file: File) => void) => done(fileOf(path.split('/').pop() ?? '')),
});

/** A folder that gives its entries a hundred at a time, as browsers do. */
function folderEntry(path: string, entries: object[]): object {
  const createReader = () => {
    const left = [...entries];
    return { readEntries: (done: (batch: object[]) => void) => done(left.splice(0, 100)) };
  };
  return { isFile: false, isDirectory: true, name: path.split('/').pop(), fullPath: path, createReader };
}

/** Data of a drop or paste; empty as soon as its event is over. */
function dataTransferOf(items: object[], files: File[] = []): DataTransfer {
  const transfer = { items: [...items], files };
  queueMicrotask(() => {
    transfer.items.length = 0;
  });
  return transfer as unknown as DataTransfer;
}

const dropped = (entry: object) => ({ kind: 'file', webkitGetAsEntry: () => entry, getAsFile: () => null });
const pasted = (file: File) => ({ kind: 'file', webkitGetAsEntry: () => null, getAsFile: () => file });

test('folders are walked to their last batch, with the path of each file', async () => {
  const many = Array.from({ length: 250 }, (_, index) => fileEntry(`/trip/${index}.jpg`));
  const trip = folderEntry('/trip', [...many, folderEntry('/trip/day 2', [fileEntry('/trip/day 2/last.jpg')])]);
  const found = await collectFiles(dataTransferOf([dropped(trip)]), 'drop');
  expect(found).toHaveLength(251);
  expect(found.at(-1)).toMatchObject({ name: 'last.jpg', relativePath: 'trip/day 2/last.jpg' });
});

test('what systems hide in folders is left out', async () => {
  const entries = ['.DS_Store', 'Thumbs.db', 'desktop.ini', 'a.jpg'].map((name) => fileEntry(`/trip/${name}`));
  const trip = folderEntry('/trip', [...entries, folderEntry('/trip/__MACOSX', [fileEntry('/trip/__MACOSX/a.jpg')])]);
  const found = await collectFiles(dataTransferOf([dropped(trip)]), 'drop');
  expect(found.map(({ name }) => name)).toEqual(['a.jpg']);
});

test('an empty folder gives nothing', async () => {
  expect(await collectFiles(dataTransferOf([dropped(folderEntry('/empty', []))]), 'drop')).toEqual([]);
});

test('pasted pictures get names of their own, pasted files keep theirs', async () => {
  const items = [
    pasted(fileOf('image.png', { type: 'image/png' })),
    pasted(fileOf('image.png', { type: 'image/png' })),
  ];
  const [one, two] = await collectFiles(dataTransferOf(items), 'paste');
  expect(one?.name).toMatch(/^pasted-image-\d+\.png$/);
  expect(two?.name).toMatch(/^pasted-image-\d+\.png$/);
  expect(two?.name).not.toBe(one?.name);
  const [named] = await collectFiles(dataTransferOf([pasted(fileOf('tower.jpg'))]), 'paste');
  expect(named?.name).toBe('tower.jpg');
});

test('text in a drop is no file', async () => {
  expect(await collectFiles(dataTransferOf([{ kind: 'string' }]), 'drop')).toEqual([]);
});

test('a folder from the picker brings its paths and leaves out what is hidden', async () => {
  const inFolder = (path: string) =>
    Object.defineProperty(fileOf(path.split('/').pop() ?? ''), 'webkitRelativePath', { value: path });
  const found = await collectFiles([inFolder('trip/a.jpg'), inFolder('trip/.hidden/b.jpg')], 'folder');
  expect(found).toMatchObject([{ name: 'a.jpg', relativePath: 'trip/a.jpg' }]);
});

test('a blob without a name gets one by its type', async () => {
  const [found] = await collectFiles([new Blob(['x'], { type: 'image/webp' })], 'api');
  expect(found?.name).toBe('image.webp');
});
