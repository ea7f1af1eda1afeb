import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ReceivedFile } from '../../server/http/uploads/received-file.ts';
import { LIMITS, MB, multipartBody, part, startUploadServer, type UploadServer, until } from './upload-server.ts';

const BOUNDARY = 'XbOuNdArY';
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');
type Answer = {
  status: number;
  body: Record<string, unknown> & { files: ReceivedFile[]; code: string; error: string };
};

let server: UploadServer;
let contents: Buffer[];

beforeEach(async () => {
  contents = [];
  server = await startUploadServer({
    async onUpload({ files }) {
      for (const file of files) if ('file' in file) contents.push(await readFile(file.file));
    },
  });
});
afterEach(() => server.close());

function post(body: Buffer, headers: Record<string, string> = {}, agent?: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const type = `multipart/form-data; boundary=${BOUNDARY}`;
    const options = { port: server.port, method: 'POST', headers: { 'content-type': type, ...headers }, agent };
    const req = request(options, async (res) => {
      const chunks: Buffer[] = [];
      for await (const chunk of res) chunks.push(chunk);
      resolve({ status: res.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) });
    });
    req.on('error', reject);
    req.end(body);
  });
}
const upload = (...parts: Buffer[]) => post(multipartBody(BOUNDARY, parts));

describe('received parts', () => {
  it('stores files unchanged in body order, and returns the fields', async () => {
    const first = randomBytes(300_000);
    const second = randomBytes(10);
    const { status, body } = await upload(
      part('name="images"; filename="a.jpg"', first, 'image/jpeg'),
      part('name="metadata"', '[{"alt":"Brücke"}]'),
      part('name="images"; filename="b.png"', second, 'image/png'),
    );
    expect(status).toBe(201);
    expect(body.files).toMatchObject([
      { originalFilename: 'a.jpg', fieldName: 'images', size: 300_000, sha256: sha256(first) },
      { originalFilename: 'b.png', fieldName: 'images', size: 10, sha256: sha256(second) },
    ]);
    expect(contents).toEqual([first, second]);
    expect(body.fields).toEqual({ metadata: '[{"alt":"Brücke"}]' });
    expect(await server.filesLeft()).toEqual([]);
  });

  it('accepts every documented field name and refuses only files in others', async () => {
    const names = ['images', 'images[]', 'image', 'files', 'file', 'avatar'];
    const { status, body } = await upload(...names.map((name) => part(`name="${name}"; filename="x.png"`, 'x')));
    expect(status).toBe(201);
    expect(body.files.map((file) => ('refused' in file ? file.refused.code : 'ok'))).toEqual([
      ...Array(5).fill('ok'),
      'invalid_request',
    ]);
    expect(JSON.stringify(body.files[5])).toContain('images, images[], image, files, file');
  });

  it.each([
    ['filename="Größe 雪.jpg"', 'Größe 雪.jpg'],
    ['filename="x.jpg"; filename*=UTF-8\'\'%e2%82%ac.jpg', '€.jpg'],
    ['filename="../../etc/passwd"', 'passwd'],
    ['filename="C:\\\\photos\\\\a.jpg"', 'a.jpg'],
    ['filename=".."', 'image'],
    ["filename*=UTF-8''a%00b%0a%e2%80%aec.jpg", 'abc.jpg'],
    [`filename="${'ä'.repeat(2000)}"`, 'ä'.repeat(255)],
  ])('reads the name %s', async (given, expected) => {
    const { body } = await upload(part(`name="file"; ${given}`, 'x'));
    expect(body.files[0]?.originalFilename).toBe(expected);
  });

  it('names a file without a name "image"', async () => {
    const { body } = await upload(part('name="file"', 'x', 'application/octet-stream'));
    expect(body.files).toMatchObject([{ originalFilename: 'image', size: 1 }]);
  });

  it('reports a file part without a filename', async () => {
    const { body } = await upload(part('name="file"', 'x', 'image/png'));
    expect(body.files).toMatchObject([{ refused: { code: 'invalid_request' } }]);
  });

  it('ignores an empty file input', async () => {
    const { status, body } = await upload(part('name="images"; filename=""', '', 'application/octet-stream'));
    expect([status, body.files]).toEqual([201, []]);
  });

  it('computes equal fingerprints for equal requests and different ones for any difference', async () => {
    const print = async (name: string, content: string, field: string) => {
      const file = part(`name="file"; filename="${name}"`, content);
      return (await upload(file, part('name="metadata"', field))).body.fingerprint;
    };
    const prints = await Promise.all([
      print('a', 'x', '1'),
      print('a', 'x', '1'),
      print('b', 'x', '1'),
      print('a', 'y', '1'),
      print('a', 'x', '2'),
    ]);
    expect(prints[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(prints[0]).toBe(prints[1]);
    expect(new Set(prints).size).toBe(4);
  });

  it('does not let fields change the prototype', async () => {
    const { body } = await upload(part('name="__proto__"', 'x'), part('name="constructor"', 'y'));
    expect(Object.entries(body.fields as object)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });
});

describe('limits', () => {
  it('accepts a file of exactly 50 MB and refuses only the file with one byte more', async () => {
    const exact = Buffer.alloc(50 * MB, 1);
    const over = Buffer.alloc(50 * MB + 1, 1);
    const { status, body } = await upload(
      part('name="images"; filename="over.jpg"', over),
      part('name="images"; filename="exact.jpg"', exact),
      part('name="images"; filename="small.jpg"', 'x'),
    );
    expect(status).toBe(201);
    expect(body.files).toMatchObject([
      { originalFilename: 'over.jpg', refused: { code: 'file_too_large', limit: 50 * MB } },
      { originalFilename: 'exact.jpg', size: 50 * MB, sha256: sha256(exact) },
      { originalFilename: 'small.jpg', size: 1 },
    ]);
    expect(contents.map((content) => content.length)).toEqual([50 * MB, 1]);
  });

  it('refuses only the empty file', async () => {
    const { body } = await upload(
      part('name="file"; filename="e.png"', ''),
      part('name="file"; filename="f.png"', 'x'),
    );
    expect(body.files).toMatchObject([{ refused: { code: 'unsupported_image' } }, { size: 1 }]);
  });

  it('accepts 100 files and refuses a request with 101', async () => {
    const files = (count: number) => Array.from({ length: count }, (_, i) => part(`name="f"; filename="${i}"`, 'x'));
    expect((await upload(...files(100))).status).toBe(201);
    const { status, body } = await upload(...files(101));
    expect([status, body.code, body.limit]).toEqual([400, 'too_many_files', 100]);
  });

  it('accepts at most 20 fields of 100 kB', async () => {
    const fields = (count: number, size: number) =>
      Array.from({ length: count }, (_, i) => part(`name="f${i}"`, 'x'.repeat(size)));
    const { status, body } = await upload(...fields(20, 100_000));
    expect(status).toBe(201);
    expect(Object.values(body.fields as Record<string, string>).map((value) => value.length)).toEqual(
      Array(20).fill(100_000),
    );
    expect((await upload(...fields(21, 1))).body.code).toBe('invalid_request');
    expect((await upload(...fields(1, 100_001))).body).toMatchObject({ code: 'invalid_request', limit: 100_000 });
  });

  it('refuses a request with a too large Content-Length before reading it', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(server.port, '127.0.0.1');
      const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x\r\n`;
      socket.write(`${head}Content-Length: ${500 * MB + 1}\r\n\r\n`);
      socket.once('data', (data) => resolve(data.toString())).on('error', reject);
      socket.once('data', () => socket.destroy());
    });
    expect(answer).toContain('HTTP/1.1 413');
    expect(answer).toContain('request_too_large');
  });

  it('counts a request of unknown length, and the client can read the response on a connection that stays open', async () => {
    await server.close();
    server = await startUploadServer({ limits: { ...LIMITS, maxRequestBytes: 2 * MB } });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const body = multipartBody(BOUNDARY, [part('name="file"; filename="a"', Buffer.alloc(3 * MB))]);
    const large = await post(body, { 'transfer-encoding': 'chunked' }, agent);
    expect([large.status, large.body.code]).toEqual([413, 'request_too_large']);
    const next = await post(multipartBody(BOUNDARY, [part('name="file"; filename="a"', 'x')]), {}, agent);
    expect(next.status).toBe(201);
    agent.destroy();
  });

  it('closes the connection of a client that keeps sending after the refusal', async () => {
    await server.close();
    server = await startUploadServer({ limits: { ...LIMITS, maxRequestBytes: MB } });
    const sent = await new Promise<number>((resolve) => {
      const socket = connect(server.port, '127.0.0.1');
      let bytes = 0;
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x\r\n');
      socket.write('Content-Length: 99999999999\r\n\r\n');
      const flood = setInterval(() => {
        socket.write(Buffer.alloc(MB));
        bytes += MB;
      }, 1);
      socket.on('error', () => {}).resume();
      socket.on('close', () => {
        clearInterval(flood);
        resolve(bytes);
      });
    });
    expect(sent).toBeLessThan(200 * MB);
  });
});

describe('failures', () => {
  it.each([
    ['a body cut in a file', part('name="file"; filename="a"', 'x'.repeat(100_000)).subarray(0, 50_000)],
    ['a body cut in a header', Buffer.from(`--${BOUNDARY}\r\nContent-Disp`)],
    ['an empty body', Buffer.alloc(0)],
    ['a malformed part header', Buffer.from(`--${BOUNDARY}\r\n\0\0: x\r\n\r\nx\r\n--${BOUNDARY}--\r\n`)],
  ])('refuses %s', async (_, bytes) => {
    const body = bytes.includes(BOUNDARY) ? bytes : Buffer.concat([Buffer.from(`--${BOUNDARY}\r\n`), bytes]);
    const answer = await post(bytes.length === 0 ? bytes : body);
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_multipart']);
    expect(await server.filesLeft()).toEqual([]);
  });

  it('refuses a body without a boundary, of another type, or compressed', async () => {
    const code = async (headers: Record<string, string>) => (await post(Buffer.from('x'), headers)).body.code;
    expect(await code({ 'content-type': 'multipart/form-data' })).toBe('invalid_multipart');
    expect(await code({ 'content-type': 'application/json' })).toBe('unsupported_media_type');
    expect(await code({ 'content-encoding': 'gzip' })).toBe('unsupported_media_type');
  });

  it.each([
    ['ENOSPC', 507],
    ['EIO', 503],
  ])('passes on %s of the disk and leaves no file', async (code, status) => {
    await server.close();
    let files = 0;
    server = await startUploadServer({
      newTemporaryFile: () => {
        if (++files === 3) throw Object.assign(new Error('disk'), { code });
        return `${server.directory}/${files}.part`;
      },
    });
    const three = [1, 2, 3].map((n) => part(`name="file"; filename="${n}"`, randomBytes(200_000)));
    expect((await upload(...three)).status).toBe(status);
    expect(await server.filesLeft()).toEqual([]);
  });

  it('refuses an incomplete part after the closing delimiter instead of waiting for its end', async () => {
    const late = part('name="images"; filename="late.jpg"', 'a file');
    const delimiter = Buffer.from(`--${BOUNDARY}\r\n`);
    const end = Buffer.from(`--${BOUNDARY}--ignored\r\n\r\nand more\r\n`);
    const body = Buffer.concat([delimiter, end, delimiter, late, delimiter, late.subarray(0, -4)]);
    expect(await post(body)).toMatchObject({ status: 400, body: { code: 'invalid_multipart' } });
    await until(() => server.running() === 0);
    expect(await server.filesLeft()).toEqual([]);
  });

  it('never overwrites an existing file', async () => {
    await server.close();
    server = await startUploadServer({ newTemporaryFile: () => `${server.directory}/same.part` });
    const two = [1, 2].map((n) => part(`name="file"; filename="${n}"`, 'x'));
    expect((await upload(...two)).status).toBe(500);
  });

  it('stops and cleans up when its signal aborts', async () => {
    await server.close();
    const controller = new AbortController();
    server = await startUploadServer({ signal: controller.signal });
    const socket = connect(server.port, '127.0.0.1').on('error', () => {});
    socket.write(
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=${BOUNDARY}\r\n` +
        `Content-Length: 1000000\r\n\r\n--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc`,
    );
    await until(async () => (await server.filesLeft()).length === 1);
    controller.abort();
    await until(() => server.running() === 0);
    expect(await server.filesLeft()).toEqual([]);
    socket.destroy();
  });
});
