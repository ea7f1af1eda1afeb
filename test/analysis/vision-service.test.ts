import { describe, expect, it } from 'vitest';
import { type FakeMode, GOOD_ANSWER } from '../support/fake-vision-server.ts';
import { describeImage, SECRET_KEY, useVision } from './analysis-harness.ts';

const vision = useVision();

const settings = (extra = {}) => vision.settings({ AI_API_KEY: SECRET_KEY, AI_TIMEOUT_MS: 4000, ...extra });

async function ask(mode: FakeMode, extra: Record<string, unknown> = {}) {
  vision.server.mode = mode;
  const analysis = vision.harness.analysis(settings(extra));
  const image = await vision.harness.place({ name: 'IMG_2034.jpg', bytes: vision.bytes });
  const result = await describeImage(analysis, image);
  return { ...result, formats: vision.server.questions().map(({ format }) => format) };
}

const schema = 'json_schema';
const object = 'json_object';

describe('modes of structured output', () => {
  it.each<[FakeMode, string, string, string[]]>([
    ['good', 'auto', 'completed', [schema]],
    ['good', 'json_object', 'completed', [object]],
    ['good', 'text', 'completed', ['text']],
    ['no-schema', 'auto', 'completed', [schema, object]],
    ['no-schema', 'json_schema', 'failed', [schema]],
    ['no-response-format', 'auto', 'completed', [schema, object, 'text']],
    ['bad-request', 'auto', 'unavailable', [schema]],
    ['no-images', 'auto', 'unavailable', [schema]],
    ['key-refused-as-400', 'auto', 'failed', [schema]],
    ['too-long', 'auto', 'failed', [schema, schema]],
    ['empty', 'auto', 'failed', [schema, schema]],
    ['empty-once', 'auto', 'completed', [schema, schema]],
    ['fenced', 'auto', 'completed', [schema]],
    ['fenced', 'text', 'completed', ['text']],
    ['thinking', 'json_object', 'completed', [object]],
    ['thinking-forever', 'text', 'failed', ['text', 'text']],
    ['wrong-shape-once', 'auto', 'completed', [schema, schema]],
    ['wrong-shape-once', 'json_object', 'completed', [object, object]],
    ['wrong-shape', 'auto', 'failed', [schema, schema]],
    ['truncated-once', 'auto', 'completed', [schema, schema]],
    ['truncated', 'json_object', 'failed', [object, object]],
    ['refusal-field', 'auto', 'refused', [schema]],
    ['refusal-prose', 'auto', 'refused', [schema]],
    ['refusal-prose', 'json_object', 'refused', [object]],
    ['filtered', 'auto', 'refused', [schema]],
    ['unauthorized', 'auto', 'failed', [schema]],
    ['not-found', 'auto', 'failed', [schema]],
    ['html', 'auto', 'failed', [schema]],
    ['redirect', 'auto', 'failed', [schema]],
    ['endless', 'auto', 'failed', [schema]],
    ['error-once', 'auto', 'completed', [schema, schema]],
  ])('%s with AI_STRUCTURED=%s: %s', async (mode, structured, status, formats) => {
    const result = await ask(mode, { AI_STRUCTURED: structured, AI_MAX_RETRIES: mode === 'error-once' ? 2 : 0 });
    expect({ status: result.aiStatus, formats: result.formats }).toEqual({ status, formats });
    expect(result.steps).toEqual(['prepare', 'describe']);
    if (status === 'completed') {
      expect(result.metadata).toMatchObject({
        alt: GOOD_ANSWER.alt,
        source: { alt: 'ai' },
        model: 'fake-vision',
        needsReview: [],
      });
    } else {
      expect(result.metadata).toMatchObject({ alt: null, model: null, needsReview: ['fallback'], aiStatus: status });
    }
  });

  it('remembers the mode that worked', async () => {
    vision.server.mode = 'no-response-format';
    const analysis = vision.harness.analysis(settings());
    for (let round = 0; round < 3; round += 1)
      await describeImage(analysis, await vision.harness.place({ name: 'a.jpg', bytes: vision.bytes }));
    expect(vision.server.questions().map(({ format }) => format)).toEqual([schema, object, 'text', 'text', 'text']);
  });

  it('sends the image before the text, and describes the schema in the prompt for modes without one', async () => {
    await ask('no-schema');
    const [strict, loose] = vision.server.questions();
    expect(strict?.body.response_format?.json_schema).toMatchObject({ strict: true });
    expect(JSON.stringify(strict?.body.response_format)).not.toMatch(/maxLength|pattern|minimum/);
    expect(strict?.words).not.toContain('textInImage"');
    expect(loose?.words).toContain('"textInImage"');
    const user = strict?.body.messages.find(({ role }) => role === 'user')?.content as { type: string }[];
    expect(user.map(({ type }) => type)).toEqual(['image_url', 'text']);
    expect(strict?.headers.authorization).toBe(`Bearer ${SECRET_KEY}`);
  });

  it('repeats once with the unusable answer and its fault', async () => {
    await ask('wrong-shape-once');
    const repair = vision.server.questions()[1]?.body.messages.slice(-2);
    expect(repair?.[0]).toMatchObject({ role: 'assistant', content: '{"description":"a bicycle"}' });
    expect(JSON.stringify(repair?.[1])).toContain('alt');
  });
});

