import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FakeVisionServer, GOOD_ANSWER, startFakeVisionServer } from '../support/fake-vision-server.ts';
import { type AnalysisHarness, describeImage, jpeg, SECRET_KEY, startAnalysisHarness } from './analysis-harness.ts';

let harness: AnalysisHarness;
let server: FakeVisionServer;
let bytes: Buffer;

beforeAll(async () => {
  [harness, server, bytes] = await Promise.all([startAnalysisHarness(), startFakeVisionServer(), jpeg()]);
});
beforeEach(() => server.reset());
afterAll(async () => {
  await harness.close();
  await server.close();
});

const settings = () => ({
  AI_PROVIDER: 'openai-compatible',
  AI_BASE_URL: server.url,
  AI_API_KEY: SECRET_KEY,
  AI_MODEL: 'fake-vision',
  AI_CANARY: 'off',
  AI_TIMEOUT_MS: 4000,
  AI_CONCURRENCY: 4,
});

describe('equal questions', () => {
  it('asks once about the same picture at the same moment', async () => {
    server.delayMs = 150;
    const analysis = harness.analysis(settings());
    const images = await Promise.all(
      Array.from({ length: 4 }, () => harness.place({ name: 'a.jpg', bytes, accountId: 'acct_once' })),
    );
    const results = await Promise.all(images.map((image) => describeImage(analysis, image)));
    expect(results.map(({ aiStatus, metadata }) => [aiStatus, metadata.alt])).toEqual(
      images.map(() => ['completed', GOOD_ANSWER.alt]),
    );
    expect(results.filter(({ cached }) => !cached)).toHaveLength(1);
    expect(server.questions()).toHaveLength(1);
  });

  it('asks again when who asked about the same picture has gone, and leaves a wait when its own client goes', async () => {
    server.mode = 'hang';
    const analysis = harness.analysis(settings());
    const place = () => harness.place({ name: 'a.jpg', bytes, accountId: 'acct_gone' });
    const [first, second, third] = await Promise.all([place(), place(), place()]);
    const [leader, leaver] = [new AbortController(), new AbortController()];
    const leading = describeImage(analysis, first, {}, leader.signal);
    leading.catch(() => {});
    await expect.poll(() => server.questions().length, { timeout: 5000 }).toBe(1);
    const leaving = describeImage(analysis, second, {}, leaver.signal);
    leaving.catch(() => {});
    const staying = describeImage(analysis, third);
    // Both are prepared by then, and wait.
    await new Promise((resolve) => setTimeout(resolve, 300));
    leaver.abort(new Error('the second has gone'));
    await expect(leaving).rejects.toThrow('the second has gone');
    expect(server.questions()).toHaveLength(1);
    server.mode = 'good';
    leader.abort(new Error('the first has gone'));
    await expect(leading).rejects.toThrow('the first has gone');
    expect(await staying).toMatchObject({ aiStatus: 'completed', cached: false });
    expect(server.questions()).toHaveLength(2);
  });
});
