import { beforeAll, describe, expect, it } from 'vitest';
import type { ImageResult, UploadResult } from '#contract';
import { filesOf, storedFiles } from '../support/aftermath.ts';
import type { ApiClient } from '../support/api-client.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { plainImage } from '../support/small-images.ts';

let test: SharedService;
let api: ApiClient;
beforeAll(async () => {
  test = await sharedService();
  ({ api } = test);
});

async function uploadNamed(...names: string[]): Promise<UploadResult> {
  const images = names.map((name, index) =>
    plainImage(name, { width: 600, colour: `#${(index + 17).toString(16)}4455` }),
  );
  return api.upload(await Promise.all(images));
}

/** Exports the images under wished names (undefined: the original's) and returns the names of all files by image. */
async function namesOf(uploaded: UploadResult, wished: (string | null | undefined)[], settings: object = {}) {
  const images = uploaded.images.map(({ id }, index) => {
    const filename = wished[index];
    return filename === undefined ? { id } : { id, metadata: { filename } };
  });
  const response = await api.request(`/v1/sessions/${uploaded.sessionId}/export`, { json: { images, settings } });
  const text = await response.text();
  expect([response.status, text.includes('event: complete')]).toEqual([200, true]);
  const { results } = JSON.parse(text.slice(text.lastIndexOf('data: ') + 6)) as { results: ImageResult[] };
  return results.map(({ variants }) => variants.map(({ filename }) => filename));
}

async function status(uploaded: UploadResult, filename: string): Promise<number> {
  const query = new URLSearchParams({ filename });
  return (await api.request(`/v1/sessions/${uploaded.sessionId}/download?${query}`)).status;
}

const responsive = { responsive: true, responsiveSizes: [480] };

