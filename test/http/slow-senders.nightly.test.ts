import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { formOf } from '../support/api-client.ts';
import { expectError } from '../support/error-answers.ts';
import { closed } from '../support/raw-request.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { plainImage } from '../support/small-images.ts';

const SETTINGS = {
  REQUEST_SILENCE_SECONDS: '1',
  REQUEST_GRACE_SECONDS: '1',
  REQUEST_MIN_BYTES_PER_SECOND: '4000',
  UPLOADS_PER_ACCOUNT: '2',
  LOG_LEVEL: 'info',
};
const BOUNDARY = 'b0undary';
const FILE_HEAD = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="images"; filename="a.png"\r\n\r\n`;
const FILE_END = `\r\n--${BOUNDARY}--\r\n`;

interface LogLine {
  msg: string;
  status: number;
  route: string;
  requestId: string;
}

let test: TestService;
const lines: LogLine[] = [];
const sockets: Socket[] = [];
beforeAll(async () => {
  test = await startTestService(SETTINGS, { log: (line) => lines.push(JSON.parse(line)) });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => test.close());

/** A connection that sends one request piece by piece. */
interface Sender {
  send(bytes: string | Uint8Array): void;
  /** Sends a piece at each interval until the connection ends. */
  trickle(piece: string | Uint8Array, everyMs: number): void;
  leave(): void;
  /** Everything received until the connection has ended. */
  answer: Promise<{ status: number; head: string; text: string }>;
}

async function open(head: string, { apiKey } = test.api): Promise<Sender> {
  const socket = connect(Number(new URL(test.url).port), '127.0.0.1');
  sockets.push(socket);
  await once(socket, 'connect');
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk;
  });
  // The connection may be reset after the response has arrived.
  socket.on('error', () => {});
  socket.write(`${head}\r\nHost: x\r\nX-API-Key: ${apiKey}\r\n`);
  return {
    send: (bytes) => void socket.write(bytes),
    trickle(piece, everyMs) {
      const timer = setInterval(() => socket.write(piece), everyMs);
      socket.once('close', () => clearInterval(timer));
    },
    leave: () => void socket.destroy(),
    answer: closed(socket).then(() => {
      const [answerHead = '', text = ''] = received.split('\r\n\r\n');
      return { status: Number(answerHead.split(' ')[1]), head: answerHead, text };
    }),
  };
}

/** Starts an upload of one file of `size` bytes, of which nothing is sent yet. */
async function startUpload(size: number): Promise<Sender> {
  const sender = await open('POST /v1/sessions HTTP/1.1');
  const length = FILE_HEAD.length + size + FILE_END.length;
  sender.send(
    `Content-Type: multipart/form-data; boundary=${BOUNDARY}\r\nContent-Length: ${length}\r\n\r\n${FILE_HEAD}`,
  );
  return sender;
}

async function startJson(headers = 'Content-Length: 1000'): Promise<Sender> {
  const sender = await open('POST /v1/credits/check HTTP/1.1');
  sender.send(`Content-Type: application/json\r\n${headers}\r\n\r\n`);
  return sender;
}

const temporaryFiles = () => readdir(join(test.dataDir, 'files', 'incoming'));

async function expectLogged(requestId: unknown, status: number): Promise<void> {
  const find = () => lines.find((line) => line.msg === 'request' && line.requestId === requestId)?.status;
  await expect.poll(find).toBe(status);
}

describe('a body that stays silent', () => {
  it('is 408, the connection closes, the file is removed, and the log and the metrics say 408', async () => {
    const upload = await startUpload(100_000);
    upload.send(new Uint8Array(50_000));
    await expect.poll(temporaryFiles).toHaveLength(1);
    const answer = await upload.answer;
    const { error, requestId } = expectError(answer, 'request_timeout');
    expect(error).toBe('No part of the request body arrived for 1 seconds');
    expect(answer.head).toMatch(/^Connection: close$/im);
    await expectLogged(requestId, 408);
    expect(await temporaryFiles()).toEqual([]);
    const metrics = await (await fetch(`${test.url}/metrics`)).text();
    expect(metrics).toContain('http_requests_total{route="/v1/sessions",method="POST",status="408"} 1');
  });

  it('is 408 also for JSON, with a length or in chunks', async () => {
    const senders = await Promise.all([startJson(), startJson('Transfer-Encoding: chunked')]);
    senders[0]?.send('{"imageCount"');
    senders[1]?.send('d\r\n{"imageCount"\r\n');
    for (const { answer } of senders) {
      const { requestId } = expectError(await answer, 'request_timeout');
      await expectLogged(requestId, 408);
    }
  });
});

describe('a body that trickles', () => {
  it('is 408 with the expected rate', async () => {
    const [upload, json] = await Promise.all([startUpload(100_000), startJson()]);
    upload.trickle('x', 200);
    json.trickle(' ', 200);
    for (const { answer } of [upload, json]) {
      expect(expectError(await answer, 'request_timeout').error).toMatch(/at least 4000 bytes per second after/);
    }
  });

  it('is 408 also after a fast beginning', async () => {
    const upload = await startUpload(10_000_000);
    upload.send(new Uint8Array(5_000_000));
    upload.trickle('x', 200);
    expectError(await upload.answer, 'request_timeout');
  });

  it('behind a response or an unknown expectation is cut', async () => {
    const refused = await open('POST /nothing HTTP/1.1');
    const odd = await open('POST /v1/credits/check HTTP/1.1');
    for (const sender of [refused, odd]) {
      sender.send('Expect: nothing\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n');
      sender.trickle(' ', 200);
    }
    expect((await refused.answer).status).toBe(404);
    expectError(await odd.answer, 'request_timeout');
  });
});

describe('an upload that is slow but steady', () => {
  it('arrives, however long it takes', async () => {
    const { bytes } = await plainImage('a.png', { width: 400, height: 300 });
    const padding = new Uint8Array(30_000);
    const upload = await startUpload(bytes.length + padding.length);
    upload.send(bytes);
    // Three times as long as the silence or the grace period, at 10,000 bytes per second.
    for (let sent = 0; sent < padding.length; sent += 1000) {
      upload.send(padding.subarray(sent, sent + 1000));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    upload.send(FILE_END);
    upload.send('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect((await upload.answer).status).toBe(201);
  });
});

describe('slow uploads of one account', () => {
  it('are limited in number: more get 429, other accounts upload, and each end makes room', async () => {
    const slow = await Promise.all([startUpload(10_000_000), startUpload(10_000_000)]);
    for (const upload of slow) upload.trickle(new Uint8Array(1000), 100);
    await expect.poll(temporaryFiles).toHaveLength(2);
    const files = [await plainImage('b.png')];
    const refused = await test.api.request('/v1/sessions', { method: 'POST', body: await formOf(files) });
    expect(expectError({ status: refused.status, text: await refused.text() }, 'rate_limited').limit).toBe(2);
    expect(refused.headers.get('Retry-After')).toBe('5');
    const { api } = await test.createAccount();
    expect((await api.upload(files)).images).toHaveLength(1);
    slow[0]?.leave();
    await expect.poll(temporaryFiles).toHaveLength(1);
    expect((await test.api.upload(files)).images).toHaveLength(1);
    slow[1]?.leave();
    await expect.poll(temporaryFiles).toEqual([]);
  });
});

describe('a client that leaves', () => {
  it('during its upload is logged as 499, and its file is removed', async () => {
    const before = lines.length;
    const upload = await startUpload(100_000);
    upload.send('x');
    await expect.poll(temporaryFiles).toHaveLength(1);
    upload.leave();
    await expect.poll(() => lines.slice(before).map(({ status }) => status)).toEqual([499]);
    await expect.poll(temporaryFiles).toEqual([]);
  });
});

describe('what is no complete request', () => {
  it('is logged and counted with the status that was sent', async () => {
    const garbage = await open('GARBAGE');
    const { requestId } = expectError(await garbage.answer, 'invalid_request');
    await expectLogged(requestId, 400);
    const metrics = await (await fetch(`${test.url}/metrics`)).text();
    expect(metrics).toContain('http_requests_total{route="unmatched",method="unknown",status="400"} 1');
  });
});

describe('invalid HTTP within a body', () => {
  it('is logged with the status that was sent', async () => {
    const json = await startJson('Transfer-Encoding: chunked');
    json.send('no length\r\n');
    const { requestId } = expectError(await json.answer, 'invalid_request');
    await expectLogged(requestId, 400);
  });
});
