import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ERROR_CATALOGUE, type ErrorCode } from '#contract';
import { newRequestId } from '../observability/index.ts';
import { NOSNIFF, NOT_STORED } from './safety-headers.ts';

/** Socket with Node's internal reference to the running response: the only way to tell if one has been started. */
type BusySocket = Socket & { _httpMessage?: ServerResponse | null };

const JSON_TYPE = 'application/json; charset=utf-8';

/** A response to something that was no complete request. */
export interface Refusal {
  requestId: string;
  status: number;
}

/**
 * Responds to requests that are malformed, too large or too slow with a regular error body, and closes the connection.
 * Returns the response if no request was running that logs it.
 */
export function respondToClientError(error: NodeJS.ErrnoException, socket: BusySocket): Refusal | undefined {
  // The end of the connection within a body means that the client has left.
  const hasLeft = error.code === 'ECONNRESET' || (error.code === 'HPE_INVALID_EOF_STATE' && socket._httpMessage);
  if (hasLeft || !socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy();
    return undefined;
  }
  const { code, message } = explain(error);
  const { status } = ERROR_CATALOGUE[code];
  const response = socket._httpMessage;
  const requestId = String(response?.getHeader('X-Request-Id') ?? newRequestId());
  const body = JSON.stringify({ error: message, code, requestId });
  if (response) {
    // The log reads the status from the response.
    const headers = { 'Content-Type': JSON_TYPE, 'Content-Length': Buffer.byteLength(body), Connection: 'close' };
    response.writeHead(status, { 'X-Request-Id': requestId, 'Cache-Control': NOT_STORED, ...NOSNIFF, ...headers });
    response.end(body, () => socket.destroy());
    return undefined;
  }
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    `Cache-Control: ${NOT_STORED}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  // After a half-close a client could keep the socket open.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  return { requestId, status };
}

function explain(error: NodeJS.ErrnoException): { code: ErrorCode; message: string } {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return { code: 'headers_too_large', message: 'The request headers are larger than 16384 bytes' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { code: 'request_timeout', message: 'The request was not complete in time' };
    default:
      return { code: 'invalid_request', message: 'The request is not valid HTTP/1.1' };
  }
}
