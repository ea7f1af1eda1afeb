import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { multipartBody, part, startUploadServer, type UploadServer, until } from './upload-server.ts';

/** Separates the parts. */
export const BOUNDARY = 'XbOuNdArY';
// Thousands of synced files take seconds on an idle machine, much longer on a busy disk.
export const PATIENT = { timeout: 600_000 };
let server: UploadServer;

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
export function sendRaw(port: number, head: string, body: Buffer, cutAt?: number): Promise<string> {
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

/** Head of a request with a body of `length` bytes. */
export function postHead(length: number, type = `multipart/form-data; boundary=${BOUNDARY}`): string {
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

/** Defines a test that sends so many mutated bodies. */
export function testMutatedBodies(bodies: number): void {
  afterEach(() => server?.close());

  it(
    `survives ${bodies} mutated bodies: every answer a 2xx or 4xx, no hang, no exception, no file left`,
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
        while (cases++ < bodies) {
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
      expect(statuses.get('201') ?? 0).toBeGreaterThan(bodies / 20);
      expect(statuses.get('400') ?? 0).toBeGreaterThan(bodies / 4);
      expect(await server.filesLeft()).toEqual([]);
    },
  );
}
