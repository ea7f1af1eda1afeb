import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { openWidgetRig, text, type WidgetRig, type WidgetTab } from '../support/widget-rig.ts';

/** Script that records copied texts in `window.copied`, since the browser's clipboard needs a permission. Removes the save dialog. */
const CLIPBOARD = `
  window.copied = [];
  Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => void window.copied.push(text) } });
  delete window.showSaveFilePicker;`;

/** Lists the names in a ZIP, and of each exported file whether it has the bytes that the manifest tells. Python checks the sums. */
function listZip(path: string): [names: string[], files: [string, boolean][]] {
  const script = `import sys,zipfile,json,hashlib
z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None
m=json.loads(z.read('manifest.json'))
print(json.dumps([z.namelist(), [[f['filename'], f['sha256']==hashlib.sha256(z.read(f['filename'])).hexdigest()] for i in m['images'] for f in i['files']]]))`;
  return JSON.parse(execFileSync('python3', ['-c', script, path]).toString());
}

describe('what an editor takes away', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  const write = (tab: WidgetTab, alt: string) =>
    tab.widget.evaluate((element, alt) => {
      const { optimizer } = element as unknown as {
        optimizer: { items: { list(): { id: string }[] }; setMetadata(id: string, field: string, value: string): void };
      };
      optimizer.setMetadata(optimizer.items.list()[0]?.id ?? '', 'alt', alt);
    }, alt);
  const copied = (tab: WidgetTab) => tab.page.evaluate(() => (window as unknown as { copied: string[] }).copied);
  const openDialog = (tab: WidgetTab) => tab.choose(text('take.title'));

  async function download(tab: WidgetTab, name: string): Promise<{ name: string; bytes: Buffer; path: string }> {
    const saved = tab.page.waitForEvent('download');
    await tab.widget.locator('io-take-away').getByRole('button', { name, exact: true }).click();
    const file = await saved;
    const path = await file.path();
    return { name: file.suggestedFilename(), bytes: await readFile(path), path };
  }

  it('is all texts as CSV and JSON, before any export, and a single text', async () => {
    const tab = await rig.open({ script: CLIPBOARD });
    await tab.upload(2);
    await write(tab, '=SUM(1), "a" hill');
    await tab
      .button(text('row.copy', { name: 'picture-0.png' }))
      .or(tab.widget.locator('.copy'))
      .first()
      .click();
    expect(await copied(tab)).toEqual(['=SUM(1), "a" hill']);
    await openDialog(tab);
    const csv = (await download(tab, 'CSV')).bytes.toString();
    const [head, first, second, end] = csv.split('\r\n');
    expect(head).toBe('\ufefforiginal,filename,title,alt,decorative,width,height,bytes,bytes exported');
    expect(first).toContain(`"'=SUM(1), ""a"" hill"`);
    expect([second?.split(',').length, end]).toEqual([9, '']);
    const { images } = JSON.parse((await download(tab, 'JSON')).bytes.toString());
    expect(images.map(({ alt, width, files }: Record<string, unknown>) => [alt, width, files])).toEqual([
      ['=SUM(1), "a" hill', 64, []],
      [null, 64, []],
    ]);
    await tab.widget.getByText(text('take.after-export')).first().waitFor();
    tab.expectQuiet();
  });

  it('is HTML that a browser reads back, with all widths', async () => {
    const tab = await rig.open({
      script: CLIPBOARD,
      properties: { settings: { responsive: true, responsiveSizes: [16, 32] } },
    });
    await tab.upload(1);
    await write(tab, 'A "blue" <hill> & more');
    await tab.exportAll();
    await tab.untilState('done');
    await openDialog(tab);
    await tab
      .button(text('take.copy', { what: '<picture>' }))
      .last()
      .click();
    await tab.button(text('take.copy', { what: '<img srcset>' })).click();
    await expect.poll(async () => (await copied(tab)).length).toBe(2);
    const read = await tab.page.evaluate(
      (all) => {
        const { body } = new DOMParser().parseFromString(all.join(''), 'text/html');
        const [picture, image] = [body.querySelector('picture'), body.querySelector(':scope > img')];
        const source = picture?.querySelector('source');
        return {
          type: source?.type,
          widths: source?.srcset.split(', ').map((each) => each.split(' ')[1]),
          fallback: picture?.querySelector('img')?.getAttribute('src'),
          alt: image?.getAttribute('alt'),
          size: [image?.getAttribute('width'), image?.getAttribute('height')],
          same: image?.getAttribute('srcset') === source?.srcset,
        };
      },
      await copied(tab),
    );
    expect(read).toMatchObject({
      ...{ type: 'image/webp', widths: ['64w', '16w', '32w'], alt: 'A "blue" <hill> & more' },
      ...{ size: ['64', '48'], same: true },
    });
    expect(read.fallback).toMatch(/\.png$/);
  });

  it('has all files of several formats: in the HTML of the service with the texts of now, and in the ZIP with their bytes', async () => {
    const settings = { formats: ['webp', 'jpeg'], responsive: true, responsiveSizes: [16], placeholder: true };
    const tab = await rig.open({ script: CLIPBOARD, properties: { settings } });
    await tab.upload(1);
    await write(tab, 'Before');
    await tab.exportAll();
    await tab.untilState('done');
    await write(tab, 'After $& the "export"');
    const row = tab.widget.locator('io-row');
    await row.locator('[data-control=more]').click();
    await row.locator('[data-control=copy-html]').click();
    await expect.poll(async () => (await copied(tab)).length).toBe(1);
    const read = await tab.page.evaluate(
      ([html]) => {
        const { body } = new DOMParser().parseFromString(html ?? '', 'text/html');
        const [source, image] = [body.querySelector('picture > source'), body.querySelector('picture > img')];
        const { alt, dataset } = image as HTMLImageElement;
        return { type: source?.getAttribute('type'), src: image?.getAttribute('src'), alt, hash: dataset.thumbhash };
      },
      await copied(tab),
    );
    expect(read).toEqual({
      ...{ type: 'image/webp', src: 'picture-0.jpg', alt: 'After $& the "export"' },
      hash: expect.stringMatching(/^[\w+/=]{20,}$/),
    });
    const saved = tab.page.waitForEvent('download');
    await row.getByRole('button', { name: text('row.download', { name: 'picture-0-16w.jpg' }) }).click();
    expect((await readFile(await (await saved).path())).subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));

    await openDialog(tab);
    const { path } = await download(tab, text('take.zip'));
    const [names, files] = listZip(path);
    expect(names.slice(0, 4).sort()).toEqual(
      ['webp', 'jpg'].flatMap((end) => [`picture-0-16w.${end}`, `picture-0.${end}`]).sort(),
    );
    expect(files.every(([, same]: [string, boolean]) => same)).toBe(true);
  });

  it.each(['blob', 'stream'])('is a ZIP of all files with a manifest (%s)', async (way) => {
    // A file system of the browser's own stands in for the dialog that asks where to write.
    const picker = `
      window.showSaveFilePicker = async ({ suggestedName }) => {
        const folder = await navigator.storage.getDirectory();
        return (window.place = await folder.getFileHandle(suggestedName, { create: true }));
      };`;
    const tab = await rig.open({ script: way === 'stream' ? picker : CLIPBOARD });
    await tab.upload(3);
    await tab.exportAll();
    await tab.untilState('done');
    await openDialog(tab);
    let path: string;
    if (way === 'blob') {
      const file = await download(tab, text('take.zip'));
      expect(file.name).toMatch(/^images-\d{4}-\d\d-\d\d\.zip$/);
      path = file.path;
    } else {
      await tab.button(text('take.zip')).click();
      await tab.widget.getByText(text('take.zip-done')).waitFor();
      const saved = tab.page.waitForEvent('download');
      await tab.page.evaluate(async () => {
        const { place } = window as unknown as { place: { getFile(): Promise<File> } };
        const link = document.createElement('a');
        link.href = URL.createObjectURL(await place.getFile());
        link.download = 'copy.zip';
        link.click();
      });
      path = await (await saved).path();
    }
    const [names, files] = listZip(path);
    expect(names).toHaveLength(5);
    expect(names.slice(-2)).toEqual(['manifest.json', 'texts.csv']);
    expect(files).toEqual(names.slice(0, 3).map((name: string) => [name, true]));
  });
});
