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
 * Frames an event as `id`, `event` and one `data` line (WHATWG HTML, "Parsing an event stream").
 * @throws TypeError if the name or id would break the framing, or the data cannot be JSON
 */
export function frameEvent({ event, id, data }: StreamEvent): string {
  if (/[\r\n\0]/.test(event + id)) throw new TypeError('An event name or id must be one line');
  // JSON escapes CR and LF, the only line ends of the format.
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data) ?? 'null'}\n\n`;
}

/** Frames a comment, which keeps the connection alive and is ignored by clients. */
export function frameComment(text: string): string {
  return `: ${text.replace(/[\r\n]+/g, ' ')}\n\n`;
}

/** Frames the `retry` field: the client's delay before it reconnects, in milliseconds. */
export function frameRetry(retryMs: number): string {
  return `retry: ${Math.trunc(retryMs)}\n`;
}
