import { describe, expect, it } from 'vitest';
import { frameComment, frameEvent, frameRetry } from '../../server/sse/event-stream.ts';

describe('frameEvent', () => {
  it('writes id, event, one data line and a blank line', () => {
    expect(frameEvent({ event: 'progress', id: 'job_1:2', data: { a: 1 } })).toBe(
      'id: job_1:2\nevent: progress\ndata: {"a":1}\n\n',
    );
  });

  it('keeps line ends and unicode in the data on one line', () => {
    const data = { text: 'a\nb\r\nc\rd\u2028e 雪 🌉 \u0000' };
    const lines = frameEvent({ event: 'x', id: '1', data }).split(/\r\n|\r|\n/);
    expect(lines).toHaveLength(5);
    expect(JSON.parse(lines[2]?.slice('data: '.length) ?? '')).toEqual(data);
  });

  it('sends null for data that JSON omits', () => {
    expect(frameEvent({ event: 'x', id: '1', data: undefined })).toContain('data: null\n');
  });

  it.each([
    { event: 'a\nb', id: '1' },
    { event: 'a', id: '1\r2' },
    { event: 'a', id: '1\0' },
  ])('refuses a name or id that would break the framing: %j', (names) => {
    expect(() => frameEvent({ ...names, data: 1 })).toThrow(TypeError);
  });
});

it('frames comments and the retry field', () => {
  expect(frameComment('a\nevent: x')).toBe(': a event: x\n\n');
  expect(frameRetry(3000.5)).toBe('retry: 3000\n');
});