describe('the name of an output file', () => {
  it('is metadata.filename, or else the basename of the original, with the extension of the format', async () => {
    const uploaded = await uploadNamed('DSC_0001.JPG.png', 'holiday.png');
    expect(await namesOf(uploaded, ['golden-gate'])).toEqual([['golden-gate.webp'], ['holiday.webp']]);
    for (const [format, extension] of Object.entries({ jpeg: 'jpg', png: 'png', avif: 'avif', original: 'png' })) {
      expect((await namesOf(uploaded, ['golden-gate'], { format }))[0]?.[0]).toBe(`golden-gate.${extension}`);
    }
  });

  it('of a variant is <base>-<width>w', async () => {
    expect(await namesOf(await uploadNamed('a.png'), [], responsive)).toEqual([['a.webp', 'a-480w.webp']]);
  });

  it('is the stored metadata when the request has none, and the original when it is cleared', async () => {
    const uploaded = await uploadNamed('a.png');
    const path = `/v1/sessions/${uploaded.sessionId}/images/${uploaded.images[0]?.id}`;
    await api.readJson(path, { method: 'PATCH', json: { metadata: { filename: 'stored' } } });
    expect(await namesOf(uploaded, [])).toEqual([['stored.webp']]);
    expect(await namesOf(uploaded, ['asked'])).toEqual([['asked.webp']]);
    await api.readJson(path, { method: 'PATCH', json: { metadata: { filename: null } } });
    expect(await namesOf(uploaded, [])).toEqual([['a.webp']]);
  });

  it('and the texts that it was made with are told with the result, also when they change afterwards', async () => {
    const uploaded = await uploadNamed('a.png');
    const path = `/v1/sessions/${uploaded.sessionId}/images/${uploaded.images[0]?.id}`;
    const texts = { filename: 'bridge', title: 'A bridge', alt: 'A bridge at dusk' };
    await api.readJson(path, { method: 'PATCH', json: { metadata: texts } });
    const { last } = await api.run('export', uploaded);
    expect(last.data).toMatchObject({ results: [{ filename: 'bridge.webp', metadata: texts }] });
    await api.readJson(path, { method: 'PATCH', json: { metadata: { filename: 'later' } } });
    expect(await api.readJson(`/v1/jobs/${last.data.jobId}`)).toMatchObject({ results: [{ metadata: texts }] });
  });

  it('is unique in the session without regard to case: -2, -3, in the order of the request', async () => {
    const uploaded = await uploadNamed('photo.png', 'PHOTO.png', 'Photo.png', 'phöto.png', 'PHO\u0308TO.png');
    expect((await namesOf(uploaded, [])).flat()).toEqual([
      'photo.webp',
      'PHOTO-2.webp',
      'Photo-3.webp',
      'phöto.webp',
      'PHÖTO-2.webp',
    ]);
    for (const name of ['photo.webp', 'PHOTO-2.webp', 'photo-2.WEBP']) expect(await status(uploaded, name)).toBe(200);
  });

  it("never takes the name of another image's variant, whichever came first", async () => {
    const first = await uploadNamed('a.png', 'a-480w.png');
    expect((await namesOf(first, [], responsive)).flat()).toEqual([
      'a.webp',
      'a-480w.webp',
      'a-480w-2.webp',
      'a-480w-2-480w.webp',
    ]);
    const second = await uploadNamed('a-480w.png', 'a.png');
    expect((await namesOf(second, [], responsive)).flat()).toEqual([
      'a-480w.webp',
      'a-480w-480w.webp',
      'a-2.webp',
      'a-2-480w.webp',
    ]);
  });

  it('belongs to its image in all settings; under another name, the file has both', async () => {
    const uploaded = await uploadNamed('a.png');
    expect(await namesOf(uploaded, [])).toEqual([['a.webp']]);
    expect(await namesOf(uploaded, [])).toEqual([['a.webp']]);
    expect(await namesOf(uploaded, [], { preset: 'low' })).toEqual([['a.webp']]);
    expect(await namesOf(uploaded, [], { format: 'png' })).toEqual([['a.png']]);
    const before = await storedFiles(test);
    expect(await namesOf(uploaded, ['b'])).toEqual([['b.webp']]);
    expect([await status(uploaded, 'a.webp'), await status(uploaded, 'b.webp')]).toEqual([200, 200]);
    expect(await storedFiles(test)).toEqual(before);
  });

  it('stays unique when 20 exports want the same one at the same moment', async () => {
    const uploaded = await uploadNamed(...Array.from({ length: 20 }, (_, index) => `n${index}.png`));
    const all = await Promise.all(
      uploaded.images.map((image) => namesOf({ ...uploaded, images: [image] }, ['same'], responsive)),
    );
    const names = all.flat(2);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(40);
    for (const name of names) expect(await status(uploaded, name)).toBe(200);
  });
});

