import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AiReason, AiStatus } from '#contract';
import { type RecordingProxy, startRecordingProxy } from '../support/recording-proxy.ts';
import { turnOf } from '../support/turn.ts';
import { jpeg, optionsOf, useVision } from './analysis-harness.ts';

const { TEST_MODEL_URL, TEST_MODEL_NAME = '', TEST_MODEL_KEY, TEST_MODEL_REASON } = process.env;
const { TEST_LLAMA_SERVER, TEST_LLAMA_MODEL = '', TEST_LLAMA_MMPROJ = '' } = process.env;
const IMAGES = 6;
const MINUTES = 60_000;

if (!TEST_MODEL_URL && !TEST_LLAMA_SERVER) {
  console.error(
    'NOTHING WAS TESTED: TEST_MODEL_URL names no server of a model, and TEST_LLAMA_SERVER no program of llama.cpp.',
  );
}

const vision = useVision();

/** Describes photographs of one job at once. */
async function describeAll(env: Record<string, unknown>, proxy: RecordingProxy, onFirst = () => {}) {
  const analysis = vision.harness.analysis(
    vision.settings({ AI_BASE_URL: `${proxy.url}/v1`, AI_TIMEOUT_MS: 30_000, ...env }),
  );
  const startedAt = performance.now();
  const images = await Promise.all(
    Array.from({ length: IMAGES }, async (_, index) =>
      vision.harness.place({ name: 'IMG_1.jpg', bytes: await jpeg(1600, 1200, `#${index}${index}4488`) }),
    ),
  );
  let done = 0;
  const described = images.map(async (image) => {
    const run = { signal: new AbortController().signal, turn: turnOf(), onStep: () => {} };
    const result = await analysis.describe(image, optionsOf(), run);
    done += 1;
    if (done === 1) onFirst();
    return result;
  });
  const results: { aiStatus: AiStatus; aiReason: AiReason | null }[] = await Promise.all(described);
  const told = {
    described: results.filter(({ aiStatus }) => aiStatus === 'completed').length,
    reasons: [...new Set(results.map(({ aiReason, aiStatus }) => aiReason ?? aiStatus))],
    requests: proxy.questions().length,
    whileLoading: proxy.questions(503).length,
    state: analysis.state(),
    seconds: Math.round((performance.now() - startedAt) / 1000),
  };
  console.info(expect.getState().currentTestName, JSON.stringify(told));
  for (const { status, body } of proxy.exchanges) if (body) console.info(status, body.slice(0, 400));
  return told;
}

/** A tiny model may write nothing; what it never does is fail because of its server. */
const OWN_FAULTS = ['completed', 'empty', 'cut_off', 'unusable'];
const expectServed = ({ reasons }: { reasons: string[] }) =>
  expect(reasons.filter((reason) => !OWN_FAULTS.includes(reason))).toEqual([]);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

describe.skipIf(!TEST_MODEL_URL)('the server at TEST_MODEL_URL', () => {
  it(`describes photographs, or says ${TEST_MODEL_REASON}`, { timeout: 10 * MINUTES }, async () => {
    const address = new URL(TEST_MODEL_URL ?? '');
    const proxy = await startRecordingProxy(address.origin);
    onTestFinished(() => proxy.close());
    const settings = {
      AI_BASE_URL: `${proxy.url}${address.pathname}`,
      AI_MODEL: TEST_MODEL_NAME,
      AI_API_KEY: TEST_MODEL_KEY,
    };
    const { described, reasons } = await describeAll(settings, proxy);
    if (TEST_MODEL_REASON) expect(reasons).toEqual([TEST_MODEL_REASON]);
    else expect(described).toBe(IMAGES);
  });
});

/** Starts llama-server without waiting for its model. */
function startLlama(port: number, more: string[] = ['--mmproj', TEST_LLAMA_MMPROJ]): ChildProcess {
  const place = ['--host', '127.0.0.1', '--port', String(port), '-m', TEST_LLAMA_MODEL];
  const server = spawn(TEST_LLAMA_SERVER ?? '', [...place, '-t', '1', ...more], { stdio: 'ignore' });
  onTestFinished(() => void server.kill('SIGKILL'));
  return server;
}

async function untilLoaded(port: number): Promise<void> {
  const isLoaded = async () => (await fetch(`http://127.0.0.1:${port}/health`).catch(() => null))?.status;
  await expect.poll(isLoaded, { timeout: 2 * MINUTES, interval: 200 }).toBe(200);
}

describe.skipIf(!TEST_LLAMA_SERVER)('llama-server', { timeout: 10 * MINUTES }, () => {
  const useServer = async (more?: string[]) => {
    const port = await freePort();
    const proxy = await startRecordingProxy(`http://127.0.0.1:${port}`);
    onTestFinished(() => proxy.close());
    return { port, proxy, server: startLlama(port, more) };
  };

  it('that is loading is waited for, and asked at most twice meanwhile', async () => {
    const { proxy } = await useServer();
    expectServed(await describeAll({ AI_TIMEOUT_MS: 2 * MINUTES }, proxy));
    expect(proxy.questions(503).length).toBeLessThanOrEqual(2);
  });

  it('without a model that sees is found out by one question', async () => {
    const { port, proxy } = await useServer([]);
    await untilLoaded(port);
    const told = await describeAll({ AI_CANARY: 'on' }, proxy);
    expect(told).toMatchObject({ described: 0, reasons: ['no_images'], requests: 1, state: { status: 'blind' } });
  });

  it('with a context of 2048 tokens costs at most three questions an image', async () => {
    const { port, proxy } = await useServer(['--mmproj', TEST_LLAMA_MMPROJ, '-c', '2048', '-np', '1']);
    await untilLoaded(port);
    const told = await describeAll({}, proxy);
    expectServed(told);
    expect(told.requests).toBeLessThanOrEqual(3 * IMAGES);
  });

  it('that is killed in a batch and started again serves all', async () => {
    const { port, proxy, server } = await useServer();
    await untilLoaded(port);
    const restart = () => {
      server.kill('SIGKILL');
      setTimeout(() => startLlama(port), 3000);
    };
    expectServed(await describeAll({ AI_CONCURRENCY: 4 }, proxy, restart));
  });

  it('with one slot serves all', async () => {
    const { port, proxy } = await useServer(['--mmproj', TEST_LLAMA_MMPROJ, '-np', '1']);
    await untilLoaded(port);
    expectServed(await describeAll({ AI_CONCURRENCY: 4 }, proxy));
  });
});
