import { type ChildProcess, fork } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { MB, multipartBody, part, startUploadServer, type UploadServer, until } from './upload-server.ts';

const BOUNDARY = 'XbOuNdArY';
// Thousands of synced files take seconds on an idle machine, much longer on a busy disk.
const PATIENT = { timeout: 600_000 };
let server: UploadServer;
afterEach(() => server?.close());

/** Creates the pseudorandom generator mulberry32. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

/** Sends raw bytes and reads to the end of the connection; `cutAt` destroys the socket after so many bytes. */
function sendRaw(port: number, head: string, body: Buffer, cutAt?: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    const hang = setTimeout(() => {
      socket.destroy();
      reject(new Error(`No end after 400 s; so far: ${answer}; head: ${head}`));
    }, 400_000);
    socket.setEncoding('latin1');
    socket.on('data', (text) => {
      answer += text;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(hang);
      resolve(answer);
    });
    socket.write(head);
    if (cutAt === undefined) socket.write(body);
    else socket.write(body.subarray(0, cutAt), () => socket.destroy());
  });
}

function postHead(length: number, type = `multipart/form-data; boundary=${BOUNDARY}`): string {
  return `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;
}

const TEMPLATES = [
  [part('name="images"; filename="a.jpg"', randomBytes(3000), 'image/jpeg'), part('name="metadata"', '[{}]')],
  [part('name="images"; filename="a.jpg"', randomBytes(70_000)), part('name="images"; filename="b"', randomBytes(500))],
  Array.from({ length: 8 }, (_, i) => part(`name="file"; filename*=UTF-8''%c3%a4${i}.png`, randomBytes(40))),
  [part('name="file"; filename=""', '', 'application/octet-stream'), part('name="x"', 'y'.repeat(5000))],
].map((parts) => multipartBody(BOUNDARY, parts));

const SPLINTERS = [
  '\r\n',
  '\r',
  '\n',
  '--',
  `--${BOUNDARY}`,
  `\r\n--${BOUNDARY}\r\n`,
  `--${BOUNDARY}--`,
  '\0',
  '"',
  ';',
  ':',
]
  .concat([
    'Content-Disposition: form-data; name="file"; filename="z"\r\n\r\n',
    "filename*=x'y'%zz",
    'A'.repeat(20_000),
  ])
  .map((text) => Buffer.from(text));

function mutate(template: Buffer, random: (below: number) => number): Buffer {
  let body = Buffer.from(template);
  for (let step = random(4); step >= 0; step--) {
    const at = random(body.length + 1);
    const until = Math.min(body.length, at + random(200));
    const kind = random(6);
    if (kind === 0 && at < body.length) body[at] = random(256);
    else if (kind === 1) body = Buffer.concat([body.subarray(0, at), body.subarray(until)]);
    else if (kind === 2) body = Buffer.concat([body.subarray(0, until), body.subarray(at)]);
    else if (kind === 3) body = body.subarray(0, at);
    else {
      // Half of the mutations are in the first 200 bytes, which contain the headers.
      const place = kind === 4 ? at : random(Math.min(200, body.length + 1));
      const splinter = SPLINTERS[random(SPLINTERS.length)] ?? Buffer.alloc(0);
      body = Buffer.concat([body.subarray(0, place), splinter, body.subarray(place)]);
    }
  }
  return body;
}

it(
  'survives 4,000 mutated bodies: every answer a 2xx or 4xx, no hang, no exception, no file left',
  PATIENT,
  async () => {
    const seed = Number(process.env.MULTIPART_SEED ?? Date.now() % 1_000_000);
    console.log(`multipart mutations: MULTIPART_SEED=${seed}`);
    const random = seeded(seed);
    const uncaught: unknown[] = [];
    const note = (error: unknown) => uncaught.push(error);
    process.on('uncaughtException', note).on('unhandledRejection', note);
    server = await startUploadServer();
    const statuses = new Map<string, number>();
    let cases = 0;
    const lane = async () => {
      while (cases++ < 4000) {
        const body = mutate(TEMPLATES[random(TEMPLATES.length)] ?? Buffer.alloc(0), random);
        const cutAt = random(10) === 0 ? random(body.length + 1) : undefined;
        const type = random(20) === 0 ? `multipart/form-data; boundary="${'b'.repeat(random(90))}"` : undefined;
        const answer = await sendRaw(server.port, postHead(body.length, type), body, cutAt);
        const status = cutAt === undefined ? (/^HTTP\/1\.1 (\d\d\d)/.exec(answer)?.[1] ?? 'none') : 'cut';
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 24 }, lane));
    await until(() => server.running() === 0);
    process.off('uncaughtException', note).off('unhandledRejection', note);
    expect(uncaught).toEqual([]);
    expect([...statuses.keys()].filter((status) => !/^(2\d\d|4\d\d|cut)$/.test(status))).toEqual([]);
    // Both outcomes must occur often, or the mutations test nothing.
    expect(statuses.get('201') ?? 0).toBeGreaterThan(200);
    expect(statuses.get('400') ?? 0).toBeGreaterThan(1000);
    expect(await server.filesLeft()).toEqual([]);
  },
);

it('accepts 80 of 100 parallel uploads if 20 are cut off, and leaks no file or handle', PATIENT, async () => {
  let received = 0;
  server = await startUploadServer({
    async onUpload({ files }) {
      for (const file of files) if ('sha256' in file && file.sha256 === file.originalFilename) received++;
    },
  });
  const handles = async () => (await readdir('/proc/self/fd')).length;
  const before = await handles();
  const started = Date.now();
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => {
      const content = Buffer.alloc(MB + ((index * 40_961) % (4 * MB)), index);
      const name = createHash('sha256').update(content).digest('hex');
      const body = multipartBody(BOUNDARY, [part(`name="images"; filename="${name}"`, content)]);
      return sendRaw(server.port, postHead(body.length), body, index % 5 === 0 ? body.length >> 1 : undefined);
    }),
  );
  await until(() => server.running() === 0);
  console.log(`100 uploads, 20 cut: ${Date.now() - started} ms`);
  expect(answers.filter((answer) => answer.startsWith('HTTP/1.1 201'))).toHaveLength(80);
  expect(received).toBe(80);
  expect(await server.filesLeft()).toEqual([]);
  await until(async () => (await handles()) <= before + 2);
});

it('uses constant memory during an upload of 300 MB', PATIENT, async () => {
  const child: ChildProcess = fork(new URL('./upload-process.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
  const ask = async () => {
    child.send('rss');
    return (await once(child, 'message'))[0] as { rss: number; peakRss: number; left: string[] };
  };
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const before = await ask();
  const head = part('name="images"; filename="large.tif"', '').subarray(0, -2);
  const chunk = randomBytes(MB);
  const tail = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
  const length = BOUNDARY.length + 4 + head.length + 300 * MB + tail.length;
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (data) => {
    answer += data;
  });
  socket.write(postHead(length));
  socket.write(Buffer.concat([Buffer.from(`--${BOUNDARY}\r\n`), head]));
  for (let sent = 0; sent < 300; sent++) if (!socket.write(chunk)) await once(socket, 'drain');
  socket.write(tail);
  await once(socket, 'close');
  const after = await ask();
  child.send('stop');
  await once(child, 'exit');
  console.log(`300 MB upload: RSS ${Math.round(before.rss / MB)} -> peak ${Math.round(after.peakRss / MB)} MB`);
  expect(answer).toContain('HTTP/1.1 201');
  expect(answer).toContain(`"size":${300 * MB}`);
  expect(after.left).toEqual([]);
  expect(after.peakRss - before.rss).toBeLessThan(100 * MB);
});
