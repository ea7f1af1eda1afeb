import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';

/** Longest wait for an answer to the head of an upload, in milliseconds. */
const WAIT_MS = 3000;
/** Longest wait for a refusal after an invitation to send, in milliseconds. */
const INVITED_MS = 1000;

/**
 * Announces an upload and sends none of it: who limits the size refuses it at once, by its length. Returns true if a proxy
 * refuses it, false if nobody does, null if that cannot be told. Never rejects.
 */
export function isUploadRefused(base: string, bytes: number, signal: AbortSignal): Promise<boolean | null> {
  const url = new URL(`${base}/v1/sessions`);
  const request = url.protocol === 'https:' ? requestSecure : requestPlain;
  return new Promise((resolve) => {
    const upload = request(url, {
      method: 'POST',
      signal,
      headers: {
        'Content-Type': 'multipart/form-data; boundary=imagewright',
        'Content-Length': bytes,
        Expect: '100-continue',
      },
    });
    const end = (isRefused: boolean | null) => {
      clearTimeout(timer);
      upload.destroy();
      resolve(isRefused);
    };
    const timer = setTimeout(end, WAIT_MS, null);
    // Some invite the body first, and look at its length after that.
    upload.once('continue', () => setTimeout(end, INVITED_MS, false));
    // The service's own refusals have an id.
    upload.once('response', ({ statusCode, headers }) =>
      end(statusCode === 413 && headers['x-request-id'] === undefined),
    );
    upload.once('error', () => end(null));
    upload.flushHeaders();
  });
}
