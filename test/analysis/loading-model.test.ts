import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Analysis } from '../../server/analysis/index.ts';
import { GOOD_ANSWER } from '../support/fake-vision-server.ts';
import { turnOf } from '../support/turn.ts';
import { optionsOf, useVision } from './analysis-harness.ts';

const vision = useVision();
const LIMITS = { AI_TIMEOUT_MS: 8000, AI_LOAD_TIMEOUT_MS: 30_000, AI_CONCURRENCY: 4, AI_MAX_RETRIES: 0 };

/** Describes images of one job at once; `steps` are those that each image has reported so far. */
async function describeAll(analysis: Analysis, count: number, job = 'job_1') {
  const images = await Promise.all(
    Array.from({ length: count }, () => vision.harness.place({ name: 'a.jpg', bytes: vision.bytes })),
  );
  const steps = images.map(() => [] as string[]);
  const { signal } = new AbortController();
  const turn = { ...turnOf(), job };
  const described = images.map((image, index) =>
    analysis.describe(image, optionsOf(), { signal, turn, onStep: (step) => void steps[index]?.push(step) }),
  );
  return { steps, results: Promise.all(described) };
}

const waitsOf = (steps: string[][]) => steps.filter((all) => all.at(-1) === 'wait_for_model').length;

describe('a model that is loading', () => {
  it('is waited for by all images, and asked at most twice meanwhile', async () => {
    Object.assign(vision.server, { mode: 'loading', headers: { server: 'llama.cpp' }, failsCanary: true });
    const analysis = vision.harness.analysis(vision.settings({ ...LIMITS, AI_CANARY: 'on' }));
    const { steps, results } = await describeAll(analysis, 6);
    await expect.poll(() => vision.server.healthChecks).toBeGreaterThanOrEqual(3);
    await expect.poll(() => waitsOf(steps)).toBe(6);
    expect(analysis.state()).toMatchObject({ status: 'loading', reason: 'loading' });
    expect(vision.server.requests.length).toBeLessThanOrEqual(2);
    Object.assign(vision.server, { mode: 'good', failsCanary: false });
    expect((await results).map(({ aiStatus }) => aiStatus)).toEqual(Array(6).fill('completed'));
    expect(steps.map((all) => all.slice(-2))).toEqual(Array(6).fill(['wait_for_model', 'describe']));
    expect(analysis.state()).toMatchObject({ status: 'ready', reason: null });
    expect(vision.server.questions()).toHaveLength(6);
  });

  it('is asked for one image alone where nothing else tells that it is there', async () => {
    Object.assign(vision.server, { mode: 'loading' });
    const analysis = vision.harness.analysis(vision.settings({ ...LIMITS, AI_LOAD_TIMEOUT_MS: 16_000 }));
    const { steps, results } = await describeAll(analysis, 6);
    await expect.poll(() => waitsOf(steps)).toBe(6);
    expect(vision.server.questions().length).toBeLessThanOrEqual(2);
    vision.server.mode = 'good';
    expect((await results).map(({ aiStatus }) => aiStatus)).toEqual(Array(6).fill('completed'));
  });

  it('is asked again when it says', async () => {
    Object.assign(vision.server, { mode: 'loading', headers: { 'retry-after': '1' } });
    const analysis = vision.harness.analysis(vision.settings(LIMITS));
    const { steps, results } = await describeAll(analysis, 1);
    await expect.poll(() => waitsOf(steps)).toBe(1);
    const since = performance.now();
    vision.server.mode = 'good';
    await results;
    const tookMs = performance.now() - since;
    expect(tookMs).toBeGreaterThan(500);
    expect(vision.server.questions()).toHaveLength(2);
  });

  it('that does not come in time leaves the images for another try, which waits again', async () => {
    Object.assign(vision.server, { mode: 'loading' });
    const analysis = vision.harness.analysis(vision.settings({ ...LIMITS, AI_LOAD_TIMEOUT_MS: 800 }));
    const first = await describeAll(analysis, 6);
    const told = (await first.results).map(({ aiStatus, aiReason }) => [aiStatus, aiReason]);
    expect(told).toEqual(Array(6).fill(['unavailable', 'loading']));
    expect(vision.server.questions().length).toBeLessThanOrEqual(5);
    const second = await describeAll(analysis, 2, 'job_2');
    await expect.poll(() => waitsOf(second.steps)).toBe(2);
    vision.server.mode = 'good';
    expect((await second.results).map(({ aiStatus }) => aiStatus)).toEqual(['completed', 'completed']);
  });
});

describe('a service that nobody has started yet, or that restarts', () => {
  it('is waited for within the time limit', async () => {
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        const message = { role: 'assistant', content: JSON.stringify(GOOD_ANSWER) };
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify({ id: 'x', created: 1, model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }] }),
        );
      });
    });
    const listen = (port: number) => new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
    await listen(0);
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    onTestFinished(() => void server.close());
    const address = { AI_BASE_URL: `http://127.0.0.1:${port}/v1` };
    const analysis = vision.harness.analysis(vision.settings({ ...LIMITS, AI_TIMEOUT_MS: 30_000, ...address }));
    const { steps, results } = await describeAll(analysis, 6);
    await expect.poll(() => waitsOf(steps)).toBe(6);
    expect(analysis.state()).toMatchObject({ status: 'open', reason: 'unreachable' });
    expect(vision.harness.logged()).toContain('ECONNREFUSED');
    await listen(port);
    expect((await results).map(({ aiStatus }) => aiStatus)).toEqual(Array(6).fill('completed'));
    server.closeAllConnections();
  });

  it('is told as unreachable if it does not come', async () => {
    vision.server.mode = 'reset';
    const analysis = vision.harness.analysis(vision.settings({ ...LIMITS, AI_TIMEOUT_MS: 1500 }));
    const { results } = await describeAll(analysis, 6);
    const told = (await results).map(({ aiStatus, aiReason }) => [aiStatus, aiReason]);
    expect(told).toEqual(Array(6).fill(['unavailable', 'unreachable']));
    expect(vision.server.questions().length).toBeLessThanOrEqual(10);
  });
});
