import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startTestService } from '../support/service.ts';

const REQUEST = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** Sends a request on a new connection; resolves with its response and the connection. */
async function requestOn(url: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(REQUEST);
  const [first] = (await once(socket, 'data')) as [Buffer];
  return { socket, response: first.toString() };
}

it('an idle connection is kept for 75 s, as its header says, or as long as KEEP_ALIVE_SECONDS says', async () => {
  const [usual, short] = await Promise.all([startTestService(), startTestService({ KEEP_ALIVE_SECONDS: '1' })]);
  try {
    const kept = await requestOn(usual.url);
    expect(kept.response).toMatch(/^HTTP\/1\.1 200[\s\S]*keep-alive: timeout=75/i);
    const ends = await requestOn(short.url);
    expect(ends.response).toMatch(/keep-alive: timeout=1\b/i);
    ends.socket.resume();
    await once(ends.socket, 'end');
    // The other has been idle for longer, and still answers.
    kept.socket.write(REQUEST);
    const [again] = (await once(kept.socket, 'data')) as [Buffer];
    expect(again.toString()).toMatch(/^HTTP\/1\.1 200/);
    kept.socket.destroy();
    ends.socket.destroy();
  } finally {
    await Promise.all([usual.close(), short.close()]);
  }
});
