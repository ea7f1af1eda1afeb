/** An event as it came, its data not yet read. */
export interface RawEvent {
  /** The last `id` that was seen, here or earlier. */
  id: string;
  event: string;
  data: string;
}

/**
 * Makes a parser of an event stream (WHATWG HTML, "Parsing an event stream"): takes bytes that may be split anywhere and
 * returns the events they complete. Comments, unknown fields and an unfinished event at the end are dropped.
 */
export function createSseParser(): (chunk: Uint8Array) => RawEvent[] {
  const decoder = new TextDecoder();
  let afterCarriageReturn = false;
  let rest = '';
  let id = '';
  let event = '';
  let data: string[] = [];

  /** Takes a whole line; returns the event that an empty one ends. */
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
    // The second half of a CRLF whose first half came with the chunk before.
    const half = afterCarriageReturn && text[0] === '\n';
    afterCarriageReturn = text.endsWith('\r');
    if (half) text = text.slice(1);
    // Only what is new is searched, so that a long line in tiny pieces stays cheap.
    const lines = text.split(/\r\n?|\n/);
    lines[0] = rest + lines[0];
    rest = lines.pop() ?? '';
    return lines.flatMap((line) => takeLine(line) ?? []);
  };
}