describe('an abort', () => {
  it('rejects with its reason and closes the socket within 500 ms', async () => {
    vision.server.mode = 'hang';
    const analysis = vision.harness.analysis(settings());
    const image = await vision.harness.place({ name: 'a.jpg', bytes: vision.bytes });
    const controller = new AbortController();
    const reason = new Error('the client has gone');
    const running = describeImage(analysis, image, {}, controller.signal);
    await expect.poll(() => vision.server.questions().length).toBe(1);
    const abortedAt = Date.now();
    controller.abort(reason);
    await expect(running).rejects.toBe(reason);
    await expect.poll(() => vision.server.questions()[0]?.abortedAt, { interval: 10 }).not.toBeNull();
    expect((vision.server.questions()[0]?.abortedAt ?? 0) - abortedAt).toBeLessThan(500);
  });

  it('happens to running requests when the service closes', async () => {
    vision.server.mode = 'hang';
    const analysis = vision.harness.analysis(settings());
    const running = describeImage(analysis, await vision.harness.place({ name: 'a.jpg', bytes: vision.bytes }));
    running.catch(() => {});
    await expect.poll(() => vision.server.questions().length).toBe(1);
    await analysis.close();
    await expect(running).rejects.toThrow('stopping');
  });
});

describe('the breaker', () => {
  it('opens after 5 failures, refuses at once while open, and admits one probe after 30 s', async () => {
    let elapsedMs = 0;
    vision.server.mode = 'error';
    const analysis = vision.harness.analysis(settings({ AI_MAX_RETRIES: 0 }), { monotonicNow: () => elapsedMs });
    const describeOne = async () =>
      describeImage(analysis, await vision.harness.place({ name: 'a.jpg', bytes: vision.bytes }));
    for (let round = 0; round < 5; round += 1) expect((await describeOne()).aiStatus).toBe('failed');
    expect(analysis.state()).toMatchObject({ status: 'open', reason: 'broken' });
    expect((await describeOne()).aiStatus).toBe('unavailable');
    expect(vision.server.questions()).toHaveLength(5);

    elapsedMs += 30_001;
    expect((await describeOne()).aiStatus).toBe('failed');
    expect((await describeOne()).aiStatus).toBe('unavailable');
    expect(vision.server.questions()).toHaveLength(6);

    elapsedMs += 30_001;
    vision.server.mode = 'good';
    expect((await describeOne()).aiStatus).toBe('completed');
    expect(analysis.state()).toMatchObject({ status: 'ready', reason: null });
    expect((await describeOne()).aiStatus).toBe('completed');
  });

  it('does not count refusals', async () => {
    vision.server.mode = 'refusal-prose';
    const analysis = vision.harness.analysis(settings());
    for (let round = 0; round < 6; round += 1) {
      const image = await vision.harness.place({ name: 'a.jpg', bytes: vision.bytes });
      expect((await describeImage(analysis, image)).aiStatus).toBe('refused');
    }
  });
});

