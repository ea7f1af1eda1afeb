import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startTestService } from '../support/service.ts';

it('a client that waits 20 s uses its connection again', async () => {
  const test = await startTestService();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const get = () =>
    new Promise<{ status: number | undefined; reused: boolean }>((resolve, reject) => {
      const sent = request(`${test.url}/healthz`, { agent }, (response) => {
        response.resume().on('end', () => resolve({ status: response.statusCode, reused: sent.reusedSocket }));
      });
      sent.on('error', reject).end();
    });
  try {
    expect(await get()).toEqual({ status: 200, reused: false });
    await sleep(20_000);
    expect(await get()).toEqual({ status: 200, reused: true });
  } finally {
    agent.destroy();
    await test.close();
  }
});