describe('a hostile file name', () => {
  const HOSTILE: [string, RegExp][] = [
    ['../../../etc/passwd', /^passwd\.webp$/],
    ['/etc/passwd', /^passwd\.webp$/],
    ['..\\..\\windows\\system32', /^system32\.webp$/],
    ['C:\\temp\\x', /^x\.webp$/],
    ['a\u0000b', /^ab\.webp$/],
    ['CON', /^CON_\.webp$/],
    ['nul.txt', /^nul_\.txt\.webp$/],
    ['lpt1', /^lpt1_\.webp$/],
    ['invoice\u202egpj.exe', /^invoicegpj\.exe\.webp$/],
    ['zero\u200bwidth', /^zerowidth\.webp$/],
    ['a'.repeat(300), /^a{180}\.webp$/],
    ['😀'.repeat(100), /^(😀){45}\.webp$/u],
    ['...', /^one\.webp$/],
    ['   ', /^one\.webp$/],
    ['', /^one\.webp$/],
    ['a:b*c?d"e<f>g|h', /^abcdefgh\.webp$/],
    ['.htaccess', /^htaccess\.webp$/],
    ['trailing. . .', /^trailing\.webp$/],
    ['\ud800broken', /^broken\.webp$/],
    ['line\r\nSet-Cookie: x=1', /^lineSet-Cookie x=1\.webp$/],
    ['$(rm -rf)', /^\$\(rm -rf\)\.webp$/],
    ['%2e%2e%2fx', /^%2e%2e%2fx\.webp$/],
  ];

  it.each(HOSTILE)(
    '%j is cleaned, can be downloaded under its clean name, and writes nothing elsewhere',
    async (wished, clean) => {
      const uploaded = await uploadNamed('one.png');
      const [[filename = ''] = []] = await namesOf(uploaded, [wished]);
      expect(filename).toMatch(clean);
      const response = await api.request(
        `/v1/sessions/${uploaded.sessionId}/download?${new URLSearchParams({ filename })}`,
      );
      await response.arrayBuffer();
      expect(response.status).toBe(200);
      expect(response.headers.get('Content-Disposition')).toMatch(/^attachment; filename=/);
      expect(response.headers.get('Set-Cookie')).toBeNull();
      for (const file of await filesOf(test, uploaded.sessionId)) {
        expect(file).toMatch(/^sessions\/sess_\w{22}\/img_\w{22}\.png$/);
      }
    },
  );

  it('of an upload is cleaned as well', async () => {
    const uploaded = await uploadNamed('../../x.png', 'C:\\a\\b.png', 'a\u202egnp.png');
    expect(uploaded.images.map(({ originalFilename }) => originalFilename)).toEqual(['x.png', 'b.png', 'agnp.png']);
  });

  it('in a download is compared with records and never opened', async () => {
    const uploaded = await uploadNamed('one.png');
    await namesOf(uploaded, []);
    const [own = ''] = (await storedFiles(test)).filter((file) => file.startsWith('variants/'));
    const upload = uploaded.images[0]?.uploadPath ?? '';
    for (const name of [
      own,
      `../${own}`,
      upload,
      '../../../../etc/passwd',
      '/etc/passwd',
      'one.webp\u0000.png',
      'one',
      'one.webp/',
      './one.webp',
      '%6fne.webp',
      '*',
      '.',
    ]) {
      expect([name, await status(uploaded, name)]).toEqual([name, 404]);
    }
    for (const query of [
      '',
      '?filename=',
      '?filename=a&filename=b',
      `?filename=${'a'.repeat(1025)}`,
      '?filename[$ne]=x',
    ]) {
      const response = await api.request(`/v1/sessions/${uploaded.sessionId}/download${query}`);
      expect([query, response.status]).toEqual([query, 400]);
    }
  });
});

describe('an uploadPath that is sent back', () => {
  it('is right only if it is the very one of that image; nothing else is ever opened', async () => {
    const uploaded = await uploadNamed('one.png', 'two.png');
    const other = await (await test.createAccount()).api.upload([await plainImage('theirs.png')]);
    const [one, two] = uploaded.images;
    const send = async (uploadPath: unknown, id = one?.id) => {
      const json = { images: [{ id, uploadPath, originalFilename: 'x' }], settings: {} };
      const response = await api.request(`/v1/sessions/${uploaded.sessionId}/export`, { json });
      const text = await response.text();
      return `${response.status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ''}`;
    };
    const before = await storedFiles(test);
    for (const path of [
      two?.uploadPath,
      other.images[0]?.uploadPath,
      `/${one?.uploadPath}`,
      `./${one?.uploadPath}`,
      `${one?.uploadPath}\u0000`,
      one?.uploadPath.toUpperCase(),
      '../../../../etc/passwd',
      '/etc/passwd',
      '',
      `${test.dataDir}/files/${one?.uploadPath}`,
      'file:///etc/passwd',
      '\\\\server\\share',
      `sessions/../${one?.uploadPath}`,
    ]) {
      expect([path, await send(path)]).toEqual([path, '400 upload_path_mismatch']);
    }
    for (const path of [null, 1, {}, [], ['a'], 'a'.repeat(1025)]) expect(await send(path)).toBe('400 invalid_request');
    expect(await send(other.images[0]?.uploadPath, other.images[0]?.id)).toBe('404 image_not_found');
    expect(await storedFiles(test)).toEqual(before);
    expect(await send(one?.uploadPath)).toMatch(/^200/);
  });
});
