/** One event of a stream. */
export interface StreamEvent {
  /** Event name; one line. */
  event: string;
  /** Value that a client sends back as `Last-Event-ID`; one line. */
  id: string;
  /** Sent as one line of JSON. */
  data: unknown;
}

/**
 * Puts an event on the wire as `id`, `event` and one `data` line (WHATWG HTML, "Parsing an event stream").
 * @throws TypeError when the name or id would break the framing, or the data cannot be JSON
 */
export function frameEvent({ event, id, data }: StreamEvent): string {
  if (/[\r\n\0]/.test(event + id)) throw new TypeError('An event name or id must be one line');
  // JSON escapes CR and LF, the only line ends of the format; U+2028 and U+2029 are none.
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data) ?? 'null'}\n\n`;
}

/** Frames a comment: bytes that keep the connection alive and that no client shows. */
export function frameComment(text: string): string {
  return `: ${text.replace(/[\r\n]+/g, ' ')}\n\n`;
}

/** Frames the field that tells a client how many milliseconds to wait before it reconnects. */
export function frameRetry(retryMs: number): string {
  return `retry: ${Math.trunc(retryMs)}\n`;
}
