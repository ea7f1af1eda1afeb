import { describe, expect, it } from 'vitest';
import { GOOD_ANSWER } from '../support/fake-vision-server.ts';
import { describeImage, useVision } from './analysis-harness.ts';

const vision = useVision();

const settings = () => vision.settings({ AI_TIMEOUT_MS: 4000, AI_CONCURRENCY: 4 });

describe('equal questions', () => {
  it('sends one request for concurrent questions about the same picture', async () => {
    vision.server.delayMs = 150;
    const analysis = vision.harness.analysis(settings());
    const images = await Promise.all(
      Array.from({ length: 4 }, () =>
        vision.harness.place({ name: 'a.jpg', bytes: vision.bytes, accountId: 'acct_once' }),
      ),
    );
    const results = await Promise.all(images.map((image) => describeImage(analysis, image)));
    expect(results.map(({ aiStatus, metadata }) => [aiStatus, metadata.alt])).toEqual(
      images.map(() => ['completed', GOOD_ANSWER.alt]),
    );
    expect(results.filter(({ cached }) => !cached)).toHaveLength(1);
    expect(vision.server.questions()).toHaveLength(1);
  });

  it('asks again if the first caller was aborted, and stops waiting if its own caller is', async () => {
    vision.server.mode = 'hang';
    const analysis = vision.harness.analysis(settings());
    const place = () => vision.harness.place({ name: 'a.jpg', bytes: vision.bytes, accountId: 'acct_gone' });
    const [first, second, third] = await Promise.all([place(), place(), place()]);
    const [leader, leaver] = [new AbortController(), new AbortController()];
    const leading = describeImage(analysis, first, {}, leader.signal);
    leading.catch(() => {});
    await expect.poll(() => vision.server.questions().length).toBe(1);
    const leaving = describeImage(analysis, second, {}, leaver.signal);
    leaving.catch(() => {});
    const staying = describeImage(analysis, third);
    // Both are prepared by then and wait.
    await new Promise((resolve) => setTimeout(resolve, 300));
    leaver.abort(new Error('the second has gone'));
    await expect(leaving).rejects.toThrow('the second has gone');
    expect(vision.server.questions()).toHaveLength(1);
    vision.server.mode = 'good';
    leader.abort(new Error('the first has gone'));
    await expect(leading).rejects.toThrow('the first has gone');
    expect(await staying).toMatchObject({ aiStatus: 'completed', cached: false });
    expect(vision.server.questions()).toHaveLength(2);
  });
});
