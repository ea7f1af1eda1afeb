import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSseParser, type RawEvent } from '../../../plugin-bridge/sdk/core/sse.ts';
import { frameComment, frameEvent, frameRetry } from '../../../server/sse/event-stream.ts';

const encoder = new TextEncoder();

/** Parses a text that arrives in pieces of the given lengths, the rest as the last piece. */
function parse(text: string, cuts: number[] = []): RawEvent[] {
  const bytes = encoder.encode(text);
  const push = createSseParser();
  const events: RawEvent[] = [];
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    events.push(...push(bytes.subarray(from, to)));
    from = to;
  }
  return events;
}

const STREAM = [
  frameRetry(3000),
  frameComment('ok'),
  frameEvent({ id: 'job_1:0', event: 'progress', data: { step: 'load', name: 'Zürich 🌉.jpg' } }),
  frameComment('still here'),
  frameEvent({ id: 'job_1:1', event: 'progress', data: { lines: 'one\r\ntwo' } }),
  frameEvent({ id: 'job_1:2', event: 'complete', data: { results: [] } }),
].join('');

describe('the parser of event streams', () => {
  it('parses the frames of the service', () => {
    expect(parse(STREAM).map(({ id, event, data }) => [id, event, JSON.parse(data)])).toEqual([
      ['job_1:0', 'progress', { step: 'load', name: 'Zürich 🌉.jpg' }],
      ['job_1:1', 'progress', { lines: 'one\r\ntwo' }],
      ['job_1:2', 'complete', { results: [] }],
    ]);
  });

  it.each(['\n', '\r\n', '\r'])('parses equally at every split point, with %j as line end', (lineEnd) => {
    const text = STREAM.replaceAll('\n', lineEnd);
    const fullText = parse(text);
    expect(fullText).toEqual(parse(STREAM));
    const length = encoder.encode(text).length;
    for (let cut = 0; cut <= length; cut += 1) expect(parse(text, [cut])).toEqual(fullText);
    expect(
      parse(
        text,
        Array.from({ length }, (_, index) => index),
      ),
    ).toEqual(fullText);
  });

  it('emits an event as soon as its last line has arrived', () => {
    const push = createSseParser();
    expect(push(encoder.encode('data: a\r\n'))).toEqual([]);
    expect(push(encoder.encode('\r'))).toHaveLength(1);
    expect(push(encoder.encode('\ndata: b\n'))).toEqual([]);
    expect(push(encoder.encode('\n'))).toEqual([{ id: '', event: 'message', data: 'b' }]);
  });

  it.each([
    ['lines of data become one text', 'data: a\ndata:b\ndata\n\n', [{ id: '', event: 'message', data: 'a\nb\n' }]],
    ['one space after the colon goes, a second stays', 'data:  a\n\n', [{ id: '', event: 'message', data: ' a' }]],
    [
      'unknown fields and comments are passed over',
      ':x\nfoo: b\ndata: 1\n:\n\n',
      [{ id: '', event: 'message', data: '1' }],
    ],
    [
      'an event without data is none',
      'event: progress\nid: 7\n\ndata: 1\n\n',
      [{ id: '7', event: 'message', data: '1' }],
    ],
    [
      'an id lasts',
      'id: 1\ndata: a\n\ndata: b\n\n',
      [
        { id: '1', event: 'message', data: 'a' },
        { id: '1', event: 'message', data: 'b' },
      ],
    ],
    ['an id with NUL is ignored', 'id: 1\0\ndata: a\n\n', [{ id: '', event: 'message', data: 'a' }]],
    ['a byte order mark is no part of the first field', '\uFEFFdata: a\n\n', [{ id: '', event: 'message', data: 'a' }]],
    ['an event that is not finished is none', 'data: a\n\ndata: b\n', [{ id: '', event: 'message', data: 'a' }]],
  ])('%s', (_, text, events) => {
    expect(parse(text)).toEqual(events);
  });

  it('parses any events in any chunks', () => {
    const line = fc.string({ unit: 'binary' }).map((text) => text.replace(/[\r\n\0]/g, ''));
    const event = fc.record({ id: line, event: line.filter(Boolean), data: fc.array(line, { minLength: 1 }) });
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 5 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.nat(400)),
        (events, lineEnd, cuts) => {
          const text = events
            .map(({ id, event, data }) => [
              `id: ${id}`,
              `event: ${event}`,
              ...data.map((part) => `data: ${part}`),
              '',
              '',
            ])
            .map((lines) => lines.join(lineEnd))
            .join('');
          const expected = events.map(({ id, event, data }) => ({ id, event, data: data.join('\n') }));
          const length = encoder.encode(text).length;
          const pieces = cuts.filter((cut) => cut < length).sort((a, b) => a - b);
          expect(parse(text, pieces)).toEqual(expected);
        },
      ),
    );
  });

  it('parses a megabyte that arrives byte by byte in linear time', () => {
    const push = createSseParser();
    const bytes = encoder.encode(`data: ${'x'.repeat(1_000_000)}\n\n`);
    const events = [...bytes].flatMap((byte) => push(Uint8Array.of(byte)));
    expect(events[0]?.data).toHaveLength(1_000_000);
  });
});
