/** A received event with unparsed data. */
export interface RawEvent {
  /** Last received `id`, of this event or an earlier one. */
  id: string;
  event: string;
  data: string;
}

/**
 * Creates a parser of an event stream (WHATWG HTML, "Parsing an event stream"). It takes chunks of bytes, split anywhere,
 * and returns the events they complete. Comments, unknown fields and an unfinished event at the end are dropped.
 */
export function createSseParser(): (chunk: Uint8Array) => RawEvent[] {
  const decoder = new TextDecoder();
  let afterCarriageReturn = false;
  let rest = '';
  let id = '';
  let event = '';
  let data: string[] = [];

  /** Takes a complete line; an empty one returns the event it ends. */
  function takeLine(line: string): RawEvent | undefined {
    if (line === '') {
      const done = { id, event: event || 'message', data: data.join('\n') };
      const complete = data.length > 0;
      event = '';
      data = [];
      return complete ? done : undefined;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1));
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else if (field === 'id' && !value.includes('\0')) id = value;
    return undefined;
  }

  return (chunk) => {
    let text = decoder.decode(chunk, { stream: true });
    if (!text) return [];
    // Second half of a CRLF that was split between two chunks.
    const half = afterCarriageReturn && text[0] === '\n';
    afterCarriageReturn = text.endsWith('\r');
    if (half) text = text.slice(1);
    // Only the new text is searched, so that a long line in small chunks takes linear time.
    const lines = text.split(/\r\n?|\n/);
    lines[0] = rest + lines[0];
    rest = lines.pop() ?? '';
    return lines.flatMap((line) => takeLine(line) ?? []);
  };
}
