import { describe, expect, it } from 'vitest';
import { createQuestionForm } from '../../server/analysis/question-form.ts';
import { describeImage, jpeg, useVision } from './analysis-harness.ts';

const vision = useVision();

describe('the form of questions', () => {
  it('begins with the strictest mode, and again an hour after a less strict one has worked', () => {
    let now = 0;
    const form = createQuestionForm('auto', () => now);
    expect(form.mode()).toBe('json_schema');
    expect(form.modeAfter('json_schema', true)).toBe('json_object');
    expect(form.modeAfter('json_schema', false)).toBe('text');
    expect(form.modeAfter('text', true)).toBeNull();
    form.worked('text', true);
    expect([form.mode(), form.isSmall()]).toEqual(['text', true]);
    now += 3_599_999;
    expect(form.mode()).toBe('text');
    now += 1;
    expect([form.mode(), form.isSmall()]).toEqual(['json_schema', false]);
  });

  it('is not changed by refusals that are no answer', async () => {
    const analysis = vision.harness.analysis(vision.settings({ AI_MAX_RETRIES: 0 }));
    const formats = async () => {
      vision.server.requests.length = 0;
      await describeImage(analysis, await vision.harness.place({ name: 'a.jpg', bytes: vision.bytes }));
      return vision.server.questions().map(({ format }) => format);
    };
    vision.server.mode = 'not-found';
    expect(await formats()).toEqual(['json_schema']);
    vision.server.mode = 'no-schema';
    vision.server.answer = '{"description":"of no use"}';
    expect(await formats()).toEqual(['json_schema', 'json_object', 'json_object']);
    vision.server.reset();
    expect(await formats()).toEqual(['json_schema']);
  });
});

describe('the next question', () => {
  it('has a smaller picture if the context is too small, and so have the next images', async () => {
    const analysis = vision.harness.analysis(vision.settings());
    const place = async () =>
      vision.harness.place({
        name: 'a.jpg',
        bytes: await jpeg(1600, 1200, `#${Math.floor(1e6 + Math.random() * 8e6)}`),
      });
    Object.assign(vision.server, { mode: 'too-long', roomBytes: 120_000 });
    expect((await describeImage(analysis, await place())).aiStatus).toBe('completed');
    const [large, small] = vision.server.questions().map(({ image }) => image.length);
    expect(vision.server.questions()).toHaveLength(2);
    expect(small).toBeLessThan((large ?? 0) / 2);
    expect((await describeImage(analysis, await place())).aiStatus).toBe('completed');
    expect(vision.server.questions()).toHaveLength(3);
  });

  it('allows twice the length after an answer that was cut off, and does not repeat it', async () => {
    vision.server.mode = 'truncated-once';
    const analysis = vision.harness.analysis(vision.settings());
    const image = await vision.harness.place({ name: 'a.jpg', bytes: vision.bytes });
    expect((await describeImage(analysis, image)).aiStatus).toBe('completed');
    const bodies = vision.server.questions().map(({ body }) => body as typeof body & { max_tokens: number });
    expect(bodies.map(({ max_tokens }) => max_tokens)).toEqual([2000, 4000]);
    expect(bodies[1]?.messages).toHaveLength(bodies[0]?.messages.length ?? 0);
  });

  it.each([
    ['truncated', 'cut_off', 2],
    ['no-images', 'no_images', 1],
    ['key-refused-as-400', 'key_refused', 1],
    ['empty', 'empty', 2],
    ['bad-request', 'no_images', 1],
  ] as const)('%s: %s after %i', async (mode, reason, count) => {
    vision.server.mode = mode;
    const analysis = vision.harness.analysis(vision.settings());
    const image = await vision.harness.place({ name: 'a.jpg', bytes: vision.bytes });
    expect((await describeImage(analysis, image)).aiReason).toBe(reason);
    expect(vision.server.questions()).toHaveLength(count);
    expect(vision.harness.logged()).toContain(`"reason":"${reason}"`);
  });
});
