import { type ChildProcess, fork } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { BOUNDARY, PATIENT, postHead, sendRaw, testMutatedBodies } from './mutated-multipart.ts';
import { MB, multipartBody, part, startUploadServer, type UploadServer, until } from './upload-server.ts';

let server: UploadServer;
afterEach(() => server?.close());

testMutatedBodies(500);

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