describe('the capability check', () => {
  it('detects a service that reads images', async () => {
    const analysis = vision.harness.analysis(settings({ AI_CANARY: 'on' }));
    await analysis.start();
    await expect.poll(() => analysis.state().status).toBe('ready');
    expect(vision.server.requests[0]).toMatchObject({ canary: true, mediaType: 'image/png' });
  });

  it('detects a service that ignores images, and sends it none', async () => {
    vision.server.blind = true;
    const analysis = vision.harness.analysis(settings({ AI_CANARY: 'on' }));
    await analysis.start();
    const result = await describeImage(analysis, await vision.harness.place({ name: 'a.jpg', bytes: vision.bytes }));
    expect(result.aiStatus).toBe('unavailable');
    expect(analysis.state()).toEqual({
      provider: 'openai-compatible',
      model: 'fake-vision',
      place: 'local',
      status: 'blind',
      reason: 'no_images',
    });
    expect(vision.server.questions()).toHaveLength(0);
    expect(vision.harness.logged()).toContain('ignores images');
  });
});

describe('secrets', () => {
  it.each<[FakeMode]>([['unauthorized'], ['not-found'], ['html'], ['reset'], ['bad-request'], ['error']])(
    '%s: neither the key nor the words of the service come out',
    async (mode) => {
      vision.server.failsCanary = true;
      const limits = { AI_TIMEOUT_MS: 1500, AI_LOAD_TIMEOUT_MS: 1500 };
      const analysis = vision.harness.analysis(settings({ AI_CANARY: 'on', AI_MAX_RETRIES: 0, ...limits }));
      vision.server.mode = mode;
      const result = await describeImage(analysis, await vision.harness.place({ name: 'a.jpg', bytes: vision.bytes }));
      expect(['failed', 'unavailable']).toContain(result.aiStatus);
      const everything = vision.harness.logged() + JSON.stringify(result) + JSON.stringify(analysis.state());
      expect(vision.harness.logged()).toMatch(/did not describe|describes no images/);
      expect(everything).not.toMatch(/secret|Incorrect|Welcome|no model of|Bearer|out of memory|takes no images/i);
    },
  );
});

describe('limits', () => {
  it('sends at most the configured number of concurrent requests over all jobs', async () => {
    let answer = () => {};
    vision.server.held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const analysis = vision.harness.analysis(settings({ AI_CONCURRENCY: 2, AI_TIMEOUT_MS: 30_000 }));
    expect(analysis.concurrency).toBeGreaterThan(2);
    const images = await Promise.all(
      Array.from({ length: 8 }, () => vision.harness.place({ name: 'a.jpg', bytes: vision.bytes })),
    );
    const described = images.map((image) => describeImage(analysis, image));
    await expect.poll(() => vision.server.peak).toBe(2);
    answer();
    const results = await Promise.all(described);
    expect(results.every(({ aiStatus }) => aiStatus === 'completed')).toBe(true);
    expect(vision.server.peak).toBe(2);
  });

  it('stops at the daily limit, keeps the count over a restart, and resets it at midnight', async () => {
    let now = new Date('2031-05-05T23:00:00Z');
    const start = () => vision.harness.analysis(settings({ AI_DAILY_IMAGE_LIMIT: 3 }), { now: () => now });
    const statuses = async (analysis: ReturnType<typeof start>, count: number) => {
      const found: string[] = [];
      for (let n = 0; n < count; n += 1) {
        found.push(
          (await describeImage(analysis, await vision.harness.place({ name: 'a.jpg', bytes: vision.bytes }))).aiStatus,
        );
      }
      return found;
    };
    expect(await statuses(start(), 2)).toEqual(['completed', 'completed']);
    const restarted = start();
    expect(await statuses(restarted, 2)).toEqual(['completed', 'limit']);
    expect(vision.server.questions()).toHaveLength(3);
    now = new Date('2031-05-06T00:00:01Z');
    expect(await statuses(restarted, 1)).toEqual(['completed']);
  });
});
